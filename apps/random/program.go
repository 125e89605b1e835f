package random

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// Config describes a run.
type Config struct {
	// Seed determines the program.
	Seed uint64
	// Rounds is the number of rounds, from 1 to 65535.
	Rounds int
	// Cycle, if not 0, makes the rounds recur: each repeats the round that was so many rounds
	// before, with other bytes. Depending on the seed, a rank deviates now and then, or never.
	Cycle int
	// Clock orders the tenures. Ranks of one process share one.
	Clock *Clock
	// Progress, if not nil, is called at every rank with 1 after each of its rounds.
	Progress func(rounds int)
}

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	if c.Rounds < 1 || c.Rounds > mostRounds {
		return fmt.Errorf("random: %d rounds: want 1 to %d", c.Rounds, mostRounds)
	}
	if c.Cycle < 0 || c.Cycle > mostRounds {
		return fmt.Errorf("random: a cycle of %d rounds: want 0 to %d", c.Cycle, mostRounds)
	}
	if c.Clock == nil {
		return fmt.Errorf("random: Config.Clock is nil: want one clock for all ranks of this process")
	}
	return nil
}

const mostRounds = 1<<16 - 1

// Clock tells the wall-clock time, and never the same time twice.
type Clock struct {
	mu   sync.Mutex
	last int64
}

func (c *Clock) now() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = max(c.last+1, time.Now().UnixNano())
	return c.last
}

// Result is the outcome at one rank.
type Result struct {
	// Time is the duration of this rank's rounds.
	Time fagus.Time
	// Wrong has a line for each contradiction with the model. Only rank 0 has it.
	Wrong []string
	// Checked is the number of contents compared with the model. Only rank 0 has it.
	Checked int
}

// state is the program at one rank.
type state struct {
	Config
	plan   *plan
	node   *fagus.Node
	arrays []*fagus.Array[byte] // nil: not yet declared
	guards []*fagus.SyncVar     // by variable
	seen   []bool               // by variable: the rank has acquired it
	// unknown is set for variables that an Update brought, until the log has them.
	unknown []bool
	log     []entry
}

func newState(n *fagus.Node, cfg Config) *state {
	p := newPlan(cfg.Seed, cfg.Rounds, cfg.Cycle)
	return &state{
		Config: cfg, plan: p, node: n,
		arrays: make([]*fagus.Array[byte], len(p.arrays)), guards: make([]*fagus.SyncVar, len(p.variables)), seen: make([]bool, len(p.variables)), unknown: make([]bool, len(p.variables)),
	}
}

// Run performs the rounds and checks them. Every rank calls it with the same Seed and Rounds.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	s := newState(n, cfg)
	begun := s.Clock.now()
	for round := range cfg.Rounds {
		if err := s.round(round); err != nil {
			return Result{}, err
		}
		if cfg.Progress != nil {
			cfg.Progress(1)
		}
	}
	if err := s.last(); err != nil {
		return Result{}, err
	}
	r := Result{Time: fagus.Time(s.Clock.now()-begun) * fagus.Nanosecond}
	logs, err := s.gather()
	if err != nil || n.Rank() != 0 {
		return r, err
	}
	r.Checked, r.Wrong = check(s.plan, logs)
	return r, nil
}

func (s *state) round(round int) error {
	if err := s.declare(round); err != nil {
		return err
	}
	for i, t := range s.plan.tenures(s.node.Rank(), round) {
		if err := s.tenure(&t, place{round, i}); err != nil {
			return err
		}
	}
	switch s.plan.ends[round] {
	case update:
		if err := s.node.Update(); err != nil {
			return err
		}
		readable := s.node.Mode() == fagus.Phase || s.private()
		for v, seen := range s.seen {
			if seen && readable {
				s.record(updated, v, place{round: round})
			}
			// In Threaded mode another rank may write to a copy that all ranks share.
			s.unknown[v] = seen && !readable
		}
	case barrier:
		return s.node.Barrier()
	case fence:
		return s.node.Fence()
	case reduce:
		return s.reduce(round)
	}
	return nil
}

// declare makes the arrays and variables that the plan declares before a round.
func (s *state) declare(round int) error {
	for v := range s.plan.variables {
		of := &s.plan.variables[v]
		if of.declared != round {
			continue
		}
		a := s.arrays[of.array]
		if a == nil {
			var err error
			if a, err = fagus.NewArray[byte](s.node, fmt.Sprintf("a%d", of.array), s.plan.arrays[of.array]); err != nil {
				return err
			}
			s.arrays[of.array] = a
		}
		guard, err := s.node.Bind(fmt.Sprintf("v%d", v), a.Range(of.from, of.from+of.size))
		if err != nil {
			return err
		}
		s.guards[v] = guard
	}
	return nil
}

func (s *state) content(v int) []byte {
	of := &s.plan.variables[v]
	return s.arrays[of.array].Slice()[of.from : of.from+of.size]
}

func (s *state) tenure(t *tenure, at place) error {
	if len(t.look) > 0 && s.private() {
		for _, v := range t.look {
			if !s.unknown[v] {
				s.record(looked, v, at)
			}
		}
	}
	set := s.node.Set(s.requests(t)...)
	if err := s.node.Acquire(set); err != nil {
		return err
	}
	for _, w := range t.wants {
		s.seen[w.variable], s.unknown[w.variable] = true, false
		began, _ := ends(w.exclusive)
		s.record(began, w.variable, at)
	}
	s.work(t.work / 2)
	for i := range t.wants {
		if err := s.write(&t.wants[i]); err != nil {
			return err
		}
	}
	s.work(t.work - t.work/2)
	for _, w := range t.wants {
		_, ended := ends(w.exclusive)
		s.record(ended, w.variable, at)
	}
	return s.node.Release(set)
}

// work computes for d, in the time of a simulated machine and in real time.
func (s *state) work(d fagus.Time) {
	s.node.Spend(d)
	for end := time.Now().Add(time.Duration(d / fagus.Nanosecond)); time.Now().Before(end); {
		continue
	}
}

func (s *state) requests(t *tenure) (all []fagus.Request) {
	for _, w := range t.wants {
		r := fagus.Want(s.guards[w.variable], fagus.Shared).Unordered()
		if w.exclusive {
			r = fagus.Want(s.guards[w.variable], fagus.Exclusive).Unordered()
		}
		switch {
		case !w.exclusive:
		case w.tells == declared:
			var ranges []fagus.Range
			for _, x := range w.writes {
				ranges = append(ranges, s.bytes(w.variable, x.from, x.to))
			}
			r = r.Writing(ranges...)
		case w.tells == reported:
			r = r.Reporting()
		}
		all = append(all, r)
	}
	return all
}

// bytes returns the bytes from to to-1 of a variable.
func (s *state) bytes(v, from, to int) fagus.Range {
	of := &s.plan.variables[v]
	return s.arrays[of.array].Range(of.from+from, of.from+to)
}

func (s *state) write(w *want) error {
	content := s.content(w.variable)
	for _, x := range w.writes {
		old := append([]byte(nil), content[x.from:x.to]...)
		x.scribble(content)
		if x.back {
			copy(content[x.from:x.to], old)
		}
		if w.tells != reported {
			continue
		}
		// In two parts. The second one lies partly, and the last one wholly, in earlier ones.
		mid := (x.from + x.to) / 2
		parts := []fagus.Range{s.bytes(w.variable, mid, x.to), s.bytes(w.variable, x.from, min(mid+1, x.to)), s.bytes(w.variable, mid, mid+1)}
		if err := s.node.Wrote(parts...); err != nil {
			return err
		}
	}
	return nil
}

// reduce ends a round with a Reduce.
func (s *state) reduce(round int) error {
	got, want, err := verify.Reduction(s.node, round)
	if err == nil && got != want {
		err = fmt.Errorf("random: wrong reduce: rank %d in round %d gets %d: want %d", s.node.Rank(), round, got, want)
	}
	return err
}

// last acquires all variables, after all writes.
func (s *state) last() error {
	if err := s.node.Barrier(); err != nil {
		return err
	}
	var all tenure
	for v := range s.plan.variables {
		all.wants = append(all.wants, want{variable: v})
	}
	return s.tenure(&all, place{round: s.Rounds})
}

// gather returns the logs of all ranks at rank 0. The logs are shared arrays themselves.
func (s *state) gather() ([][]entry, error) {
	n := s.node
	own := encode(s.log)
	most, err := fagus.Reduce(n, len(own), func(a, b int) int { return max(a, b) })
	if err != nil {
		return nil, err
	}
	a, err := fagus.NewArray[byte](n, "logs", n.Nodes()*most)
	if err != nil {
		return nil, err
	}
	var all []fagus.Request
	guards := make([]*fagus.SyncVar, n.Nodes())
	for rank := range guards {
		if guards[rank], err = n.Bind(fmt.Sprintf("log%d", rank), a.Range(rank*most, (rank+1)*most)); err != nil {
			return nil, err
		}
		all = append(all, fagus.Want(guards[rank], fagus.Shared))
	}
	err = n.During(n.Set(fagus.Want(guards[n.Rank()], fagus.Exclusive)), func() error {
		copy(a.Slice()[n.Rank()*most:], own)
		return nil
	})
	if err == nil {
		err = n.Barrier()
	}
	if err != nil || n.Rank() != 0 {
		return nil, err
	}
	logs := make([][]entry, n.Nodes())
	return logs, n.During(n.Set(all...), func() error {
		for rank := range logs {
			if logs[rank], err = decode(a.Slice()[rank*most : (rank+1)*most]); err != nil {
				return fmt.Errorf("random: wrong log of rank %d: %w", rank, err)
			}
		}
		return nil
	})
}

// sum returns a hash of a content.
func sum(content []byte) uint64 {
	h := fnv.New64a()
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(content))))
	h.Write(content)
	return h.Sum64()
}
