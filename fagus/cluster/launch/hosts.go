package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
)

// Host is a host on which ranks may run.
type Host struct {
	Name  string
	Slots int // maximum number of ranks on the host; 0: an equal share of the ranks
}

// ParseHosts parses a list of hosts such as "a,b:4,[fd77::1]:2".
func ParseHosts(list string) ([]Host, error) {
	var all []Host
	for _, s := range strings.Split(list, ",") {
		s = strings.TrimSpace(s)
		name, slots, counted := strings.Cut(s, ":")
		if address, rest, ok := strings.Cut(s, "]"); ok && strings.HasPrefix(address, "[") {
			name = address[1:] // an IPv6 address
			slots, counted = strings.CutPrefix(rest, ":")
			if !counted && rest != "" {
				name = ""
			}
		}
		h := Host{Name: name}
		var err error
		if counted {
			h.Slots, err = strconv.Atoi(slots)
		}
		// ssh would take a name that starts with - as an option.
		if err != nil || counted && (h.Slots < 1 || h.Slots > maxRanks) || name == "" || name[0] == '-' || strings.ContainsFunc(name, unicode.IsSpace) {
			return nil, fmt.Errorf("launch: hosts %q: want names or [IPv6 addresses] separated by commas, each with an optional :SLOTS, 1 to %d", list, maxRanks)
		}
		all = append(all, h)
	}
	return all, nil
}

// Hosts is a Job whose ranks are on several hosts. Its Stdin is not used. With Spec.Insecure the
// ranks have no identities, so they do not encrypt their data.
type Hosts struct {
	Job
	Hosts []Host // the first runs rank 0
	// Rsh is the command that runs another command on a host. The name of the host replaces %h in
	// it, or is appended if there is no %h. If Rsh is empty, ssh is used.
	Rsh []string
	// Agent is the command that calls the function Agent on a host. It is the same on all hosts.
	Agent []string
	// Answer is how long a host may take until the first report of its agent. 0 means 10 seconds.
	Answer time.Duration
	// Memory, if not empty, keeps checkpoints in the memory of the hosts as long as the job lives.
	// It names the variable in which ranks find the address of a store of package partner.
	Memory string
}

// Check returns the error of Job.Check, or an error if the hosts have too few slots for all ranks.
func (j *Hosts) Check() error {
	if err := j.Job.Check(); err != nil {
		return err
	}
	_, err := j.Shares()
	return err
}

// Run starts all ranks and returns when all have ended, as Job.Run does. A host's error names the
// host. It is an os.ErrNotExist if the program or working directory is missing or forbidden.
func (j *Hosts) Run(ctx context.Context) error {
	if err := j.Check(); err != nil {
		return err
	}
	now := *j // the attempts may have other ranks and hosts
	now.Stdout, now.Stderr = lockedPair(j.Stdout, j.Stderr)
	all := newShared(now)
	defer all.close()
	if j.Memory != "" {
		now.Resumes = func() string {
			if j.Resumes != nil {
				_ = j.Resumes() // it knows nothing of these checkpoints
			}
			return all.resumes()
		}
	}
	once := func(ctx context.Context, attempt int, more bool) error { return now.runOnce(ctx, attempt, more, all) }
	size := j.Size
	return now.attempts(ctx, once, func(other int) (string, bool) {
		size = cmp.Or(other, size)
		return now.without(size, all.lost)
	})
}

// runOnce makes one attempt. It adds the names of hosts that are lost to all.
func (j *Hosts) runOnce(ctx context.Context, attempt int, more bool, all *shared) error {
	shares, err := j.Shares()
	if err != nil {
		return err
	}
	orders, err := j.orders(shares, attempt)
	if err != nil {
		return err
	}
	if err := all.begin(ctx, attempt, j, orders); err != nil {
		return err
	}
	over := ctx.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	first := outcome{cancel: cancel, kill: more}
	for i, o := range orders {
		first.hosts = append(first.hosts, slices.Repeat([]string{j.Hosts[i].Name}, len(o.Ranks))...)
	}
	record := func(err error) {
		if ctx.Err() == nil { // no consequence of the end
			first.record(err)
		}
	}
	meet := make(chan string, 1)
	agents := make([]*remote, len(orders))
	for i := range orders {
		agents[i] = &remote{job: j, attempt: attempt, host: j.Hosts[i].Name, over: over, meet: meet, record: record, begun: make(chan struct{}), spoke: make(chan struct{})}
	}
	forget := all.watch(more, record)
	var running sync.WaitGroup
	for i, a := range agents {
		running.Go(func() { first.record(a.run(ctx, order{Start: orders[i]})) })
	}
	ended := make(chan struct{})
	var relaying sync.WaitGroup
	relaying.Go(func() { j.relay(ctx, agents, orders[0].Local, meet, ended) })
	running.Wait()
	close(ended)
	relaying.Wait()
	for _, a := range agents {
		if a.lost {
			all.lost[a.host] = true
		}
	}
	forget()
	err = first.err(ctx)
	if exit := (*ExitError)(nil); errors.As(err, &exit) && exit.Died && !bySignal(exit.Code) && exit.Rank < len(first.hosts) {
		// The others lost the rank, but its process lived: its host may be cut off from theirs.
		if host := first.hosts[exit.Rank]; slices.ContainsFunc(j.Hosts, func(h Host) bool { return h.Name != host && !all.lost[h.Name] }) {
			all.lost[host] = true
		}
	}
	return err
}

// relay sends the agents their second order, the rendezvous, unless the ranks are local, and then
// signals, until the attempt has ended.
func (j *Hosts) relay(ctx context.Context, agents []*remote, local bool, meet <-chan string, ended <-chan struct{}) {
	send := func(o order) {
		for _, a := range agents {
			<-a.begun
			a.send(o)
		}
	}
	var signals <-chan os.Signal
	if local {
		signals = j.Signals
	}
	for {
		select {
		case where := <-meet:
			// Ranks wait for each other a limited time, which begins when all hosts are reached.
			for _, a := range agents {
				select {
				case <-a.spoke:
				case <-ctx.Done():
				}
			}
			send(order{Rendezvous: where})
			signals = j.Signals
		case s := <-signals:
			if number, ok := s.(syscall.Signal); ok {
				send(order{Signal: int(number)})
			}
			if s == Suspend && j.Suspend != nil {
				j.Suspend()
				send(order{Signal: int(resume)})
			}
		case <-ended:
			return
		}
	}
}

// Shares returns the number of ranks of each host, or an error if the hosts have too few slots. The
// first hosts have the first ranks.
func (j *Hosts) Shares() ([]int, error) {
	shares := make([]int, len(j.Hosts))
	left := j.Size
	for i, h := range j.Hosts {
		hosts := len(j.Hosts) - i
		shares[i] = min(left, cmp.Or(h.Slots, (left+hosts-1)/hosts))
		left -= shares[i]
	}
	if left > 0 {
		return nil, fmt.Errorf("launch: the hosts have no slots for %d of %d ranks: add hosts or slots", left, j.Size)
	}
	return shares, nil
}

// environ returns the variables that an agent adds to its own.
func (j *Hosts) environ() []string { return slices.Concat(j.Env, j.Spec.Environ()) }

func (j *Hosts) orders(shares []int, attempt int) ([]*start, error) {
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
	var all []*start
	rank := dimmnet.Rank(0)
	for i, n := range shares {
		if n == 0 {
			break // the following hosts have no ranks either
		}
		s := &start{
			Version: agentVersion, Size: j.Size, Job: name, Attempt: attempt, Argv: octets(j.Argv), Folder: []byte(folder), Env: octets(j.environ()),
			Meet: i == 0 && n < j.Size, Local: n == j.Size, PlainOut: j.PlainOut, PlainErr: j.PlainErr, ErrOnce: j.ErrOnce, GraceNS: int64(j.Grace), StallNS: int64(j.Spec.Stall), BeatNS: int64(j.beat()),
		}
		for range n {
			r := rankStart{Rank: rank}
			if !j.Spec.Insecure && n < j.Size {
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
