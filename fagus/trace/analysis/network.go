package analysis

import (
	"cmp"
	"slices"

	"github.com/fagus-dsm/fagus/fagus/trace"
)

// Network says where packets waited in a simulated network.
type Network struct {
	Tracks []NetTrack // those with the longest waits first
	// Packets is the number of packets whose passages the trace has not dropped; 0: no network.
	Packets int
	// Critical is the part of the critical path in which the rank in the path was in a call, and
	// packets for it waited somewhere. Behind is that in which one of them waited behind a packet
	// between other ranks: what another placement, or another network, would mend. The rest is the
	// speed of the links: packets from the same rank were before it.
	Critical, Behind Time
	// From is when the passages that the trace has begin: what was before counts in Tracks only.
	From Time
}

// NetTrack is a NIC's engine, a link or a port of a switch.
type NetTrack struct {
	trace.Track
	Busy float64 // the share of the run in which it passed a packet
	Mean Time    // for which a packet waited
	Most string  // kind of the packets that waited longest together; "" without waits
}

// interval of time, in lists that are sorted and do not overlap.
type intervals []interval

// network adds up what packets did. It returns for each rank when packets for it waited, in all
// and behind packets of other ranks.
func (res *Result) network(r *run) (waited, behind map[int]intervals) {
	n := &r.Trace.Network
	if len(n.Tracks) == 0 {
		return nil, nil
	}
	net := &Network{Packets: len(n.Packets)}
	res.Network = net
	kinds := make([][]Time, len(n.Tracks))
	waited, behind = make(map[int]intervals), make(map[int]intervals)
	const leastRoom = 1 << 14
	room := make(map[int]int) // the length at which the intervals of a rank are merged
	for track, packets := range n.OfTracks() {
		kinds[track] = make([]Time, len(n.Kinds))
		for i := range packets {
			p := &packets[i]
			kinds[track][p.Kind] += p.From - p.Queued
			if p.Queued == p.From {
				continue
			}
			rank := int(p.Dst)
			waited[rank] = append(waited[rank], interval{p.Queued, p.From})
			behind[rank] = append(behind[rank], others(packets[:i], p)...)
			if len(behind[rank]) >= room[rank] {
				behind[rank] = behind[rank].merge()
				room[rank] = max(leastRoom, 2*len(behind[rank]))
			}
		}
	}
	for _, of := range [...]map[int]intervals{waited, behind} {
		for rank := range of {
			of[rank] = of[rank].merge()
		}
	}
	for i, of := range n.Tracks {
		t := NetTrack{Track: of}
		if res.Total > 0 {
			t.Busy = float64(of.Busy) / float64(res.Total)
		}
		if of.Packets > 0 {
			t.Mean = of.Queued / Time(of.Packets)
		}
		if longest := slices.Max(append(kinds[i], 0)); longest > 0 {
			t.Most = n.Kinds[slices.Index(kinds[i], longest)]
		}
		net.Tracks = append(net.Tracks, t)
	}
	if n.Dropped > 0 && len(n.Packets) > 0 {
		net.From = slices.MinFunc(n.Packets, func(a, b trace.Packet) int { return cmp.Compare(a.To, b.To) }).To
	}
	slices.SortStableFunc(net.Tracks, func(a, b NetTrack) int { return cmp.Compare(b.Queued, a.Queued) })
	return waited, behind
}

// others returns when p waited behind packets from or to other ranks than its own. before are the
// packets of its track that come before it.
func others(before []trace.Packet, p *trace.Packet) (all []interval) {
	const most = 1024 // packets in a queue
	for k := len(before) - 1; k >= max(0, len(before)-most) && before[k].To > p.Queued; k-- {
		b, last := &before[k], len(all)-1
		switch next := (interval{max(b.From, p.Queued), min(b.To, p.From)}); {
		case b.Src == p.Src && b.Dst == p.Dst:
		case last >= 0 && all[last].from == next.to:
			all[last].from = next.from
		default:
			all = append(all, next)
		}
	}
	return all
}

// merge sorts a list of intervals, and joins those that overlap.
func (all intervals) merge() (merged intervals) {
	slices.SortFunc(all, func(a, b interval) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for _, i := range all {
		if last := len(merged) - 1; last >= 0 && i.from <= merged[last].to {
			merged[last].to = max(merged[last].to, i.to)
		} else if i.to > i.from {
			merged = append(merged, i)
		}
	}
	return merged
}

// within returns how much of a time is in the intervals.
func (all intervals) within(from, to Time) (t Time) {
	first, _ := slices.BinarySearchFunc(all, from, func(i interval, from Time) int { return cmp.Compare(i.to, from) })
	for _, i := range all[first:] {
		if i.from >= to {
			break
		}
		t += min(to, i.to) - max(from, i.from)
	}
	return t
}
