package sim

import "github.com/fagus-dsm/fagus/dimmnet"

// fabric is a fat tree of switches with an even number of ports: half of them
// down, half up, but all down in the top level. Level l has half^l copies of a
// switch for every half^(l+1) hosts. A packet climbs to the lowest level below
// which both its hosts are, choosing the port by its sender's digits to the base
// half, and comes down by its receiver's. So there is one way for each pair, and
// a sender's packets to all its peers share it as far as possible, which keeps a
// multicast in order with them.
type fabric struct {
	ports, half int
	reach       []int          // by level: hosts below one switch
	first       []int          // by level: the index of its first port
	free        []dimmnet.Time // by output port: when it is free
}

func newFabric(nodes, ports int) *fabric {
	f := &fabric{ports: ports, half: ports / 2}
	width := 1 // hosts below a switch of the level below
	all := 0
	for {
		f.first = append(f.first, all)
		if width*ports >= nodes {
			f.reach = append(f.reach, width*ports)
			all += width * ports // copies of the top switch
			break
		}
		f.reach = append(f.reach, width*f.half)
		below := (nodes + width*f.half - 1) / (width * f.half)
		all += below * width * ports
		width *= f.half
	}
	f.free = make([]dimmnet.Time, all)
	return f
}

// levels is how many there are.
func (f *fabric) levels() int { return len(f.reach) }

// SwitchLevels is how many levels of switches a network of so many nodes has; 0
// if they are wired back to back.
func (p *Preset) SwitchLevels(nodes int) int {
	if p.direct(nodes) {
		return 0
	}
	return newFabric(nodes, p.Switch.Ports).levels()
}

// direct says whether nodes are wired without a switch.
func (p *Preset) direct(nodes int) bool { return nodes == 1 || nodes == 2 && p.Direct }

// output is what a switch does with a packet.
type output struct {
	port  int // of all ports of the fabric
	level int // of the switch behind it, or -1: the host is there
	down  bool
}

// route says where a packet leaves the switch of a level that it has come to.
func (f *fabric) route(src, dst dimmnet.Rank, level int, down bool) output {
	width := 1 // copies of a switch of this level
	for range level {
		width *= f.half
	}
	below := width // hosts below one of its down ports
	// The copy is told by the sender's digits, of which the climb to this level
	// used the lower ones.
	copyOf := int(src) % width
	at := f.first[level]
	if down || int(src)/f.reach[level] == int(dst)/f.reach[level] {
		at += (int(dst)/f.reach[level]*width + copyOf) * f.ports
		return output{port: at + int(dst)/below%(f.reach[level]/below), level: level - 1, down: true}
	}
	at += (int(src)/f.reach[level]*width + copyOf) * f.ports
	return output{port: at + f.half + int(src)/width%f.half, level: level + 1}
}

// hop passes a packet through the switch that it has come to.
func (k *kernel) hop(ref int32, at dimmnet.Time) {
	p := k.packets.at(ref)
	if p.dsts == nil {
		k.forward(ref, k.fabric.route(p.src, p.dst, int(p.level), p.down), at)
		return
	}
	// A multicast leaves by each port once, for all whom it reaches there.
	var outs []output
	var groups [][]dimmnet.Rank
next:
	for _, dst := range p.dsts {
		out := k.fabric.route(p.src, dst, int(p.level), p.down)
		for i := range outs {
			if outs[i] == out {
				groups[i] = append(groups[i], dst)
				continue next
			}
		}
		outs = append(outs, out)
		groups = append(groups, []dimmnet.Rank{dst})
	}
	original := *p
	k.packets.free(ref)
	for i, out := range outs {
		q := original
		q.dst, q.dsts = groups[i][0], groups[i]
		if len(q.dsts) == 1 {
			q.dsts = nil
		}
		k.forward(k.packets.put(q), out, at)
	}
}

// forward sends a packet through an output port when that is free.
func (k *kernel) forward(ref int32, out output, at dimmnet.Time) {
	p := k.packets.at(ref)
	start := max(at, k.fabric.free[out.port])
	k.fabric.free[out.port] = start + k.preset.portTime(int(p.size))
	head := start + k.preset.Switch.Packet + k.preset.NIC.Outside.Time
	if out.level < 0 {
		k.schedule(head, evEnter, ref)
		return
	}
	p.level, p.down = int8(out.level), out.down
	k.schedule(head, evHop, ref)
}
