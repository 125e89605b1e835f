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
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
)

// Host is where ranks may run.
type Host struct {
	Name  string
	Slots int // ranks that have room; 0: its share of all
}

// ParseHosts reads a list as in "a,b:4".
func ParseHosts(list string) ([]Host, error) {
	var all []Host
	for _, s := range strings.Split(list, ",") {
		name, slots, counted := strings.Cut(strings.TrimSpace(s), ":")
		h := Host{Name: name}
		var err error
		if counted {
			h.Slots, err = strconv.Atoi(slots)
		}
		// A name that looks like an option would be one of ssh's.
		if err != nil || counted && h.Slots < 1 || name == "" || name[0] == '-' {
			return nil, fmt.Errorf("launch: hosts %q: want names with commas between, each with :SLOTS or without", list)
		}
		all = append(all, h)
	}
	return all, nil
}

// Hosts is a Job whose ranks are on several hosts. Stdin is nobody's.
type Hosts struct {
	Job
	Hosts []Host // rank 0 is on the first
	// Rsh is the command that runs another one on a host; %h in it stands for the name of
	// the host, which otherwise comes last. Empty: ssh.
	Rsh []string
	// Agent is the command that calls Agent on a host, the same on all.
	Agent []string
	// Insecure says that ranks get no identities, and so encrypt nothing.
	Insecure bool
}

// Check is Job.Check, and says whether the hosts have room for all ranks.
func (j *Hosts) Check() error {
	if err := j.Job.Check(); err != nil {
		return err
	}
	_, err := j.share()
	return err
}

// Run starts all ranks and returns when all have ended, as Job.Run does. What cannot be
// done on a host gives an error that names it; it is an os.ErrNotExist where the program or the
// working directory is not there, or not to be used.
func (j *Hosts) Run(ctx context.Context) error {
	if err := j.Job.Check(); err != nil {
		return err
	}
	shares, err := j.share()
	if err != nil {
		return err
	}
	orders, err := j.orders(shares)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	first := verdict{cancel: cancel}
	meet := make(chan string, 1)
	var one sync.Mutex // of the two writers
	agents := make([]*remote, len(orders))
	for i := range orders {
		agents[i] = &remote{job: j, host: j.Hosts[i].Name, one: &one, meet: meet, begun: make(chan struct{})}
	}
	var all sync.WaitGroup
	for i, a := range agents {
		all.Go(func() { first.note(a.run(ctx, orders[i])) })
	}
	ended := make(chan struct{})
	var conductor sync.WaitGroup
	conductor.Go(func() { j.conduct(agents, meet, ended) })
	all.Wait()
	close(ended)
	conductor.Wait()
	return first.of(ctx)
}

// conduct tells all agents where to meet, and of signals.
func (j *Hosts) conduct(agents []*remote, meet <-chan string, ended <-chan struct{}) {
	tell := func(o order) {
		for _, a := range agents {
			<-a.begun
			a.tell(o)
		}
	}
	for {
		select {
		case where := <-meet:
			tell(order{Rendezvous: where})
		case s := <-j.Signals:
			if number, ok := s.(syscall.Signal); ok {
				tell(order{Signal: int(number)})
			}
		case <-ended:
			return
		}
	}
}

// share is how many ranks each host has.
func (j *Hosts) share() ([]int, error) {
	shares := make([]int, len(j.Hosts))
	left := j.Size
	for i, h := range j.Hosts {
		hosts := len(j.Hosts) - i
		shares[i] = min(left, cmp.Or(h.Slots, (left+hosts-1)/hosts))
		left -= shares[i]
	}
	if left > 0 {
		return nil, fmt.Errorf("launch: the hosts have no room for %d of %d ranks", left, j.Size)
	}
	return shares, nil
}

// orders are what each agent is to start.
func (j *Hosts) orders(shares []int) ([]*start, error) {
	folder, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("launch: %w", err)
	}
	name, err := jobName()
	if err != nil {
		return nil, err
	}
	authority, err := identity.NewAuthority(j.Size)
	if err != nil {
		return nil, fmt.Errorf("launch: %w", err)
	}
	env := j.Env
	if j.Insecure {
		env = append(env[:len(env):len(env)], "FAGUS_INSECURE=1")
	}
	var all []*start
	rank := dimmnet.Rank(0)
	for i, n := range shares {
		if n == 0 {
			break // those after it have none, too
		}
		s := &start{
			Version: agentVersion, Size: j.Size, Job: name, Argv: j.Argv, Folder: folder, Env: env,
			Meet: i == 0 && n < j.Size, Local: n == j.Size, PlainOut: j.PlainOut, PlainErr: j.PlainErr, GraceNS: int64(j.Grace),
		}
		for range n {
			r := recruit{Rank: rank}
			if !j.Insecure && n < j.Size {
				id, err := authority.Issue(rank)
				if err != nil {
					return nil, fmt.Errorf("launch: %w", err)
				}
				r.Identity = id.Encode()
			}
			s.Ranks = append(s.Ranks, r)
			rank++
		}
		all = append(all, s)
	}
	return all, nil
}

// remote is an agent on a host.
type remote struct {
	job   *Hosts
	host  string
	one   *sync.Mutex    // of the job's two writers
	meet  chan<- string  // gets where the ranks meet; has room for it
	begun chan struct{}  // closed when it has its first order, or has failed
	in    io.WriteCloser // nil until then; nil if it has failed
}

// tell gives an order. An agent that is gone is noticed by its end.
func (r *remote) tell(o order) {
	if r.in != nil {
		_ = json.NewEncoder(r.in).Encode(o)
	}
}

// command runs the agent.
func (r *remote) command(ctx context.Context) *exec.Cmd {
	argv := r.job.Rsh
	if len(argv) == 0 {
		// A host that is gone must not be waited for.
		argv = []string{"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2", "%h"}
	}
	var words []string
	named := false
	for _, w := range argv {
		named = named || strings.Contains(w, "%h")
		words = append(words, strings.ReplaceAll(w, "%h", r.host))
	}
	if !named {
		words = append(words, r.host)
	}
	words = append(words, r.job.Agent...)
	return exec.CommandContext(ctx, words[0], words[1:]...)
}

// run runs the agent to its end.
func (r *remote) run(ctx context.Context, s *start) error {
	cmd := r.command(ctx)
	reports, err := r.begin(cmd, s)
	if err != nil {
		return fmt.Errorf("launch: host %s: %w", r.host, err)
	}
	failure, done := r.listen(json.NewDecoder(reports))
	_ = r.in.Close() // which ends the agent, if it has not ended
	err = cmd.Wait()
	if flushed := cmd.Stderr.(*tagged).flush(); failure == nil && flushed != nil {
		failure = fmt.Errorf("launch: output of host %s: %w", r.host, flushed)
	}
	var exit *ExitError
	switch {
	case ctx.Err() != nil: // another one was first
		return nil
	case errors.As(failure, &exit) || done:
		return failure
	case err != nil:
		return fmt.Errorf("launch: host %s: the agent (%s) has failed: %w; %w", r.host, strings.Join(cmd.Args, " "), err, failure)
	}
	return failure
}

// begin starts the agent and gives it its first order.
func (r *remote) begin(cmd *exec.Cmd, s *start) (reports io.Reader, err error) {
	defer close(r.begun)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if reports, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	cmd.Stderr = &tagged{to: r.job.Stderr, tag: r.host + ": ", one: r.one}
	apart(cmd)
	cmd.Cancel = in.Close // ends its ranks
	cmd.WaitDelay = cmp.Or(r.job.Grace, defaultGrace) + defaultGrace
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r.in = in
	r.tell(order{Start: s})
	return reports, nil
}

// listen hears what the agent says, until it is done.
func (r *remote) listen(reports *json.Decoder) (failure error, done bool) {
	for {
		var p report
		if err := reports.Decode(&p); err != nil {
			return fmt.Errorf("launch: host %s: what its agent says cannot be read (does a shell there print something, is fagus there?): %w", r.host, err), false
		}
		if err := r.pass(p); err != nil {
			return err, true
		}
		switch f := p.Failed; {
		case p.Rendezvous != "":
			select {
			case r.meet <- p.Rendezvous:
			default: // it was not asked
			}
		case f != nil && f.Rank >= 0:
			return &ExitError{f.Rank, f.Code, fmt.Errorf("on host %s: %s", r.host, f.Why)}, true
		case f != nil:
			return &hostError{r.host, *f}, true
		case p.Done:
			return nil, true
		}
	}
}

// hostError is what an agent could not do.
type hostError struct {
	host   string
	failed failed
}

// Error names the host.
func (e *hostError) Error() string {
	return fmt.Sprintf("launch: host %s: %s", e.host, strings.TrimPrefix(e.failed.Why, "launch: "))
}

// Unwrap is os.ErrNotExist if that was the matter.
func (e *hostError) Unwrap() error {
	if e.failed.Missing {
		return os.ErrNotExist
	}
	return nil
}

// pass passes on what ranks have written.
func (r *remote) pass(p report) error {
	r.one.Lock()
	defer r.one.Unlock()
	if _, err := r.job.Stdout.Write(p.Out); err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	if _, err := r.job.Stderr.Write(p.Err); err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	return nil
}
