package event

import "github.com/fagus-dsm/fagus/dimmnet"

// Timeline is the virtual time of a run: the events to come, and how far it has got.
type Timeline struct {
	queue
	seq    uint64       // packets' events so far
	count  uint64       // events that have happened
	now    dimmnet.Time // time of the last event
	latest dimmnet.Time // time of the last event or access to a NIC; now may be earlier
}

// Schedule puts an event of a packet or a node into the queue, behind others at the same time.
func (t *Timeline) Schedule(at dimmnet.Time, kind Kind, ref int32) {
	t.seq++
	t.Push(Event{At: at, order: t.seq, Ref: ref, Kind: kind})
}

// ScheduleLane is Schedule for an event that nothing has delayed. Most events of the same lane are
// scheduled in the order of their times.
func (t *Timeline) ScheduleLane(lane int, at dimmnet.Time, kind Kind, ref int32) {
	t.seq++
	t.pushLane(lane, Event{At: at, order: t.seq, Ref: ref, Kind: kind})
}

// Happened counts an event at the time at.
func (t *Timeline) Happened(at dimmnet.Time) {
	t.now = max(t.now, at)
	t.latest = max(t.latest, at)
	t.count++
}

// Accessed notes that a thread has used its NIC at the time at, which may be ahead of all events.
func (t *Timeline) Accessed(at dimmnet.Time) { t.latest = max(t.latest, at) }

// Now returns the time of the last event.
func (t *Timeline) Now() dimmnet.Time { return t.now }

// End returns the time of the last event or access to a NIC.
func (t *Timeline) End() dimmnet.Time { return t.latest }

// Events returns the number of events that have happened.
func (t *Timeline) Events() uint64 { return t.count }
