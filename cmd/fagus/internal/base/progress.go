package base

import (
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// Progress is a progress bar. It draws on a terminal only; the zero value draws nothing.
type Progress struct {
	container *mpb.Progress
	bar       *mpb.Bar
}

// NewProgress returns a bar of total steps; step is the name of a step. The bar draws nothing if
// w is no terminal, or if total is 0, which means unknown.
func NewProgress(w io.Writer, step string, total int) *Progress {
	o, ok := w.(interface{ File() *os.File }) // launch.Outlet
	if !ok || total == 0 || o.File() == nil || !term.IsTerminal(int(o.File().Fd())) || os.Getenv("TERM") == "dumb" {
		return &Progress{}
	}
	// The output is w, not the file: a terminal may be stopped.
	c := mpb.New(mpb.WithOutput(w), mpb.WithAutoRefresh(), mpb.WithWidth(48))
	bar := c.AddBar(int64(total),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(step+" "), decor.CountersNoUnit("%d / %d")),
		mpb.AppendDecorators(decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO), "")))
	return &Progress{container: c, bar: bar}
}

// Add reports that n more steps are done. Any goroutine may call it.
func (p *Progress) Add(n int) {
	if p.bar != nil {
		p.bar.IncrBy(n)
	}
}

// Above returns a writer for lines that stay above the bar. Without a bar it returns w.
func (p *Progress) Above(w io.Writer) io.Writer {
	if p.bar != nil {
		return p.container
	}
	return w
}

// Stop removes the bar from the screen.
func (p *Progress) Stop() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.container.Wait()
	}
}
