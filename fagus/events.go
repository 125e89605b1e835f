package fagus

import (
	"context"
	"log/slog"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// An event is something that a call of a rank does. Node.enter and Node.leave tell the clock, the
// waits and the roll-call themselves: a call may cost little more than they do.
type event struct {
	kind   eventKind
	call   rollcall.Call // unset in events of the engine
	set    *SyncSet      // of a tenure; else nil
	ids    []syncvar.ID  // the variables that the event is about, if set does not name them
	engine syncvar.Event // of an event of the engine
	wait   wait          // of eventWaited
	number uint64        // of a checkpoint
	err    error         // of eventFailed, and of eventSaved if the checkpoint is not made
}

type eventKind uint8

// The kinds of events, in the order in which a rank has them.
const (
	eventBound     eventKind = iota // Bind has made ids[0]
	eventCalled                     // a call that may wait begins
	eventEntered                    // so does one in which all ranks meet: it follows eventCalled
	eventWaiting                    // the rank is going to wait for others
	eventWaited                     // it has waited for another rank
	eventMet                        // all ranks have made the call
	eventGranted                    // set is granted, and its data are current
	eventAcquired                   // the program may access the data of set
	eventReleasing                  // it may no longer: what it has written is final
	eventReleased                   // ids are the variables that it has changed
	eventRebinding                  // ids are about to get other ranges
	eventRebound                    // they have them; no data have moved
	eventMoved                      // the data have moved, too
	eventReturned                   // the call has succeeded
	eventSaved                      // a checkpoint was made, or not
	eventResumed                    // the run goes on from a checkpoint
	eventFailed                     // a call has failed, the first one of the rank

	eventEngine // eventOf the first kind of the engine's events
	eventKinds  = eventEngine + eventKind(syncvar.EventKinds)
)

// eventOf returns the kind of an event of the engine.
func eventOf(k syncvar.EventKind) eventKind { return eventEngine + eventKind(k) }

// An observer is told of the events of one rank, by the goroutine of the rank. A new one needs a
// line in Node.observe.
type observer interface {
	// kinds returns the kinds of events that the observer wants.
	kinds() []eventKind
	// on is told of an event, which is valid until it returns. The call fails with the error; after
	// an event of the engine, the next one does.
	on(e *event) error
}

// events tells the observers of a rank what happens.
type events struct {
	observers [eventKinds][]observer
	event     event // that the observers are being told of
}

func (es *events) add(o observer) {
	for _, k := range o.kinds() {
		es.observers[k] = append(es.observers[k], o)
	}
}

// wanted reports whether any observer wants the events of a kind.
func (es *events) wanted(k eventKind) bool { return es.observers[k] != nil }

// tell tells the observers of an event. The caller adds to an error which call has failed.
func (es *events) tell(kind eventKind, call rollcall.Call, set *SyncSet, ids []syncvar.ID) error {
	if es.observers[kind] == nil { // by wanted it would be too long to be inlined
		return nil
	}
	// A call, so that the compiler inlines tell.
	return es.tellAll(event{kind: kind, call: call, set: set, ids: ids})
}

func (es *events) tellAll(e event) error {
	es.event = e
	for _, o := range es.observers[e.kind] {
		if err := o.on(&es.event); err != nil {
			return err
		}
	}
	return nil
}

// engineEvents takes the events of the rank's engine.
type engineEvents struct{ *Node }

// Wants reports whether anybody has use for the events of a kind.
func (n engineEvents) Wants(k syncvar.EventKind) bool { return n.events.wanted(eventOf(k)) }

// Entered tells the waits, and the observers.
func (n engineEvents) Entered() {
	n.waits.entered()
	if n.events.wanted(eventWaiting) {
		n.emit(event{kind: eventWaiting})
	}
}

// On tells the waits, and the observers.
func (n engineEvents) On(e syncvar.Event) {
	n.waits.on(e)
	if n.events.wanted(eventOf(e.Kind)) {
		n.emit(event{kind: eventOf(e.Kind), engine: e})
	}
}

// emit is tellAll within a call of the engine.
func (n engineEvents) emit(e event) {
	if err := n.events.tellAll(e); err != nil {
		_ = n.stick(err)
	}
}

// callLog writes a debug record of each call, checkpoint and failure.
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

func (l *callLog) kinds() []eventKind {
	return []eventKind{eventReturned, eventSaved, eventResumed, eventFailed}
}

func (l *callLog) on(e *event) error {
	n := l.node
	switch e.kind {
	case eventSaved:
		l.log.Debug("checkpoint", "rank", n.rank, "number", e.number, "err", e.err)
		return nil
	case eventResumed:
		l.log.Debug("resumed", "rank", n.rank, "number", e.number)
		return nil
	case eventFailed:
		l.log.Debug("failed", "rank", n.rank, "err", e.err)
		return nil
	}
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
