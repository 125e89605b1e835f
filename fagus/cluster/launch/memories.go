package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/fagus/checkpoint/partner"
)

// shared is what the attempts of a job share: memories that keep checkpoints, by an agent on each
// host.
type shared struct {
	lost    map[string]bool // by name of host
	job     Hosts           // as it begins; without Memory nothing is kept
	names   []string        // of the hosts, each once: the index is the number of a host
	all     []*memory       // by number of the host
	running sync.WaitGroup
}

// memory is the agent that keeps checkpoints on a host. Its end is the loss of the host.
type memory struct {
	remote
	over  chan struct{} // closed when it has ended; err is set before
	err   error
	stop  context.CancelFunc
	asked int        // number of the last order
	last  remembered // the answer to this order, or to an earlier one
}

// newShared returns what the attempts of a job share, before the first attempt.
func newShared(job Hosts) *shared {
	s := &shared{lost: make(map[string]bool), job: job}
	for _, h := range job.Hosts {
		if !slices.Contains(s.names, h.Name) {
			s.names = append(s.names, h.Name)
		}
	}
	s.all = make([]*memory, len(s.names))
	return s
}

func (s *shared) close() {
	for _, m := range s.all {
		if m != nil {
			m.stop()
		}
	}
	s.running.Wait()
}

// begin prepares the memories of hosts for an attempt, and adds their addresses to orders. now is
// the job of the attempt. After the first attempt, the error is the loss of a host.
func (s *shared) begin(ctx context.Context, attempt int, now *Hosts, orders []*start) error {
	if s.job.Memory == "" {
		return nil
	}
	var authority *identity.Authority
	if !now.Spec.Insecure {
		var err error
		if authority, err = identity.NewAuthority(len(s.names) + 1); err != nil {
			return fmt.Errorf("launch: %w", err)
		}
	}
	part := s.choose(now, len(orders))
	if err := s.ask(ctx, attempt, part, authority); err != nil {
		return err
	}
	for i, o := range orders {
		own := s.all[slices.Index(s.names, now.Hosts[i].Name)]
		o.Env = append(slices.Clip(o.Env), []byte(s.job.Memory+"="+s.address(own, part)))
		if authority == nil {
			continue
		}
		id, err := authority.Issue(dimmnet.Rank(len(s.names)))
		if err != nil {
			return fmt.Errorf("launch: %w", err)
		}
		for r := range o.Ranks {
			o.Ranks[r].Memory = id.Encode()
		}
	}
	return nil
}

// choose returns the numbers of the hosts whose memory an attempt uses: hosts with ranks, which
// come first; hosts that had ranks before; and a spare host if a single host has ranks.
func (s *shared) choose(now *Hosts, withRanks int) (part []int) {
	for i, h := range now.Hosts {
		number := slices.Index(s.names, h.Name)
		if !slices.Contains(part, number) && (i < withRanks || s.all[number] != nil) {
			part = append(part, number)
		}
	}
	for _, h := range now.Hosts {
		if number := slices.Index(s.names, h.Name); len(part) == 1 && number != part[0] {
			part = append(part, number)
		}
	}
	slices.Sort(part)
	return part
}

// ask orders the memories of hosts to serve an attempt, and starts missing ones.
func (s *shared) ask(ctx context.Context, attempt int, part []int, authority *identity.Authority) error {
	var lost []int
	for number, name := range s.names {
		if s.lost[name] {
			lost = append(lost, number)
		}
	}
	errs := make([]error, len(part))
	var asking sync.WaitGroup
	for i, number := range part {
		o := remember{Version: agentVersion, Host: number, Lost: lost, Serve: true, Env: octets(s.job.environ()), BeatNS: int64(s.job.beat())}
		if authority != nil {
			id, err := authority.Issue(dimmnet.Rank(number))
			if err != nil {
				return fmt.Errorf("launch: %w", err)
			}
			o.Identity = id.Encode()
		}
		m := s.all[number]
		if m != nil {
			m.ask(o)
		} else {
			m = s.start(ctx, attempt, number, o)
		}
		asking.Go(func() { errs[i] = m.answer(ctx, cmp.Or(s.job.Answer, defaultAnswer)+leastStall) })
	}
	asking.Wait()
	for i, number := range part {
		if errs[i] != nil && attempt > 0 && ctx.Err() == nil {
			s.lost[s.names[number]] = true
			errs[i] = &lostError{errs[i]}
		}
	}
	return cmp.Or(errs...)
}

// start starts the memory of a host. It ends when ctx, the job's context, ends.
func (s *shared) start(ctx context.Context, attempt, number int, o remember) *memory {
	ctx, stop := context.WithCancel(ctx)
	m := &memory{over: make(chan struct{}), stop: stop}
	var failure error
	m.remote = remote{
		job: &s.job, attempt: attempt, host: s.names[number], over: ctx.Done(), begun: make(chan struct{}), spoke: make(chan struct{}),
		record: func(err error) { failure = err }, remembered: make(chan remembered, 1),
	}
	s.all[number] = m
	s.running.Go(func() {
		err := m.run(ctx, order{Remember: &o})
		m.err = cmp.Or(failure, err, fmt.Errorf("launch: host %s: the process of its memory has ended", m.host))
		close(m.over)
	})
	return m
}

// ask gives an order after the first.
func (m *memory) ask(o remember) {
	m.asked++
	o.Number = m.asked
	m.send(order{Remember: &o})
}

// answer waits for the answer to the last order.
func (m *memory) answer(ctx context.Context, limit time.Duration) error {
	late := time.After(limit)
	for {
		select {
		case m.last = <-m.remembered:
			if m.last.Number == m.asked {
				return nil
			}
		case <-m.over:
			return m.err
		case <-late:
			return fmt.Errorf("launch: host %s: the process of its memory has not answered in %v", m.host, limit)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// address returns the address of the store for ranks on a host: the hosts after it come first.
func (s *shared) address(own *memory, part []int) string {
	at := slices.IndexFunc(part, func(number int) bool { return s.all[number] == own })
	var others []partner.Place
	for _, number := range slices.Concat(part[at+1:], part[:at]) {
		others = append(others, partner.Place{Host: number, Address: s.all[number].last.Address})
	}
	return partner.Address(string(own.last.Folder), part[at], others)
}

// watch records the end of a memory as the loss of its host, until stop is called, if more attempts
// may follow: the last one needs no checkpoints. stop also ends the memories of lost hosts.
func (s *shared) watch(more bool, record func(error)) (stop func()) {
	done := make(chan struct{})
	var watching sync.WaitGroup
	for _, m := range s.all {
		if m != nil && more && !s.lost[m.host] {
			watching.Go(func() {
				select {
				case <-m.over:
					record(&lostError{m.err})
				case <-done:
				}
			})
		}
	}
	return func() {
		close(done)
		watching.Wait()
		for _, m := range s.all {
			if m == nil {
				continue
			}
			select {
			case <-m.over:
				s.lost[m.host] = true
			default:
			}
			if s.lost[m.host] {
				m.stop()
			}
		}
	}
}

// resumes ends the service for an attempt, and returns where the job resumes, in words.
func (s *shared) resumes() string {
	const enough = 2 * time.Second // the next order ends the service, too
	errs := make([]error, len(s.all))
	var asking sync.WaitGroup
	for i, m := range s.all {
		if m != nil && !s.lost[m.host] {
			m.ask(remember{Version: agentVersion})
			asking.Go(func() { errs[i] = m.answer(context.Background(), enough) })
		}
	}
	asking.Wait()
	newest := uint64(0)
	for i, m := range s.all {
		if m != nil && !s.lost[m.host] && errs[i] == nil {
			newest = max(newest, m.last.Newest)
		}
	}
	return FromCheckpoint(newest, errors.Join(errs...))
}
