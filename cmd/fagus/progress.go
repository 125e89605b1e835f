package main

import (
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// progress is a bar on a terminal, and nothing elsewhere.
type progress struct {
	container *mpb.Progress
	bar       *mpb.Bar
}

// newProgress begins a bar of total steps; 0 is not known, and has none. It draws only
// if w is a terminal.
func newProgress(w io.Writer, what string, total int) *progress {
	f, ok := w.(*os.File)
	if !ok || total == 0 || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return &progress{}
	}
	c := mpb.New(mpb.WithOutput(f), mpb.WithWidth(48))
	bar := c.AddBar(int64(total),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(what+" "), decor.CountersNoUnit("%d / %d")),
		mpb.AppendDecorators(decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO), "")))
	return &progress{container: c, bar: bar}
}

// add says that n more steps are done. Any goroutine may call it.
func (p *progress) add(n int) {
	if p.bar != nil {
		p.bar.IncrBy(n)
	}
}

// above is where lines are written that stay above the bar; without a bar it is w.
func (p *progress) above(w io.Writer) io.Writer {
	if p.bar != nil {
		return p.container
	}
	return w
}

// stop takes the bar off the screen.
func (p *progress) stop() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.container.Wait()
	}
}
