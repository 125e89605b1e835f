package fagus

import (
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// An event is something that a call of a rank does. Node.enter and Node.leave tell the clock, the
// waits and the roll-call themselves: a call may cost little more than they do. Fields that the
// kind does not name may have any value.
type event struct {
	kind   eventKind
	call   rollcall.Call // unset in events of the engine
	set    *SyncSet      // of a tenure; else nil
	ids    []syncvar.ID  // the variables that the event is about, if set does not name them
	wait   *wait         // of eventWaited
	number uint64        // of a checkpoint, or the steps made
	end    uint64        // of eventStepped: all steps
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
	eventStepped                    // the first loop of Steps or Rounds has begun, or made a step
	eventMeasuring                  // Measure begins to measure
	eventMeasured                   // it has measured
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
	return es.tellCall(kind, call, set, ids) // a call, so that the compiler inlines tell
}

// tellCall leaves the fields of other kinds as they are: to clear them in every call takes 30 ns a
// tenure.
//
//go:noinline
func (es *events) tellCall(kind eventKind, call rollcall.Call, set *SyncSet, ids []syncvar.ID) error {
	e := &es.event
	e.kind, e.call, e.set, e.ids = kind, call, set, ids
	return es.pass()
}

func (es *events) tellAll(e event) error {
	es.event = e
	return es.pass()
}

// pass passes the event to the observers.
func (es *events) pass() error {
	for _, o := range es.observers[es.event.kind] {
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
		n.emit(event{kind: eventOf(e.Kind)})
	}
}

// emit is tellAll within a call of the engine.
func (n engineEvents) emit(e event) {
	if err := n.events.tellAll(e); err != nil {
		_ = n.stick(err)
	}
}
