package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

const (
	defaultAnswer = 10 * time.Second
	defaultStall  = 15 * time.Second // as for ranks
	// leastStall is the shortest silence of an agent that counts. Ranks forgive more than
	// Job.Spec.Stall on a busy host; an agent has this.
	leastStall = 3 * time.Second
	watchEvery = 250 * time.Millisecond
	// slowestBeat is the longest time between the reports of an agent.
	slowestBeat = time.Second
)

// silence returns how long an agent, or the process of a rank, may be silent; 0: for ever.
func (j *Job) silence() time.Duration {
	if j.Spec.Stall < 0 {
		return 0
	}
	return max(leastStall, cmp.Or(j.Spec.Stall, defaultStall))
}

// beat returns the time between the reports of an agent that has nothing to report; 0: for ever.
func (j *Job) beat() time.Duration { return min(slowestBeat, j.silence()/10) }

// silence is how long an agent has not reported.
type silence struct {
	seen   int64 // reports
	lasted time.Duration
}

// step adds watchEvery. It counts steps, not time: while this process is stopped, nobody is silent.
func (s *silence) step(reports *atomic.Int64) {
	s.lasted += watchEvery
	if now := reports.Load(); now != s.seen {
		*s = silence{seen: now}
	}
}

// watcher ends the command that reaches a host if the agent is silent, or ends before the command.
type watcher struct {
	host    string
	cmd     *exec.Cmd
	out     io.Closer     // the agent's reports
	reports *atomic.Int64 // their number
	answer  time.Duration // limit for the first report
	stall   time.Duration // limit for each later one; 0: none
	// over is closed when nobody needs the host any more. A silent one is not waited for then.
	over <-chan struct{}
	// listened is closed when no report is read any more, ended when cmd has ended.
	listened, ended chan struct{}
	refused         bool  // the reports cannot be read to their end; set before listened is closed
	err             error // why the command was ended; set before run returns
	killed          bool  // the command outlived its agent; set before run returns
}

// run returns when the command has ended, or has been killed.
func (w *watcher) run(ctx context.Context) {
	if w.err = w.listen(ctx); w.err != nil {
		w.kill()
		return
	}
	wait := w.cmd.WaitDelay // the agent ends its ranks, and then itself
	select {
	case <-w.listened:
		if w.refused {
			wait = settling // it may wait for a reader, but its exit code says more
		}
	default:
	}
	if !w.ends(wait) {
		w.killed = true
		w.kill()
	}
}

// ends reports whether the command ends in time. When the host is not needed any more, a silent
// agent has defaultGrace only.
func (w *watcher) ends(wait time.Duration) bool {
	leave, step := time.After(wait), time.Tick(watchEvery)
	var silent silence
	for {
		select {
		case <-w.ended:
			return true
		case <-leave:
			return false
		case <-step:
		}
		select {
		case <-w.over:
			if silent.step(w.reports); w.stall > 0 && silent.lasted >= defaultGrace {
				return false
			}
		default:
		}
	}
}

// listen returns an error if the agent is silent for too long, and nil if the reports or ctx end.
func (w *watcher) listen(ctx context.Context) error {
	step := time.Tick(watchEvery)
	for silent := (silence{}); ; {
		select {
		case <-w.listened:
			return nil
		case <-ctx.Done():
			return nil
		case <-step:
		}
		silent.step(w.reports)
		switch {
		case silent.seen == 0 && silent.lasted >= w.answer:
			return &agentError{fmt.Errorf("launch: host %s: its agent has not reported in %v s: try it by hand: %s", w.host, w.answer.Seconds(), strings.Join(w.cmd.Args, " "))}
		case silent.seen > 0 && w.stall > 0 && silent.lasted >= w.stall:
			return fmt.Errorf("launch: host %s: its agent shows no sign of life for %v s: it is stopped, or the host is (--stall sets the time)", w.host, w.stall.Seconds())
		}
	}
}

// kill ends the command and what it has started. What has left its process group may keep the
// reports open, which are closed here.
func (w *watcher) kill() {
	killGroup(w.cmd.Process)
	_ = w.cmd.Process.Kill() // may have ended
	_ = w.out.Close()        // may be closed
}

// mostBefore is how many bytes the command of a host may print before the end of the first report.
const mostBefore = 64 << 10

// opening reads the output of a host's command, and bounds it until the agent has reported.
type opening struct {
	from  io.Reader
	text  []byte
	begun bool // the agent has reported
}

// Read implements io.Reader.
func (o *opening) Read(p []byte) (int, error) {
	n, err := o.from.Read(p)
	if !o.begun {
		if o.text = append(o.text, p[:n]...); len(o.text) > mostBefore {
			return n, errors.New("it prints without end")
		}
	}
	return n, err
}

// refuse returns the error for an output that no agent writes.
func (o *opening) refuse(host string, err error) error {
	text := ""
	if len(o.text) > 0 {
		text = fmt.Sprintf("it begins with %.40q: ", o.text)
	}
	return &agentError{fmt.Errorf("launch: host %s: reading the output of its agent (does a login shell print text? is fagus installed?): %s%w", host, text, err)}
}
