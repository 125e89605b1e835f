package tracefile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// networkTracks describes the tracks of the network, and below each the number of packets that wait
// for it.
func (w *writer) networkTracks(n *trace.Network) {
	if len(n.Tracks) == 0 {
		return
	}
	w.track(networkTrack, 0, "network", message(varint(nil, processID, networkProcess), processName, "network"), nil)
	for i, of := range n.Tracks {
		w.track(packetTrack+uint64(i), networkTrack, of.Name, nil, nil)
		w.counterTrack(queueTrack+uint64(i), of.Name+": packets that wait")
	}
}

// packets writes the packets of the network: a slice while a track is busy with one, and how many
// wait. ends has those after which a call returned.
func (w *writer) packets(n *trace.Network, ends map[int]bool) {
	index := 0
	for track, of := range n.OfTracks() {
		for i := range of {
			w.onePacket(&of[i], ends[index], index)
			index++
		}
		w.queue(queueTrack+uint64(track), of)
	}
}

func (w *writer) onePacket(p *trace.Packet, ends bool, index int) {
	if ends {
		w.flowOf(eventFlow, packetFlow|uint64(index))
	}
	w.number(noteFrom, 1+uint64(p.Src))
	w.number(noteFor, 1+uint64(p.Dst))
	w.number(noteBytes, uint64(p.Bytes))
	w.number(noteQueued, uint64((p.From-p.Queued)/dimmnet.Nanosecond))
	if p.Landed > 0 {
		w.number(noteLanded, uint64(p.Landed/dimmnet.Nanosecond))
	}
	track := packetTrack + uint64(p.Track)
	w.event(track, p.From, sliceBegin, firstPacketKind+uint64(p.Kind))
	w.event(track, p.To, sliceEnd, 0)
}

// queue writes how many packets wait for a track, whenever that changes.
func (w *writer) queue(track uint64, packets []trace.Packet) {
	type change struct {
		at dimmnet.Time
		by int
	}
	var all []change
	for i := range packets {
		if p := &packets[i]; p.Queued < p.From {
			all = append(all, change{p.Queued, 1}, change{p.From, -1})
		}
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	waiting := 0
	for i, c := range all {
		if waiting += c.by; i+1 == len(all) || all[i+1].at > c.at {
			w.counter(track, c.at, uint64(max(0, waiting)))
		}
	}
}

// ends returns for the calls of a rank, by the index of their events, the packet that landed last
// before the call returned, an index in Packets: what the rank waited for, if it waited for the
// network. landed has the packets for the rank in the order in which they land.
func ends(n *trace.Network, landed []int32, events []trace.Event) map[int]int {
	of := make(map[int]int)
	for i := range events {
		e := &events[i]
		if e.Kind != trace.Called || e.Call == rollcall.Release {
			continue
		}
		k, _ := slices.BinarySearchFunc(landed, e.To+1, func(p int32, t dimmnet.Time) int { return cmp.Compare(n.Packets[p].Landed, t) })
		if k > 0 && n.Packets[landed[k-1]].Landed > e.From {
			of[i] = int(landed[k-1])
		}
	}
	return of
}

// landings returns for each rank the packets for it, in the order in which they land.
func landings(n *trace.Network) map[int][]int32 {
	of := make(map[int][]int32)
	for i := range n.Packets {
		if p := &n.Packets[i]; p.Landed > 0 {
			of[int(p.Dst)] = append(of[int(p.Dst)], int32(i))
		}
	}
	for _, all := range of {
		slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(n.Packets[a].Landed, n.Packets[b].Landed) })
	}
	return of
}

// addPacket adds an item of a track of the network.
func (r *reader) addPacket(index uint64, at dimmnet.Time, e *item) error {
	n := &r.trace.Network
	last := len(n.Packets) - 1
	switch {
	case index >= uint64(len(n.Tracks)):
		return fmt.Errorf("an event of track %d of the network, which has %d", index, len(n.Tracks))
	case e.kind == sliceEnd && last >= 0 && n.Packets[last].Track == int32(index):
		n.Packets[last].To = at
	case e.kind == sliceBegin && e.name >= firstPacketKind && e.name < firstPacketKind+uint64(len(n.Kinds)) && e.notes[noteFrom] > 0 && e.notes[noteFor] > 0 &&
		max(e.notes[noteFrom], e.notes[noteFor]) <= dimmnet.MaxNodes && e.notes[noteQueued] <= uint64(at/dimmnet.Nanosecond):
		n.Packets = append(n.Packets, trace.Packet{
			Queued: at - dimmnet.Time(e.notes[noteQueued])*dimmnet.Nanosecond, From: at, To: at, Landed: dimmnet.Time(e.notes[noteLanded]) * dimmnet.Nanosecond,
			Bytes: uint32(e.notes[noteBytes]), Track: int32(index), Src: dimmnet.Rank(e.notes[noteFrom] - 1), Dst: dimmnet.Rank(e.notes[noteFor] - 1), Kind: uint8(e.name - firstPacketKind),
		})
	default:
		return errors.New("a packet that ends before it begins, or that no network has sent")
	}
	return nil
}

// flowOf adds a flow to the event.
func (w *writer) flowOf(field fieldNumber, id uint64) {
	w.part = binary.LittleEndian.AppendUint64(binary.AppendUvarint(w.part, tagOf(field, fixed64Kind)), id)
}

func (w *writer) counterTrack(id uint64, name string) {
	d := varint(message(varint(nil, trackUUID, id), trackName, name), trackParent, networkTrack)
	w.packet = message(w.packet, packetTrackDescriptor, message(d, trackCounter, ""))
	w.end(needsState)
}

// counter writes that a counter has a value from a time on.
func (w *writer) counter(track uint64, at dimmnet.Time, v uint64) {
	w.part = varint(w.part, eventCounter, v)
	w.event(track, at, counter, 0)
}
