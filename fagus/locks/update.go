package locks

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/syncvar"
)

// After an Update a rank may read the refreshed data until its next call. With one copy, no other
// rank may write these data before. So the first exclusive Acquire after an Update waits until all
// ranks have made a call since. Ranks with copies of their own count as having made that call once
// they have copied what is new (fetchAll).

// called records that the rank makes a call, so that its data may change.
func (e *Engine) called() error {
	if !e.open {
		return nil
	}
	e.open = false
	e.own.calls.Store(e.updates)
	delay.Here()
	if e.common.watchers.Load() == 0 {
		return nil
	}
	for r := range e.entries {
		if dimmnet.Rank(r) == e.rank {
			continue
		}
		if err := e.poster.post(dimmnet.Rank(r)); err != nil {
			return err
		}
	}
	return nil
}

// awaitCalls returns when all ranks have made a call after the last Update.
func (e *Engine) awaitCalls() error {
	c := &e.caller
	c.next, c.asleep = 0, false
	if !c.poll() {
		e.observer.On(syncvar.Event{Kind: syncvar.Waiting})
		err := dimmnet.DriveSoon(c, c, c.done, e.spins)
		if c.asleep {
			e.common.watchers.Add(-1)
			e.record(waiting{})
		}
		if err != nil {
			e.record(waiting{calls: e.updates})
			return fmt.Errorf("locks: waiting for the first call after an Update of ranks %v: %w", e.silent(e.updates), err)
		}
		e.observer.On(syncvar.Event{Kind: syncvar.Met, Latest: syncvar.Latest{Rank: c.last, Known: true}})
	}
	e.settled = e.updates
	return nil
}

// silent returns the ranks that have made no call after so many Updates.
func (e *Engine) silent(updates uint64) (ranks []dimmnet.Rank) {
	for r, at := range e.entries {
		if at.calls.Load() < updates {
			ranks = append(ranks, dimmnet.Rank(r))
		}
	}
	return ranks
}

// caller is a Stepper that waits until all ranks have made a call after the last Update, and also
// the port that Drive uses for that. No wake-up is lost: the waiter counts itself and then polls,
// and a rank that makes a call records it and then reads how many ranks wait.
type caller struct {
	dimmnet.Port
	e      *Engine
	next   int          // the ranks below next have made a call
	last   dimmnet.Rank // the last rank for which this rank waited
	asleep bool         // the rank is one of common.watchers
}

func (c *caller) done() bool { return c.next == len(c.e.entries) }

// Step polls.
func (c *caller) Step() (progress bool, err error) {
	before := c.next
	return c.poll() || c.next > before, nil
}

func (c *caller) poll() bool {
	for !c.done() {
		if c.e.entries[c.next].calls.Load() < c.e.updates {
			c.last = dimmnet.Rank(c.next)
			return false
		}
		c.next++
	}
	return true
}

// Idle announces that the rank may sleep before it calls Idle of the port.
func (c *caller) Idle(since dimmnet.Mark) {
	if since == dimmnet.Awake || c.asleep {
		c.Port.Idle(since)
		return
	}
	delay.Here()
	c.e.common.watchers.Add(1)
	delay.Here()
	c.asleep = true
	c.e.record(waiting{calls: c.e.updates})
}
