package sim

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// HostCosts is what the work of a host costs besides its accesses to the NIC.
type HostCosts struct {
	Work [dimmnet.Works]dimmnet.Time // of one unit, by kind
	Wake dimmnet.Time                // CPU time of a thread that an event has woken, until it runs
	// Turn is how long an access to the NIC keeps another processor of the node from memory.
	Turn dimmnet.Time
}

// usesBus reports whether w takes no longer than its traffic on the memory bus.
func usesBus(w dimmnet.Work) bool {
	switch w {
	case dimmnet.Copy, dimmnet.Give, dimmnet.Take, dimmnet.Compare, dimmnet.Miss:
		return true
	}
	return false
}

// Charge adds the cost of n units of w to the thread's clock.
func (th *thread) Charge(w dimmnet.Work, n int) {
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
func (th *thread) busTurn() (turn dimmnet.Time) {
	if th.k.cfg.UDP != nil {
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
func (th *thread) hindered(d, turn dimmnet.Time) dimmnet.Time {
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

// HostCostOff is the HostCost with which only the network and the program cost time: cache misses
// cost as much as ever, but nobody waits for the bus.
const HostCostOff = "off"

// applyHostCost changes the costs of p as Config.HostCost says.
func (p *Preset) applyHostCost(text string) error {
	costs := &p.Host.Costs
	switch text {
	case "", "on":
		return nil
	case HostCostOff:
		misses := costs.Work[dimmnet.Miss]
		*costs = HostCosts{}
		costs.Work[dimmnet.Miss] = misses
		return nil
	}
	scaled := p.costsByName()
	for _, part := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		factor, err := strconv.ParseFloat(value, 64)
		if err != nil || strings.ContainsAny(value, "xX") || !(factor >= 0 && factor <= maxCostFactor) {
			return fmt.Errorf("host cost %q: want on, off, or factors from 0 to %d such as miss=2,wake=0.5", part, maxCostFactor)
		}
		times, ok := scaled[name]
		if !ok {
			return fmt.Errorf("host cost %q: want one of %s", name, strings.Join(HostCostNames(), ", "))
		}
		for _, t := range times {
			*t = dimmnet.Time(math.Round(float64(*t) * factor))
		}
	}
	return nil
}

const maxCostFactor = 1000

// costsByName returns the times that a factor of Config.HostCost changes.
func (p *Preset) costsByName() map[string][]*dimmnet.Time {
	h := &p.Host
	byName := map[string][]*dimmnet.Time{"wake": {&h.Costs.Wake}, "bus": {&h.Costs.Turn}}
	for w := range dimmnet.Works {
		byName[w.String()] = []*dimmnet.Time{&h.Costs.Work[w]}
	}
	notice := dimmnet.Notice.String() // to send it, until it has arrived, and to read it
	byName[notice] = append(byName[notice], &h.Notify, &h.Notice)
	return byName
}

// HostCostNames returns the names of the costs that Config.HostCost can change, sorted.
func HostCostNames() []string { return slices.Sorted(maps.Keys(new(Preset).costsByName())) }
