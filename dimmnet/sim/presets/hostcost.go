package presets

import (
	"fmt"
	"maps"
	"math"
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

// HostCostOff is the text for ScaleHost with which only the network and the program cost time:
// cache misses cost as much as ever, but nobody waits for the bus.
const HostCostOff = "off"

// ScaleHost changes what the work of the host costs. The text is "on" or "" for what the preset
// says; "off" for nothing, except that misses of the program stay; or "miss=2,wake=0.5" for what
// the preset says times a factor. The names are in HostCostNames.
func (p *Preset) ScaleHost(text string) error {
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

// costsByName returns the times that a factor changes.
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

// HostCostNames returns the names of the costs that ScaleHost can change, sorted.
func HostCostNames() []string { return slices.Sorted(maps.Keys(new(Preset).costsByName())) }
