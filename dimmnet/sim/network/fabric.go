package network

import "github.com/fagus-dsm/fagus/dimmnet"

// fabric is a fat tree of switches with an even number of ports. Half of a switch's ports lead
// down and half up; in the top level all lead down. Level l has half^l copies of a switch for
// every half^(l+1) hosts.
//
// A packet climbs to the lowest level that has a switch above both its hosts. The digits of the
// sender's rank to the base half choose the ports of the climb; the digits of the receiver's rank
// choose the ports of the descent. So every pair of hosts has exactly one path. A sender's packets
// share their path as far as possible, which keeps a multicast in order with them.
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
			all += width * ports // all copies of the top switch
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

// switches returns the number of switches between two hosts.
func (f *fabric) switches(src, dst dimmnet.Rank) int {
	level := 0
	for int(src)/f.reach[level] != int(dst)/f.reach[level] {
		level++
	}
	return 2*level + 1
}

type output struct {
	port  int // index among all ports of the fabric
	level int // level of the next switch, or -1 if the port leads to a host
	down  bool
}

func (f *fabric) route(src, dst dimmnet.Rank, level int, down bool) output {
	width := 1 // copies of a switch of this level
	for range level {
		width *= f.half
	}
	below := width // hosts below one of its down ports
	// The low digits of the sender's rank, which chose the ports of the climb, select the copy.
	copyOf := int(src) % width
	at := f.first[level]
	if down || int(src)/f.reach[level] == int(dst)/f.reach[level] {
		at += (int(dst)/f.reach[level]*width + copyOf) * f.ports
		return output{port: at + int(dst)/below%(f.reach[level]/below), level: level - 1, down: true}
	}
	at += (int(src)/f.reach[level]*width + copyOf) * f.ports
	return output{port: at + f.half + int(src)/width%f.half, level: level + 1}
}

// hopped handles the head of a packet, which reaches a switch.
func (w *Network) hopped(ref int32, at dimmnet.Time) {
	p := w.packets.At(ref)
	if p.dsts == nil {
		w.forward(ref, w.fabric.route(p.src, p.dst, int(p.level), p.down), at)
		return
	}
	// A multicast leaves by each port once, for all ranks that it reaches there.
	var outs []output
	var groups [][]dimmnet.Rank
next:
	for _, dst := range p.dsts {
		out := w.fabric.route(p.src, dst, int(p.level), p.down)
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
	w.packets.Free(ref)
	for i, out := range outs {
		q := original
		q.address(groups[i])
		w.forward(w.packets.Put(q), out, at)
	}
}

func (w *Network) forward(ref int32, out output, at dimmnet.Time) {
	p := w.packets.At(ref)
	start := max(at, w.fabric.free[out.port])
	first := start + w.preset.Switch.Packet
	rest := max(0, w.preset.HeaderBytes+int(p.size)-w.preset.Switch.PacketBytes)
	w.fabric.free[out.port] = first + dimmnet.Time(rest)*w.preset.NIC.ByteTime
	if w.cfg.Passed != nil {
		w.passed(p, Port, out.port, at, start, w.fabric.free[out.port], 0)
	}
	head := first + w.preset.NIC.Outside.Time
	kind := enter
	if out.level >= 0 {
		kind = hop
		p.level, p.down = int8(out.level), out.down
	}
	if start == at {
		w.line.ScheduleLane(lanePort, head, kind, ref)
		return
	}
	w.line.Schedule(head, kind, ref)
}
