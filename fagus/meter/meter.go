package meter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// Meter counts what the ranks of this process do. Any goroutine may use it.
type Meter struct {
	mu    sync.Mutex
	run   Run
	ranks map[int]*Rank // of this process, which have begun

	address string // of ServedAt

	profiled atomic.Bool
}

// Run is a run that a Meter watches.
type Run struct {
	Nodes   int
	Mode    string
	Virtual bool
	// Board has the monitors of the ranks. Of ranks in other processes it knows nothing.
	Board *rollcall.Board
	// Ask returns the states of ranks in other processes, as far as they answer before ctx is done.
	// It is nil if all ranks run in this process, or if ranks cannot ask.
	Ask func(ctx context.Context) []State

	ended bool
}

// State is what one rank does, and has done.
type State struct {
	Rank   int            `json:"rank"`
	Does   rollcall.Entry `json:"does"`
	Counts Counts         `json:"counts"`
	// Address is where the rank's process serves this, if it does.
	Address string `json:"address,omitempty"`
	// Links are what the connections of a rank of this process have carried.
	Links []dimmnet.Link `json:"links,omitempty"`
}

// New returns a Meter that watches no run yet.
func New() *Meter { return &Meter{} }

// Begin forgets the run before, and begins one. The returned function ends it.
func (m *Meter) Begin(run Run) (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.run, m.ranks = run, make(map[int]*Rank)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.run.ended, m.run.Ask = true, nil
	}
}

// Rank returns the counters of a rank of this process, which begins. links returns what its
// connections have carried; it may be nil.
func (m *Meter) Rank(rank int, links func() []dimmnet.Link) *Rank {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := &Rank{links: links}
	m.ranks[rank] = r
	return r
}

// Ranks returns the run, and the states of the ranks of this process, without source lines: the
// cheapest answer.
func (m *Meter) Ranks() (Run, []State) {
	run, ranks := m.now()
	if run.Board == nil {
		return run, nil
	}
	return run, m.states(run.Board.Brief(), ranks)
}

// Job returns the run, and the states of all ranks, as far as other processes answer before ctx is
// done.
func (m *Meter) Job(ctx context.Context) (Run, []State) {
	run, ranks := m.now()
	if run.Board == nil {
		return run, nil
	}
	all := m.states(run.Board.Roll(), ranks)
	if run.Ask != nil {
		all = append(all, run.Ask(ctx)...)
		slices.SortFunc(all, func(a, b State) int { return cmp.Compare(a.Rank, b.Rank) })
	}
	return run, all
}

// Counts returns what a rank of this process has done; nil if it has not begun.
func (m *Meter) Counts(rank int) *Counts {
	_, ranks := m.now()
	if ranks[rank] == nil {
		return nil
	}
	c := ranks[rank].Counts()
	return &c
}

func (m *Meter) now() (Run, map[int]*Rank) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.run, maps.Clone(m.ranks)
}

func (m *Meter) states(roll rollcall.Roll, ranks map[int]*Rank) (all []State) {
	at := m.Address()
	for r, does := range roll.Ranks {
		if of := ranks[r]; of != nil {
			s := State{Rank: r, Does: does, Counts: of.Counts(), Address: at}
			if of.links != nil {
				s.Links = of.links()
			}
			all = append(all, s)
		}
	}
	return all
}

// ServedAt says where this process serves what m counts. Ranks in other processes learn it.
func (m *Meter) ServedAt(address string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.address = address
}

// Address returns what the last ServedAt has said.
func (m *Meter) Address() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.address
}

// Healthy returns an error if the run has failed at a rank of this process.
func (m *Meter) Healthy() error {
	_, ranks := m.Ranks()
	for _, r := range ranks {
		switch {
		case r.Does.Failed != "":
			return fmt.Errorf("rank %d has failed: %s", r.Rank, r.Does.Failed)
		case r.Counts.Failed:
			return fmt.Errorf("a call of rank %d has failed", r.Rank)
		}
	}
	return nil
}

// ErrEarly is the error of Ready before a run. Package metrics answers with it as text.
var ErrEarly = errors.New("the ranks have not met")

// Ready returns nil while the programs of all ranks of this process run.
func (m *Meter) Ready() error {
	run, ranks := m.Ranks()
	switch {
	case run.Board == nil:
		return ErrEarly
	case run.ended:
		return errors.New("the run has ended")
	case len(ranks) < run.Board.Here():
		return fmt.Errorf("%d of %d ranks have begun", len(ranks), run.Board.Here())
	}
	for _, r := range ranks {
		if r.Does.Returned {
			return fmt.Errorf("rank %d has returned", r.Rank)
		}
	}
	return m.Healthy()
}

// Profile says whether this process is being profiled: then ranks label their goroutines with the
// call that they are in, "call", and with the set that they want or hold, "set".
func (m *Meter) Profile(on bool) { m.profiled.Store(on) }

// Profiled reports what the last Profile has said.
func (m *Meter) Profiled() bool { return m.profiled.Load() }
