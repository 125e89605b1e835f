package fagus

import (
	"context"
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/syncvar"
)

// tracer records the calls of one rank for Config.Trace. It reads the clock only where data begin
// to move: the other times are those of the rank's stopwatch.
type tracer struct {
	*trace.Recorder
	node *Node
	call *callSummary

	moving Time // when data of the call began to move; 0 if they did not
	copied Time // when the Acquire began to copy what it has got; 0 if it did not
}

// newTracer returns nil without a trace.
func newTracer(n *Node, t *trace.Trace) *tracer {
	if t == nil {
		return nil
	}
	return &tracer{Recorder: t.Recorder(n.rank, n.begun, n.origin()), node: n, call: n.summarize(true)}
}

// origin returns where the rank's clock begins, unless it is virtual: all ranks have that one. Of
// several tries, the shortest is the most exact: the thread may lose the processor between the two
// clocks.
func (n *Node) origin() (o dimmnet.Origin) {
	if n.work.virtual {
		return o
	}
	const tries = 5
	o.Machine = machine()
	for i := range tries {
		before := n.host.Now()
		now := monotonic()
		if off := (n.host.Now() - before) / 2; i == 0 || off < o.Off {
			o.Zero, o.Off = now-(before+off).Nanoseconds(), off
		}
	}
	return o
}

func (t *tracer) kinds() []eventKind {
	return []eventKind{
		eventBound, eventWaited, eventAcquired, eventReleased, eventReturned,
		eventSaved, eventResumed, eventMeasuring, eventMeasured, eventFailed, eventOf(syncvar.Moving), eventOf(syncvar.Denied),
	}
}

func (t *tracer) on(e *event) error {
	switch e.kind {
	case eventBound:
		id := e.ids[0]
		bytes, pieces := t.node.space.Extent(id)
		t.Bound(trace.Variable{Name: t.node.space.Name(id), Bytes: bytes, Pieces: pieces})
	case eventAcquired:
		if e.set.compared > clockBytes && !t.node.space.IsOneCopy() {
			t.copied = t.node.clock.since
			t.node.clock.enter(PartCompute)
		}
	case eventOf(syncvar.Moving):
		t.moving = t.node.host.Now()
	case eventOf(syncvar.Denied):
		t.moving = 0 // data that others wanted
	case eventWaited:
		w := trace.Of(trace.Waited, e.wait.from, e.wait.to)
		w.Rank = int32(e.wait.rank)
		if e.wait.id != noVariable {
			w.ID = int32(e.wait.id)
		}
		t.Add(w)
	case eventReleased:
		t.wrote(e.ids)
	case eventReturned:
		t.returned(e)
	case eventSaved, eventResumed:
		t.checkpoint(e)
	case eventMeasuring:
		t.Add(trace.Of(trace.Measuring, t.node.clock.since, t.node.clock.since))
	case eventMeasured:
		t.Add(trace.Of(trace.Measured, t.node.clock.since, t.node.clock.since))
	case eventFailed:
		t.Failed(t.node.clock.since, e.err)
	}
	return nil
}

// wrote records what the tenure that is ending has changed.
func (t *tracer) wrote(ids []syncvar.ID) {
	now := t.node.clock.since
	for _, id := range ids {
		version := t.node.engine.Version(id)
		w := trace.Of(trace.Wrote, now, now)
		w.ID, w.Number = int32(id), uint64(version)
		first, bound := t.node.space.First(id), func(a consistency.Addr) uint32 { return uint32(min(a, math.MaxUint32)) }
		for r := range t.node.space.Written(id, version) {
			if w.Bytes == 0 {
				w.Lo = bound(r.Lo - first)
			}
			w.Bytes, w.Hi = w.Bytes+uint64(r.Len()), bound(r.Hi-first)
		}
		t.Add(w)
	}
}

// returned records the call that has returned, and what arrived in it.
func (t *tracer) returned(e *event) {
	now := t.node.clock.since
	there := now // the data
	if t.copied > 0 {
		there = t.copied
	}
	if t.moving > 0 {
		t.Add(trace.Of(trace.Moved, min(t.moving, there), there))
	}
	for _, a := range t.node.space.Arrivals() {
		arrived := trace.Of(trace.Arrived, there, there)
		arrived.ID, arrived.Bytes, arrived.Number = int32(a.ID), uint64(a.Bytes), uint64(a.Version)
		t.Add(arrived)
	}
	if there < now {
		t.Add(trace.Of(trace.Copied, there, now))
	}
	t.moving, t.copied = 0, 0
	call, posted := trace.Of(trace.Called, t.node.clock.began, now), &t.call.posted
	call.Call, call.Number, call.Line = e.call, t.call.steps, trace.None
	call.Bytes, call.Posts = posted.Bytes, uint32(posted.Stores+posted.Writes+posted.Pushes)
	if t.call.stack != 0 {
		call.Line = t.Line(t.call.stack, source.Here)
	}
	if e.set != nil {
		call.Set = t.Set(e.set.shared, e.set.exclusive)
	}
	t.Add(call)
}

func (t *tracer) checkpoint(e *event) {
	now := t.node.clock.since
	c := trace.Of(trace.Saved, now, now)
	c.Number = e.number
	if e.kind == eventResumed {
		c.Kind = trace.Resumed
	}
	if e.err != nil {
		c.Bytes = 1
	}
	t.Add(c)
}

// gatherTrace adds the records of other processes to the trace of the process of rank 0.
func gatherTrace(ctx context.Context, net dimmnet.Network, t *trace.Trace) error {
	j, ok := joined(net)
	if t == nil || !ok {
		return nil
	}
	own, _ := j.Job()
	data, err := t.Encode()
	if err != nil {
		return fmt.Errorf("fagus: encoding the trace of a run: %w", err)
	}
	// Only the process of rank 0 keeps the records of others.
	_, nodes := j.Job()
	all := make([][]byte, nodes)
	err = dimmnet.GatherPieces(ctx, j, data, max(gatherLeast, min(gatherPiece, gatherAll/nodes)), func(r int, piece []byte) {
		if own == 0 && r > 0 {
			all[r] = append(all[r], piece...)
		}
	})
	if err != nil {
		return fmt.Errorf("fagus: gathering the trace of a run: %w", err)
	}
	for r := 1; own == 0 && r < len(all); r++ {
		if err := t.Decode(r, all[r]); err != nil {
			return err
		}
		all[r] = nil
	}
	return nil
}
