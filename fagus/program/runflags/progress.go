package runflags

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

const (
	progressName = "progress"

	leastProgress = 100 * time.Millisecond
	barEvery      = time.Second // a bar changes
	lineEvery     = time.Minute
)

func progressFlag(category string) cli.Flag {
	return &cli.DurationFlag{Name: progressName, Category: category, DefaultText: "a bar on a terminal, else 1m0s",
		Usage: "say every `TIME` on standard error how far the run is, for example --progress 10s: a bar on a terminal, a line elsewhere, with --json a document " + ProgressSchema + " in one line; 0: never"}
}

// progress says how this process shows how far the run is.
type progress struct {
	every time.Duration // 0: not at all
	json  bool
	bare  bool // no bar, even on a terminal
}

// readProgress reads --progress. A bar would be in the way of the log of --verbose.
func readProgress(c *cli.Context) (progress, error) {
	p := progress{every: c.Duration(progressName), json: c.Bool("json"), bare: c.Bool("json") || c.Bool("verbose")}
	switch {
	case p.every < 0 || p.every > 0 && p.every < leastProgress:
		return p, usage.Errorf("--%s %v: want 0 (never), or %v or more", progressName, p.every, leastProgress)
	case !c.IsSet(progressName) && !c.Bool("quiet"):
		p.every = p.usual(c.App.ErrWriter)
	}
	return p, nil
}

// usual returns how often progress is shown if the user does not say it.
func (p progress) usual(w io.Writer) time.Duration {
	if !p.bare && terminal(w) != nil {
		return barEvery
	}
	return lineEvery
}

// terminal returns the terminal to which w writes; nil: it is none, or cannot draw.
func terminal(w io.Writer) *os.File {
	o, ok := w.(interface{ File() *os.File }) // launch.Outlet
	if !ok || o.File() == nil || os.Getenv("TERM") == "dumb" {
		return nil
	}
	if _, is := columns(o.File()); !is {
		return nil
	}
	return o.File()
}

// display returns what shows progress on w.
func (p progress) display(w io.Writer, name string) *display {
	d := &display{to: w, pace: newPace(name, time.Now())}
	switch t := terminal(w); {
	case p.json:
		d.text = func(e *ProgressEvent) string { return e.line() }
	case t == nil || p.bare:
		d.text = func(e *ProgressEvent) string { return e.String() + "\n" }
	default:
		d.stays = true
		d.text = func(e *ProgressEvent) string {
			width, _ := columns(t)
			if width <= 0 {
				width = 80
			}
			return e.bar(width - 1)
		}
	}
	return d.start()
}

// showProgress shows the progress of the next run on w, until end is called. It returns a writer
// for other lines: they stay above a bar. Of ranks that are processes rank 0 asks the others. It
// sends what it learns to a launcher that draws, in lines that only this launcher sees.
func (t *Target) showProgress(w io.Writer) (lines io.Writer, end func()) {
	every := t.progress.every
	if t.Rank() != 0 || t.replayed != nil {
		return w, func() {}
	}
	if text := os.Getenv(cluster.ProgressVariable); text != "" && t.isRank() && (!t.progress.json || inherits()) {
		// The launcher has read the flag, or has none and draws a bar.
		if sent, err := time.ParseDuration(text); err == nil && sent >= leastProgress && every > 0 {
			t.RollCall.Every, t.RollCall.Progress = sent, func(p rollcall.Progress) { send(w, p) }
		}
		return w, func() {}
	}
	if every == 0 {
		return w, func() {}
	}
	d := t.progress.display(w, t.Program)
	t.RollCall.Every, t.RollCall.Progress = every, d.show
	return d, d.end
}

// showRanks draws on job.Stderr the progress that rank 0 of the job sends, until end is called.
func (p progress) showRanks(job *launch.Job, name string) (end func()) {
	if p.every == 0 || job.PlainErr || sameWriter(job.Stdout, job.Stderr) {
		return func() {}
	}
	d := p.display(job.Stderr, name)
	job.Stderr = &receiver{d}
	if d.stays && terminal(job.Stdout) != nil {
		job.Stdout = &above{d, job.Stdout}
	}
	job.Env = append(job.Env, cluster.ProgressVariable+"="+p.every.String())
	return d.end
}

// sameWriter reports whether two outputs are one, such as the buffer of a test.
func sameWriter(a, b io.Writer) bool {
	x, ok := a.(*bytes.Buffer)
	y, same := b.(*bytes.Buffer)
	return ok && same && x == y
}

// The form of a line that rank 0 sends to its launcher on standard error. A terminal shows no such
// text (ECMA-48, APC), and a file should not get it.
const (
	sentBegin = "\x1b_fagus-progress "
	sentEnd   = "\x1b\\\n"
)

func send(w io.Writer, p rollcall.Progress) {
	text, err := json.Marshal(p)
	if err != nil {
		panic(fmt.Sprintf("runflags: encoding progress: %v", err)) // numbers
	}
	_, _ = io.WriteString(w, sentBegin+string(text)+sentEnd) // the run does not depend on it
}

// receiver is the standard error of ranks: it takes out the lines of send, and passes on others.
type receiver struct{ *display }

// Write takes whole lines, as a launcher writes them.
func (r *receiver) Write(text []byte) (int, error) {
	var rest []byte
	for line := range bytes.Lines(text) {
		if p, ok := received(line); ok {
			r.show(p)
		} else {
			rest = append(rest, line...)
		}
	}
	if len(rest) == 0 {
		return len(text), nil
	}
	if _, err := r.display.Write(rest); err != nil {
		return 0, err
	}
	return len(text), nil
}

// received returns what send has sent, behind the number of a rank if a launcher has put it there.
func received(line []byte) (p rollcall.Progress, ok bool) {
	form := regexp.MustCompile(`^(?:\d+: )*` + sentBegin + `(\{[^\x1b]*\})\x1b\\\n$`)
	if !bytes.Contains(line, []byte(sentBegin)) {
		return p, false
	}
	found := form.FindSubmatch(line)
	if found == nil {
		return p, false
	}
	return p, errors.Join(json.Unmarshal(found[1], &p), checkProgress(p)) == nil
}

// checkProgress returns an error unless p, which another process has sent, can be shown.
func checkProgress(p rollcall.Progress) error {
	if p.Of < 1 || p.Done < 0 || p.Done > p.Of || p.SlowestDone < 0 || p.SlowestDone > p.SlowestOf {
		return fmt.Errorf("progress of %d of %d, and of %d of %d", p.Done, p.Of, p.SlowestDone, p.SlowestOf)
	}
	return nil
}
