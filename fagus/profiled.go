package fagus

import (
	"context"
	"runtime/pprof"

	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// profiled labels the goroutine of a rank with the call that it is in, and with the set that it
// wants or holds, while somebody profiles this process. It needs the meter to know that.
type profiled struct {
	node   *Node
	meter  *meter.Meter
	base   context.Context // has the labels without a call and a set
	labels map[labelled]context.Context
	set    bool // the goroutine may have labels other than those of base
}

// labelled is what the labels say.
type labelled struct {
	call rollcall.Call
	set  *SyncSet
}

const mostLabels = 1 << 12 // that a rank keeps

func newProfiled(ctx context.Context, n *Node, m *meter.Meter) *profiled {
	return &profiled{node: n, meter: m, base: n.monitor.Labels(ctx), labels: make(map[labelled]context.Context)}
}

func (p *profiled) kinds() []eventKind {
	return []eventKind{eventCalled, eventReleasing, eventReturned}
}

func (p *profiled) on(e *event) error {
	wanted := p.meter.Profiled()
	switch {
	case !wanted && !p.set:
	case !wanted:
		p.set = false
		pprof.SetGoroutineLabels(p.base)
	case e.kind == eventReturned:
		p.label(labelled{set: p.node.held})
	default:
		p.label(labelled{e.call, e.set})
	}
	return nil
}

func (p *profiled) label(as labelled) {
	ctx := p.labels[as]
	if ctx == nil {
		call, set := as.call.String(), ""
		if as.set != nil {
			set = as.set.String()
		}
		if len(p.labels) == mostLabels {
			clear(p.labels)
		}
		ctx = pprof.WithLabels(p.base, pprof.Labels("call", call, "set", set))
		p.labels[as] = ctx
	}
	p.set = true
	pprof.SetGoroutineLabels(ctx)
}
