package fagus

import (
	"context"
	"log/slog"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// An event is something that a call of a rank does. The clock, the waits and the roll-call are told
// by Node.enter and Node.leave themselves: a call may cost little more than they do.
type event struct {
	kind eventKind
	call rollcall.Call
	set  *SyncSet     // of a tenure; else nil
	ids  []syncvar.ID // the variables that the event is about, if set does not name them
}

type eventKind uint8

// The kinds of events, in the order in which a rank has them.
const (
	eventBound     eventKind = iota // Bind has made ids[0]
	eventCalled                     // a call that may wait begins
	eventEntered                    // so does one in which all ranks meet: it follows eventCalled
	eventMet                        // all ranks have made the call
	eventGranted                    // set is granted, and its data are current
	eventAcquired                   // the program may access the data of set
	eventReleasing                  // it may no longer: what it has written is final
	eventReleased                   // ids are the variables that it has changed
	eventRebinding                  // ids are about to get other ranges
	eventRebound                    // they have them; no data have moved
	eventMoved                      // the data have moved, too
	eventReturned                   // the call has succeeded
	eventKinds
)

// An observer is told of the events of one rank, by the goroutine of the rank. A new one needs a
// line in newNode.
type observer interface {
	// kinds returns the kinds of events that the observer wants.
	kinds() []eventKind
	// on is told of an event, which is valid until it returns. The call fails with the error.
	on(e *event) error
}

// observers are the observers of a rank, by kind of event.
type observers [eventKinds][]observer

func (os *observers) add(o observer) {
	for _, k := range o.kinds() {
		os[k] = append(os[k], o)
	}
}

// tell tells the observers of an event. The caller adds to an error which call has failed.
func (n *Node) tell(kind eventKind, call rollcall.Call, set *SyncSet, ids []syncvar.ID) error {
	if n.observers[kind] == nil {
		return nil
	}
	return n.tellAll(kind, call, set, ids) // so that the compiler inlines tell
}

func (n *Node) tellAll(kind eventKind, call rollcall.Call, set *SyncSet, ids []syncvar.ID) error {
	n.event = event{kind, call, set, ids}
	for _, o := range n.observers[kind] {
		if err := o.on(&n.event); err != nil {
			return err
		}
	}
	return nil
}

// callLog writes a debug record of each call.
type callLog struct {
	node *Node
	log  *slog.Logger
}

// newCallLog returns nil if log takes no debug records: to build one costs more than a phase.
func newCallLog(ctx context.Context, n *Node, log *slog.Logger) *callLog {
	if !log.Enabled(ctx, slog.LevelDebug) {
		return nil
	}
	return &callLog{n, log}
}

func (l *callLog) kinds() []eventKind { return []eventKind{eventReturned} }

func (l *callLog) on(e *event) error {
	n := l.node
	message, attrs := "collective call", []any{"rank", n.rank, "call", e.call.String()}
	if e.call == rollcall.Release || e.call == rollcall.Acquire && n.mode != Phase {
		message = "call"
	}
	if e.set != nil {
		attrs = append(attrs, "set", e.set.String())
	}
	if n.mode == Phase {
		var s Stats
		n.engine.counts(&s)
		attrs = append(attrs, "phases", s.Phases)
	}
	l.log.Debug(message, append(attrs, "now", n.host.Now().String())...)
	return nil
}
