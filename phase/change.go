package phase

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// change is a wait of a rank until another one has changed a variable. The rank takes part in the
// phases of the others meanwhile, and wants nothing in them.
type change struct {
	id        syncvar.ID
	since     syncvar.Version // of the variable when the wait began
	eager     bool            // any tenure of another rank ends the wait
	idle      int             // consecutive phases in which nobody got what it wants
	awaited   [1]syncvar.ID
	shared    []syncvar.ID // what the rank wants after the change
	exclusive []syncvar.ID
}

// idlePhases is the number of phases without a grant after which no rank can change anything any
// more. Two would be enough, but where lists travel over a tree, a phase without a grant may move
// a part of the data (agreement/tree).
const idlePhases = 100

// Await says that the rank, which holds a variable, is going to release it unchanged, and then to
// wait for a change of it by AcquireChanged.
func (e *Engine) Await(id syncvar.ID) { e.change.id, e.change.since = id, e.Version(id) }

// AcquireChanged is Acquire after another rank has changed the variable of Await. If eager is set,
// also after a tenure of another rank that may have changed it: whether it has is known one phase
// later. If two ranks were always eager, each would wake the other. It fails if every rank waits.
func (e *Engine) AcquireChanged(shared, exclusive []syncvar.ID, eager bool) error {
	c, l := &e.change, &e.list
	c.shared, c.exclusive, c.eager, c.idle = shared, exclusive, eager, 0
	c.awaited[0] = c.id
	l.Call, l.Word, l.Shared, l.Exclusive, l.Awaits = syncvar.Acquire, 0, nil, nil, c.awaited[:]
	return e.reporting()
}

// await prepares the list for the next phase: the rank still waits, or wants its variables.
func (c *change) await(e *Engine, l *syncvar.List) error {
	l.Since = e.mover.Phase // phases in which ranks wait repeat
	tenure, content := e.agreement.Changed(c.id, c.since)
	if content || tenure && c.eager {
		l.Shared, l.Exclusive, l.Awaits = c.shared, c.exclusive, nil
		return nil
	}
	if c.idle++; slices.Contains(e.outcome.Granted, true) {
		c.idle = 0
	}
	if c.idle < idlePhases {
		return nil
	}
	return fmt.Errorf("phase: waiting for a change of %q, which no rank can make any more: %w: every rank waits or has ended",
		e.mover.Space.Name(c.id), dimmnet.ErrDeadlock)
}
