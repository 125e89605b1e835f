package threaded

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// manager is the rank that grants a variable.
func (e *Engine) manager(id syncvar.ID) dimmnet.Rank { return dimmnet.Rank(int(id) % e.nodes) }

// manage acts on what a rank wants of a variable that this rank manages.
func (e *Engine) manage(from dimmnet.Rank, m message) error {
	if e.manager(m.id) != e.rank {
		return fmt.Errorf("rank %d sent a message about %q, which rank %d manages", from, e.space.Name(m.id), e.manager(m.id))
	}
	q := e.managed[m.id]
	if q == nil {
		q = new(syncvar.Queue)
		e.managed[m.id] = q
	}
	var turns []syncvar.Turn
	var err error
	switch m.op {
	case request:
		turns, err = q.Request(syncvar.Want{Rank: from, Mode: m.mode})
	case release:
		turns, err = q.Release(from, m.flag)
	default:
		// The release of who was the last to write may still be under way from
		// another rank, so a refresh waits in turn like a request.
		turns, err = q.Request(syncvar.Want{Rank: from, Mode: syncvar.Shared, Brief: true})
	}
	if err != nil {
		return fmt.Errorf("rank %d sent a message about %q: %w", from, e.space.Name(m.id), err)
	}
	for _, t := range turns {
		if t.From == t.Rank {
			err = e.queue(t.Rank, message{op: grant, id: m.id, version: t.Version}, nil)
		} else {
			err = e.queue(t.From, message{op: serve, id: m.id, rank: t.Rank, version: t.Version, since: t.Since}, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// arrived counts at rank 0 who waits for all. When all are here, they may leave.
func (e *Engine) arrived(from dimmnet.Rank, m message) error {
	if e.rank != 0 || e.meeting[from].op != 0 {
		return fmt.Errorf("rank %d sent that it waits in %v, which is not due", from, m.call)
	}
	e.meeting[from] = m
	here := 0
	for r, other := range e.meeting {
		if other.op == 0 {
			continue
		}
		here++
		first, second := dimmnet.Rank(r), from
		a, b := other.call, m.call
		if second < first {
			first, second, a, b = second, first, b, a
		}
		if err := syncvar.CheckMeeting(first, a, second, b); err != nil {
			return err
		}
	}
	if here < e.nodes {
		return nil
	}
	if err := e.checkDeclarations(m.call); err != nil {
		return err
	}
	clear(e.meeting)
	for r := range dimmnet.Rank(e.nodes) {
		if err := e.queue(r, message{op: leave, call: m.call}, nil); err != nil {
			return err
		}
	}
	return nil
}

// checkDeclarations compares what all ranks have declared when they meet.
func (e *Engine) checkDeclarations(call syncvar.Call) error {
	for r := dimmnet.Rank(1); int(r) < e.nodes; r++ {
		m := &e.meeting[r]
		if int(m.declared) <= e.space.Declared() {
			if err := e.space.CheckSame(0, r, e.agreed[r], m.declared, m.digest); err != nil {
				return err
			}
			e.agreed[r] = m.declared
		}
		if call != syncvar.End {
			if err := e.space.CheckCount(0, r, m.declared); err != nil {
				return err
			}
		}
	}
	return nil
}

// left learns that all ranks are in the same call.
func (e *Engine) left(from dimmnet.Rank, m message) error {
	if from != 0 || m.call != e.waits {
		return fmt.Errorf("rank %d sent that all wait in %v, while this rank waits in %v", from, m.call, e.waits)
	}
	e.waits = 0
	if m.call == syncvar.End {
		e.ended = true
		e.wake(send)
		e.wake(process)
	}
	e.wake(user)
	return nil
}
