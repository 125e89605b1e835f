package fagus

import (
	"fmt"
	"runtime/debug"

	"github.com/fagus-dsm/fagus/consistency/order"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/guard"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Check is the level of access checking: how strictly a run verifies the program's
// accesses to its arrays. See docs/guide/check.md.
type Check uint8

// The levels of access checking.
const (
	// CheckOff checks nothing, and costs nothing.
	CheckOff Check = iota
	// CheckOn ends the run at the first read of an element whose variable the rank does not hold,
	// or write to an element whose variable the rank does not hold exclusively. The rank may also
	// read elements that Update has refreshed, until it next acquires their variable.
	CheckOn
	// CheckStrict is like CheckOn, but the rank may read elements that Update has refreshed only
	// until its next Acquire of any set.
	CheckStrict
)

// String returns the level as command-line flags spell it: "off", "on" or "strict".
func (c Check) String() string { return nameOf(c, "check", "off", "on", "strict") }

func (c Check) validate() error {
	if c > CheckStrict {
		return fmt.Errorf("fagus: Config.Check is %d: want %v, %v or %v", c, CheckOff, CheckOn, CheckStrict)
	}
	if c == CheckOff {
		return nil
	}
	if err := guard.Supported(); err != nil {
		return fmt.Errorf("fagus: Config.Check: %w", err)
	}
	return nil
}

// Advice suggests how a program could communicate less; see Report.Advice.
type Advice = guard.Advice

// Coverage says of how many variables Config.Check may have missed wrong reads; see
// Report.Coverage.
type Coverage = guard.Coverage

// add adds the statistics of all ranks, and what access checking has found out if it was on.
func (r *Report) add(all []result, level Check) {
	tallies := make([][]guard.Tally, len(all))
	for i := range all {
		r.Ranks = append(r.Ranks, all[i].Stats)
		tallies[i] = all[i].Tallies
	}
	if level != CheckOff {
		coverage := guard.Cover(tallies)
		r.Advice, r.Coverage = guard.Advise(tallies), &coverage
	}
}

// Checks reports whether Config.Check is on. A library may let a rank access data without holding
// them if it knows that no other rank uses them. If Checks returns true it must hold them.
func (n *Node) Checks() bool { return n.guard != nil }

func newGuard(n *Node, c Check) *guard.Guard {
	version := func(id syncvar.ID) syncvar.Version { return n.engine.Version(id) }
	return guard.New(n.space, c == CheckStrict, n.nodes, version)
}

// checker tells the guard and the recorder of the order of a rank what it does.
type checker struct{ *Node }

func (checker) kinds() []eventKind {
	return []eventKind{eventBound, eventMet, eventGranted, eventAcquired, eventReleased, eventRebinding, eventMoved}
}

func (c checker) on(e *event) error {
	switch e.kind {
	case eventBound:
		c.guard.Bound(e.ids[0])
	case eventMet:
		if c.order.Met(); e.call == rollcall.Update {
			return c.guard.Updated()
		}
	case eventGranted:
		for i := range e.set.tenures {
			e.set.tenures[i].Version = c.engine.Version(e.set.tenures[i].Var)
		}
		c.order.Acquired(source.Here(), e.set.tenures)
	case eventAcquired:
		if !e.set.moves {
			return c.guard.Acquired(guard.Tenure{Shared: e.set.shared, Exclusive: e.set.exclusive, Declared: e.set.allowed})
		}
		c.guard.Moved(e.set.shared)
		c.guard.Moved(e.set.exclusive)
	case eventReleased:
		if c.order.Released(e.ids); !e.set.moves {
			return c.guard.Released(e.ids)
		}
	case eventRebinding:
		return c.guard.Rebinding(e.ids)
	case eventMoved:
		c.guard.Rebound(e.ids)
	}
	return nil
}

// checkOrder returns an error if nothing but the order of phases separates two tenures.
func checkOrder(all []result) error {
	logs := make([]order.Log, len(all))
	for r := range all {
		logs[r] = all[r].Order
		if err := logs[r].Validate(len(all[r].Tallies)); err != nil {
			return fmt.Errorf("fagus: rank %d: %w", r, err)
		}
	}
	race := order.Find(logs)
	if race == nil {
		return nil
	}
	return fmt.Errorf("fagus: %s", race.Text(all[race.Ranks[0]].Tallies[race.Var].Name))
}

// mapArray maps the memory of an array with the given number of bytes. If this rank reads directly
// from the arrays of other ranks, all holds the memory of every rank, by rank; otherwise it is
// nil.
func (n *Node) mapArray(bytes int) (m guard.Memory, all [][]byte, err error) {
	var mem []byte
	switch {
	case n.guard != nil && n.views:
		if all, err = n.host.(dimmnet.Viewer).View(bytes); err != nil {
			return m, nil, err
		}
		m, err = n.guard.View(all[n.rank])
		return m, all, err
	case n.guard != nil:
		m, err = n.guard.Map(bytes)
		return m, nil, err
	case n.space.IsOneCopy():
		mem, err = n.host.(dimmnet.Sharer).Share(bytes)
	case n.views:
		if all, err = n.host.(dimmnet.Viewer).View(bytes); err == nil {
			mem = all[n.rank]
		}
	default:
		if mem, err = mapMemory(bytes); err == nil {
			n.memory = append(n.memory, mem)
		}
	}
	return guard.Memory{Own: mem, View: mem}, all, err
}

// run calls program, and turns accesses that the guard forbids into errors.
func (n *Node) run(program func(*Node) error) (err error) {
	if n.guard != nil {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	}
	if n.replays && n.guard == nil {
		err = program(n) // a debugger shall see where it panics
		n.status.returned = true
		return err
	}
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if text, ok := v.(forbidden); ok {
			err = n.errorf("%s", string(text))
			return
		}
		if fault, ok := v.(interface{ Addr() uintptr }); ok && n.guard != nil {
			if text, ok := n.guard.Fault(fault.Addr()); ok {
				err = n.errorf("%s", text)
				return
			}
		}
		if n.status.err != nil {
			// The program has used an array, say, that an earlier call failed to make.
			err = fmt.Errorf("%w; the program went on, and panicked at %s: %v", n.status.err, source.Here(), v)
			return
		}
		p := at{source.Here(), v} // the stack still has the frames that caused the panic
		failure := n.problem("panic at %w", p)
		n.monitor.Return(failure, n.follows(n.status.ctx, p))
		_ = n.events.tellAll(event{kind: eventFailed, err: failure}) // the run has failed already
		panic(p)
	}()
	err = program(n)
	n.status.returned = true
	return err
}

// at is a panic of the program, and the line where it happened.
type at struct {
	line  string
	value any
}

func (p at) Error() string { return fmt.Sprintf("%s: %v", p.line, p.value) }

// Unwrap returns the error with which the program panicked, or nil.
func (p at) Unwrap() error {
	err, _ := p.value.(error)
	return err
}
