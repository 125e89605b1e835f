package runflags

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
)

// Patience is how long a run may take to end when its time is over, or after a signal. Input,
// set-up, verification and the program of a rank may compute or sleep for long without a poll: the
// process then ends all the same.
const Patience = 500 * time.Millisecond

// rollPatience is how long a last roll-call may take, and a last message.
const rollPatience = 300 * time.Millisecond

// lastPatience is how much longer than Patience a process lives that still writes what it has: a
// launcher kills its ranks 2 s after the signal.
const lastPatience = time.Second

// firstProgress is how long a run may be in its set-up before it reports what it is doing. It does
// so again whenever the time has doubled.
const firstProgress = 5 * time.Second

// watch ends this process when its run is overdue.
type watch struct {
	to    io.Writer
	name  string        // of the command or program, for the message
	rank  int           // of this process
	grace time.Duration // more patience after SIGTERM
	over  chan struct{} // closed when the run has ended

	mu    sync.Mutex
	run   string          // the run of several that is under way; "": the only one
	doing string          // what has not ended, as a clause
	why   error           // the first error of a rank; nil, too, when it has been printed
	on    *Target         // whose roll-call is printed; nil: none
	write func()          // what this process has to write before it ends; nil: nothing
	say   func(io.Writer) // says where that is
}

// Begin begins a run, all steps of which obey --timeout and signals: it returns a context that ends
// when ctx does, or --timeout is over. If w is not nil and end is not called within Patience after
// that, the process ends, with the exit code and a message to w. name is the command or program.
// Nothing is left then: see outfile.Replace for temporary files, and package shm for segments.
func (cfg *Config) Begin(ctx context.Context, w io.Writer, name string) (limited context.Context, end func()) {
	if w == nil {
		return WithTimeout(ctx, cfg.Timeout)
	}
	g := cfg.newWatch(w, name, "the set-up has not ended")
	if cfg.Checkpoints.folder != "" {
		g.grace = cfg.Checkpoints.grace
	}
	if cfg.Rank() == 0 {
		go g.progress()
	}
	return g.begin(ctx, cfg.Timeout)
}

// Limit is Begin for a command that makes many runs, and has a progress bar of its own. Until
// Running or Doing is called, the message of an overdue run has the clause doing.
func (cfg *Config) Limit(c *cli.Context, doing string) (limited context.Context, end func()) {
	return cfg.newWatch(c.App.ErrWriter, c.App.Name, doing).begin(c.Context, cfg.Timeout)
}

func (cfg *Config) newWatch(w io.Writer, name, doing string) *watch {
	cfg.watch = &watch{to: w, name: name, rank: cfg.Rank(), over: make(chan struct{}), doing: doing}
	return cfg.watch
}

// begin returns ctx with a limit. It ends this process if end is not called in time after that.
func (g *watch) begin(ctx context.Context, limit time.Duration) (limited context.Context, end func()) {
	ctx, cancel := WithTimeout(ctx, limit)
	forget := context.AfterFunc(ctx, func() { g.end(ctx) })
	return ctx, sync.OnceFunc(func() {
		forget()
		close(g.over)
		cancel()
	})
}

// calls has an overdue run print the roll-call of on.
func (g *watch) calls(on *Target) {
	if g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.on = on
	}
}

// text returns what has not ended, as a clause.
func (g *watch) text() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.run + g.doing
}

// stage returns what the run is doing and how far it is, for to; "": all ranks have begun. From
// then on there are progress bars and roll-calls.
func (g *watch) stage() (text string, to io.Writer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.on == nil {
		return g.doing, g.to
	}
	ranks := int64(g.on.Nodes)
	if g.on.isRank() {
		ranks = 1
	}
	to = g.aboveBar()
	if began := g.on.began.Load(); began < ranks {
		text = fmt.Sprintf("%d of %d nodes are set up", began, ranks)
	}
	return text, to
}

// above returns where messages go: above a progress bar, if there is one.
func (g *watch) above() io.Writer {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.aboveBar()
}

func (g *watch) aboveBar() io.Writer {
	if g.on != nil && g.on.to != nil {
		return g.on.to
	}
	return g.to
}

// progress reports a long set-up until the run has ended.
func (g *watch) progress() {
	for wait, at := firstProgress, firstProgress; !g.ended(wait); wait, at = at, 2*at {
		if text, to := g.stage(); text != "" {
			fmt.Fprintf(to, "%s: after %v: %s\n", g.name, at, text)
		}
	}
}

// Running names the run of several that begins, for the message of an overdue run.
func (cfg *Config) Running(run string) {
	if g := cfg.watch; g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.run, g.doing = run+": ", "the run has not ended"
	}
}

// Doing says what the run does from now on, for the message of an overdue run: a clause such as
// "the input is still being read".
func (cfg *Config) Doing(clause string) {
	if g := cfg.watch; g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.doing = clause
	}
}

// end ends the process, unless the run ends in time.
func (g *watch) end(ctx context.Context) {
	cause := context.Cause(ctx)
	patience := Patience
	if got := (*launch.SignalError)(nil); errors.As(cause, &got) && got.Signal == syscall.SIGTERM {
		patience += g.grace
	}
	last := g.writeLast()
	if g.ended(patience) {
		return
	}
	timeout := errors.Is(cause, context.DeadlineExceeded)
	g.mu.Lock()
	on := g.on
	g.mu.Unlock()
	if timeout && on != nil {
		on.callRoll()
	}
	if g.ended(0) {
		return
	}
	select {
	case <-last:
	case <-time.After(lastPatience):
	}
	status := ExitInterrupted
	if timeout {
		status = ExitTimeout
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		if endedQuietly(ctx, nil) { // the launcher reports why
			return
		}
		cluster.ReportOrigin(g.rank, cause, true)
		if say := g.says(); say != nil {
			say(g.above())
		}
		g.explain()
		fmt.Fprintf(g.above(), "%s: %v: %s within %v\n", g.name, cause, g.text(), patience)
	}()
	select {
	case <-written:
	case <-time.After(rollPatience): // nobody reads it
	}
	os.Exit(status)
}

// failed notes the first error of a rank of this process. Other ranks may notice the failure late:
// if the run does not end soon, the error is printed before the end.
func (g *watch) failed(err error) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.why == nil {
		g.why = err
		go func() {
			if !g.ended(Patience) {
				g.explain()
			}
		}()
	}
}

// explain prints the first error of a rank, unless it has been printed.
func (g *watch) explain() {
	g.mu.Lock()
	why := g.why
	g.why = nil
	g.mu.Unlock()
	if why != nil {
		fmt.Fprintf(g.above(), "%s: %v; other ranks have not returned yet\n", g.name, why)
	}
}

// ended reports whether the run ends within a time.
func (g *watch) ended(within time.Duration) bool {
	select {
	case <-g.over:
	case <-time.After(within):
	}
	select {
	case <-g.over:
		return true
	default:
		return false
	}
}

// last sets what this process writes before it ends, even if the run does not end in time, and what
// says where that is.
func (g *watch) last(write func(), say func(io.Writer)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.write, g.say = write, say
}

// writeLast begins to write it. It returns a channel that is closed when that is done.
func (g *watch) writeLast() (written chan struct{}) {
	g.mu.Lock()
	write := g.write
	g.mu.Unlock()
	written = make(chan struct{})
	go func() {
		defer close(written)
		if write != nil {
			write()
		}
	}()
	return written
}

func (g *watch) says() func(io.Writer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.say
}

// callRoll prints a roll-call, if the run makes one soon.
func (t *Target) callRoll() {
	select {
	case t.ask <- syscall.SIGQUIT:
		select {
		case <-t.called:
		case <-time.After(rollPatience):
		}
	default: // the run does not answer
	}
}
