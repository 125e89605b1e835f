package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// Transfer says how data go from rank to rank.
type Transfer uint8

// The ways of transfer.
const (
	// Auto uses PUSH where the port has RDMA and bulk memory: for what is at least
	// PushBytes, on real ports 256 KiB, and for everything with more than RingNodes nodes, or where a ring for
	// every pair does not fit. Other ports use rings.
	Auto  Transfer = iota
	Rings          // rings alone: every rank needs one for every other
	Push           // PUSH for all data; rings for the lists
)

// String is the name as a flag has it.
func (t Transfer) String() string {
	switch t {
	case Auto:
		return "auto"
	case Rings:
		return "rings"
	case Push:
		return "push"
	}
	return fmt.Sprintf("transfer %d", uint8(t))
}

// PushBytes is the least number of bytes, guarded by the variables that go the
// same way in a phase, that Auto moves by PUSH. Below, the slots of a ring are
// there before a grant would have come. BenchmarkTransfer in package fagus finds
// the two level at some 230 bytes on the papers' machines, if all of it is new;
// of what is guarded often only a part is, so PUSH begins at twice that.
const PushBytes = 512

// realPushBytes is the same on real ports, where a grant takes two passages more and a
// slot next to nothing: fagus bench --net tcp --transfer rings, or push, finds a hand-over
// there and back of 64 KiB take 137 and 290 us, of 256 KiB 640 and 630 us.
const realPushBytes = 256 << 10

// RingNodes is the most nodes whose lists go from each to all by rings, where they
// could go over a tree. At 128 nodes of the simulated NIC a run takes as long either
// way, within 2 %, but it posts 263271 stores in place of 7239 (matmul 256, a
// variable for the rows of a rank), and polling a ring for every peer costs the
// machine that simulates it 4 times as long.
const RingNodes = 64

// wiring is what of a port a run uses.
type wiring struct {
	layout ringbuf.Layout
	tree   ringbuf.Tree  // of the rings, if they do not join all pairs
	calls  callWords     // of all peers, if there are any
	bulk   *bulk         // nil: rings alone
	giver  dimmnet.Giver // nil: data go through rings and bulk memory
}

// newWiring divides the NIC memory of the port's rank. It is the same on every rank.
func newWiring(p dimmnet.Port, cfg Config) (w wiring, err error) {
	limits, nodes, by := p.Limits(), p.Nodes(), cfg.Transfer
	if cfg.Words {
		w.calls = newCallWords(&limits, nodes)
	}
	if giver, ok := p.(dimmnet.Giver); ok && cfg.Words && by == Auto && !cfg.Views && nodes <= RingNodes {
		if w.layout, err = ringbuf.NewLayout(limits, nodes); err == nil {
			w.giver = giver
			return w, nil
		}
	}
	able := limits.RDMA >= dimmnet.WordBytes && limits.Bulk >= minMessage && !cfg.Views
	switch {
	case by == Push && cfg.Views:
		return w, fmt.Errorf("phase: transfer by %v of what is only said where it is: use %v", by, Auto)
	case by > Push:
		return w, fmt.Errorf("phase: %v: want %v, %v or %v", by, Auto, Rings, Push)
	case by == Push && !able:
		return w, fmt.Errorf("phase: transfer by %v needs RDMA and bulk memory; this port has %d and %d bytes: use %v or %v",
			by, limits.RDMA, limits.Bulk, Auto, Rings)
	case by == Rings || !able:
		w.layout, err = ringbuf.NewLayout(limits, nodes)
		if err != nil && able {
			err = fmt.Errorf("%w by %v alone: use %v or %v", err, Rings, Auto, Push)
		}
		return w, err
	}
	// One word of each kind a peer is enough if nobody sends a rank two casts. The
	// least is so much that slots for 16 nodes of DIMMnet-1 are still whole pages.
	count := max(limits.LLCM/32/wordBytes(1), nodes)
	if w.layout, err = ringbuf.NewLayout(limitsBelow(limits, count), nodes); err != nil || nodes > RingNodes {
		w.tree = ringbuf.Tree{Nodes: nodes, Arity: treeArity}
		count = limits.LLCM / 4 / wordBytes(1)
		if w.layout, err = ringbuf.NewTreeLayout(limitsBelow(limits, count), w.tree); err != nil {
			return w, err
		}
		w.calls = callWords{} // they are for all pairs
	}
	w.bulk = newBulk(p, words{dimmnet.Offset(limitsBelow(limits, count).LLCM), count}, cfg.Words)
	if by == Auto && w.tree.Arity == 0 {
		w.bulk.least = PushBytes
		if cfg.Words {
			w.bulk.least = realPushBytes
		}
	}
	return w, nil
}

// limitsBelow are the limits without the top of the LLCM, which has count words
// of each kind.
func limitsBelow(limits dimmnet.Limits, count int) dimmnet.Limits {
	limits.LLCM = (limits.LLCM - wordBytes(count)) &^ (dimmnet.WordBytes - 1)
	return limits
}
