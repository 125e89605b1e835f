package launch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// OnHost returns the command that runs argv on a host. rsh is Hosts.Rsh.
func OnHost(rsh []string, host string, argv ...string) []string {
	if len(rsh) == 0 {
		// The options make ssh fail instead of hang if the host is unreachable, and that before
		// defaultAnswer has passed.
		rsh = []string{"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=8", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2", "%h"}
	}
	var words []string
	named := false
	for _, w := range rsh {
		named = named || strings.Contains(w, "%h")
		words = append(words, strings.ReplaceAll(w, "%h", host))
	}
	if !named {
		words = append(words, host)
	}
	return append(words, argv...)
}

// quoted returns the words of the agent's command as a shell on the host reads them, which ssh and
// the like start. A command that starts no shell gets words that need no quotes as they are.
func (r *remote) quoted() (words []string) {
	for _, w := range r.job.Agent {
		if w == "" || strings.ContainsFunc(w, func(c rune) bool { return !safe(c) }) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words = append(words, w)
	}
	return words
}

// safe reports whether a character means itself in a shell.
func safe(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/._-+=:,@%", c)
}

type remote struct {
	job     *Hosts
	host    string
	attempt int
	lost    bool            // set when run returns: the host or its agent is gone
	record  func(error)     // is called with each failure of a rank
	over    <-chan struct{} // closed when nobody needs the host any more
	meet    chan<- string   // receives the rendezvous; capacity 1
	begun   chan struct{}   // closed when the agent has its first order, or gets none
	spoke   chan struct{}   // closed when the agent has reported
	in      io.WriteCloser  // nil if begin has made no pipe
	// stdout and stderr are the outputs of the ranks, own is what the command that reaches the host
	// prints on standard error.
	stdout, stderr, own *stream
	// remembered receives the last report of a memory; capacity 1. It is nil for ranks.
	remembered chan remembered
	reports    atomic.Int64 // number
}

// send sends an order. It ignores errors, because run notices the end of the agent.
func (r *remote) send(o order) {
	if r.in != nil {
		_ = json.NewEncoder(r.in).Encode(o)
	}
}

func (r *remote) command(ctx context.Context) *exec.Cmd {
	words := OnHost(r.job.Rsh, r.host, r.quoted()...)
	return exec.CommandContext(ctx, words[0], words[1:]...)
}

// run starts an agent with its first order, and returns when it has ended.
func (r *remote) run(ctx context.Context, o order) error {
	err := r.runOnce(ctx, o)
	// What does not answer at the first attempt is more likely a mistake than a loss.
	if missing := (*agentError)(nil); r.attempt > 0 && errors.As(err, &missing) {
		r.lost = true
	}
	if r.lost && err != nil {
		return &lostError{err}
	}
	return err
}

func (r *remote) runOnce(ctx context.Context, o order) error {
	cmd := r.command(ctx)
	reports, err := r.begin(ctx, cmd, o)
	if err != nil {
		return limited(fmt.Errorf("launch: host %s: %w", r.host, err), len(r.job.Hosts))
	}
	watch := &watcher{
		host: r.host, cmd: cmd, out: reports, reports: &r.reports, answer: cmp.Or(r.job.Answer, defaultAnswer), stall: r.job.silence(),
		listened: make(chan struct{}), ended: make(chan struct{}), over: r.over,
	}
	var watching sync.WaitGroup
	watching.Go(func() { watch.run(ctx) })
	failure, done := r.listen(reports)
	watch.refused = failure != nil && !errors.Is(failure, io.EOF) && !errors.Is(failure, io.ErrUnexpectedEOF)
	close(watch.listened)
	_ = r.in.Close() // makes the agent end
	<-r.begun
	err = cmd.Wait()
	close(watch.ended)
	watching.Wait()
	r.own.leave(r.own.grace)
	for _, s := range []*stream{r.stdout, r.stderr, r.own} {
		if lost := s.wait(ctx, failure != nil || err != nil); failure == nil && lost != nil {
			failure = fmt.Errorf("launch: writing the output of host %s: %w", r.host, lost)
		}
	}
	spoke := r.reports.Load() > 0
	r.lost = spoke && watch.killed
	switch {
	case ctx.Err() != nil: // another rank failed first
		return nil
	case watch.err != nil:
		r.lost = spoke
		return watch.err
	case done || watch.killed || err == nil:
		r.lost = r.lost || spoke && !done
		return failure
	case spoke || cmd.ProcessState.ExitCode() < 0:
		r.lost = spoke
		return fmt.Errorf("launch: host %s: the agent (%s) failed: %w", r.host, strings.Join(cmd.Args, " "), err)
	}
	return &agentError{fmt.Errorf("launch: host %s: %s failed before its agent reported (%w): see what it printed, and try it by hand: %s", r.host, cmd.Args[0], err, strings.Join(cmd.Args, " "))}
}

func (r *remote) begin(ctx context.Context, cmd *exec.Cmd, o order) (reports io.ReadCloser, err error) {
	defer func() {
		if err != nil {
			close(r.begun)
		}
	}()
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if reports, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	r.in = in // before Start, because Cancel uses it
	if r.own, err = pipeTo(&prefixer{to: r.job.Stderr, tag: r.host + ": "}, defaultGrace); err != nil {
		return nil, err
	}
	cmd.Stderr = r.own.pipe
	detach(cmd)
	cmd.Cancel = func() error {
		if s := ending(ctx); s != syscall.SIGTERM {
			if in, ok := in.(interface{ SetWriteDeadline(time.Time) error }); ok {
				_ = in.SetWriteDeadline(time.Now().Add(defaultGrace)) // the agent may not read
			}
			r.send(order{Interrupt: s == syscall.SIGINT, Kill: s == syscall.SIGKILL})
		}
		return in.Close() // makes the agent end its ranks
	}
	cmd.WaitDelay = cmp.Or(r.job.Grace, defaultGrace) + defaultGrace
	err = cmd.Start()
	r.own.begin(err == nil)
	if err != nil {
		return nil, err
	}
	go func() { // ends when in is closed, even if nobody reads the order
		defer close(r.begun)
		r.send(o)
	}()
	return reports, nil
}

// listen processes the agent's reports until the last one. It does not wait for who reads the
// output of the ranks.
func (r *remote) listen(from io.Reader) (failure error, done bool) {
	stdout := newInflow(func(bytes int) { r.send(order{Out: bytes}) })
	stderr := newInflow(func(bytes int) { r.send(order{Err: bytes}) })
	r.stdout = newStream(stdout, &prefixer{to: r.job.Stdout, plain: r.job.PlainOut}, defaultGrace)
	r.stderr = newStream(stderr, &prefixer{to: r.job.Stderr, plain: r.job.PlainErr}, defaultGrace)
	for _, s := range []*stream{r.stdout, r.stderr} {
		defer s.from.Close()
		go func() {
			s.carry()
			if s.err != nil && !unread(s.err) {
				r.record(fmt.Errorf("launch: %w", s.err)) // no more is taken
			}
		}()
	}
	first := &opening{from: from}
	for reports := json.NewDecoder(first); ; {
		var p report
		err := reports.Decode(&p)
		switch {
		case !first.begun && err == nil && p.Version != agentVersion && p.Failed == nil:
			return first.refuse(r.host, errors.New("it is no report")), false
		case !first.begun && err != nil:
			return first.refuse(r.host, err), false
		case err != nil:
			return fmt.Errorf("launch: host %s: reading the reports of its agent: %w", r.host, err), false
		case !first.begun:
			first.begun = true
			close(r.spoke)
		}
		r.reports.Add(1)
		stdout.put(p.Out)
		stderr.put(p.Err)
		if p.Rendezvous != "" {
			select {
			case r.meet <- p.Rendezvous:
			default: // the agent was not asked to choose the rendezvous
			}
		}
		if p.Remembered != nil && r.remembered != nil {
			select {
			case <-r.remembered: // nobody waits for it any more
			default:
			}
			r.remembered <- *p.Remembered
		}
		if p.Failed != nil {
			r.record(r.failure(p.Failed))
		}
		if p.Done {
			return nil, true
		}
	}
}

func (r *remote) failure(f *failed) error {
	if f.Rank < 0 {
		return &hostError{r.host, *f}
	}
	return &ExitError{f.Rank, f.Code, fmt.Errorf("on host %s: %s", r.host, f.Why), f.Because, f.Died, false}
}

// agentError is the failure of the command that reaches a host. It is an os.ErrNotExist, because
// the host, or the command on it, is missing.
type agentError struct{ error }

func (e *agentError) Unwrap() []error { return []error{e.error, os.ErrNotExist} }

// hostError is a failure on a host that no rank has caused.
type hostError struct {
	host   string
	failed failed
}

// Error names the host.
func (e *hostError) Error() string {
	return fmt.Sprintf("launch: host %s: %s", e.host, strings.TrimPrefix(e.failed.Why, "launch: "))
}

// Unwrap returns os.ErrNotExist if a file is missing on the host.
func (e *hostError) Unwrap() error {
	if e.failed.Missing {
		return os.ErrNotExist
	}
	return nil
}
