package host

import (
	"fmt"
	"math/bits"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// usesBus reports whether w takes no longer than its traffic on the memory bus.
func usesBus(w dimmnet.Work) bool {
	switch w {
	case dimmnet.Copy, dimmnet.Give, dimmnet.Take, dimmnet.Compare, dimmnet.Miss:
		return true
	}
	return false
}

// Charge adds the cost of n units of w to the thread's clock.
func (th *Thread) Charge(w dimmnet.Work, n int) {
	if n < 0 {
		panic(fmt.Sprintf("sim: rank %d: Charge of %d units of %v: want 0 or more", th.rank, n, w))
	}
	unit := th.k.preset.Host.Costs.Work[w]
	if unit == 0 || n == 0 {
		return
	}
	d := th.k.cfg.Limit + 1 // the most that advance adds
	if dimmnet.Time(n) < d/unit {
		d = dimmnet.Time(n) * unit
	}
	if w == dimmnet.Miss && th.gathers { // the work of an engine does not end a datagram
		th.flush()
	}
	th.pass.charged = true
	th.compute(d, usesBus(w))
	th.spent()
}

// busTurn returns for how long each line that this thread reads or writes waits for another thread
// of the node: threads that want the memory bus take turns. A thread that has a CPU, and does not
// compute, polls the NIC or copies to it.
func (th *Thread) busTurn() (turn dimmnet.Time) {
	if th.k.cfg.UDP {
		return 0 // threads poll memory that their caches hold
	}
	costs := &th.k.preset.Host.Costs
	for _, x := range th.node.threads {
		switch {
		case x == th || !x.hasCPU():
		case !x.turn.computes:
			turn = max(turn, costs.Turn)
		case x.turn.bus:
			turn = max(turn, min(costs.Turn, costs.Work[dimmnet.Miss]))
		}
	}
	return turn
}

// hindered returns how long work of d takes that uses the bus, a line at a time, if each line waits
// for a turn of another thread.
func (th *Thread) hindered(d, turn dimmnet.Time) dimmnet.Time {
	line := th.k.preset.Host.Costs.Work[dimmnet.Miss]
	if line == 0 {
		return d
	}
	return d + d/line*turn
}

// share returns part*of/whole, for of up to whole.
func share(part, of, whole dimmnet.Time) dimmnet.Time {
	hi, lo := bits.Mul64(uint64(part), uint64(of))
	quotient, _ := bits.Div64(hi, lo, uint64(whole))
	return dimmnet.Time(quotient)
}
