package fagus

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/syncvar"
)

// metered counts what one rank does for Config.Meter. It reads no clock: its times are those of the
// rank's stopwatch, which says nothing of a call that is too short.
type metered struct {
	*meter.Rank
	node *Node
	call *callSummary

	began Time // when the call began; untimed if its time is not known
}

const untimed = Time(-1)

// newMetered returns nil without a meter.
func newMetered(n *Node, m *meter.Meter) *metered {
	if m == nil {
		return nil
	}
	var links func() []dimmnet.Link
	if p, ok := n.host.Port().(dimmnet.Linked); ok {
		links = p.Links
	}
	return &metered{Rank: m.Rank(n.rank, links), node: n, call: n.summarize(false), began: untimed}
}

func (m *metered) kinds() []eventKind {
	return []eventKind{
		eventWaiting, eventReleased, eventWaited, eventReturned, eventSaved, eventResumed, eventStepped, eventFailed, eventOf(syncvar.Agreed),
	}
}

func (m *metered) on(e *event) error {
	switch e.kind {
	case eventWaiting:
		m.began = m.node.clock.since
	case eventReleased:
		m.began = m.node.clock.since
		w := m.node.space.Writes()
		m.Wrote([meter.Methods]uint64{meter.Declared: w.Declared, meter.Twin: w.Twin, meter.Kept: w.Kept, meter.Kernel: w.Kernel})
	case eventOf(syncvar.Agreed):
		m.Phase()
	case eventWaited:
		why := meter.Held
		if e.wait.id == noVariable {
			why = meter.Late
		}
		m.Waited(why, e.wait.to-e.wait.from)
	case eventReturned:
		m.returned(e)
	case eventSaved:
		m.Saved(e.number, e.err)
	case eventResumed:
		m.Resumed(e.number)
	case eventStepped:
		m.Stepped(e.number, e.end)
	case eventFailed:
		m.Failed()
	}
	return nil
}

func (m *metered) returned(e *event) {
	took := Time(0)
	if m.began != untimed {
		took, m.began = m.node.clock.since-m.began, untimed
	}
	arrived := uint64(0)
	for _, a := range m.node.space.Arrivals() {
		arrived += uint64(a.Bytes)
	}
	m.Called(e.call, took, m.call.posted, arrived)
	if helped, ok := m.node.engine.(*threadedEngine); ok {
		c := helped.Counts()
		m.Requested(c.Requests+c.Refreshes, c.Takes)
	}
}
