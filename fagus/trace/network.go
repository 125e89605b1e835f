package trace

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Network is what packets did in a simulated network: in NICs, on links, and in switches.
type Network struct {
	Tracks  []Track  `json:"tracks"`            // in the order in which they were used first
	Kinds   []string `json:"kinds"`             // of packets
	Dropped uint64   `json:"dropped,omitempty"` // packets that later ones have replaced
	// Packets has the last passages of packets through the tracks: a Packet for each. When the run
	// is over they are sorted by track and From.
	Packets []Packet `json:"-"`

	most   int
	oldest int
	tracks map[string]int32
	kinds  map[string]uint8
}

// Track is a part of the network that passes one packet after the other. The sums are of the whole
// run.
type Track struct {
	Name    string       `json:"name"`
	Packets uint64       `json:"packets"`
	Bytes   uint64       `json:"bytes"`     // of payload
	Busy    dimmnet.Time `json:"busy_ps"`   // with packets
	Queued  dimmnet.Time `json:"queued_ps"` // of all packets together
	Longest dimmnet.Time `json:"longest_ps"`
}

// Packet is the passage of a packet through a track.
type Packet struct {
	Queued   dimmnet.Time // it waits for the track
	From, To dimmnet.Time // the track is busy with it
	Landed   dimmnet.Time // it is in the memory of Dst; 0: not here
	Bytes    uint32
	Track    int32 // an index in Network.Tracks
	Src, Dst dimmnet.Rank
	Kind     uint8 // an index in Network.Kinds
}

const (
	packetShare = 4       // of the limit, what packets take beside the events
	mostTracks  = 1 << 18 // of a file
	mostKinds   = 1 << 6
)

// Pass records the passage of a packet through the track with a name. A simulated network calls it,
// which may go on when the run is over.
func (t *Trace) Pass(track, kind string, p Packet) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := &t.Network
	if t.sealed {
		return
	}
	at, known := n.tracks[track]
	if !known {
		if len(n.Tracks) == mostTracks {
			return
		}
		at = indexIn(n.tracks, &n.Tracks, track, Track{Name: track})
	}
	k, known := n.kinds[kind]
	if !known {
		if len(n.Kinds) == mostKinds {
			return
		}
		k = uint8(len(n.Kinds))
		n.kinds[kind], n.Kinds = k, append(n.Kinds, kind)
	}
	p.Track, p.Kind = at, k
	of := &n.Tracks[at]
	of.Packets++
	of.Bytes += uint64(p.Bytes)
	of.Busy += p.To - p.From
	of.Queued += p.From - p.Queued
	of.Longest = max(of.Longest, p.From-p.Queued)
	if len(n.Packets) < n.most {
		n.Packets = append(n.Packets, p)
		return
	}
	n.Packets[n.oldest] = p
	n.Dropped++
	n.oldest = (n.oldest + 1) % n.most
}

// begin begins the record of a run.
func (n *Network) begin(limit int64) {
	if limit == 0 {
		limit = DefaultLimit
	}
	most := int(max(1, limit/packetShare/int64(unsafe.Sizeof(Packet{}))))
	*n = Network{most: most, tracks: make(map[string]int32), kinds: make(map[string]uint8)}
}

// compare orders packets by track and time.
func (p *Packet) compare(o *Packet) int {
	return cmp.Or(cmp.Compare(p.Track, o.Track), cmp.Compare(p.From, o.From), cmp.Compare(p.To, o.To))
}

// sort sorts the packets. Two that are equal in that take no time on the track.
func (n *Network) sort() {
	slices.SortStableFunc(n.Packets, func(a, b Packet) int { return a.compare(&b) })
}

// OfTracks returns the packets of each track together, when the run is over.
func (n *Network) OfTracks() iter.Seq2[int32, []Packet] {
	return func(yield func(int32, []Packet) bool) {
		for rest := n.Packets; len(rest) > 0; {
			track := rest[0].Track
			to := slices.IndexFunc(rest, func(p Packet) bool { return p.Track != track })
			if to < 0 {
				to = len(rest)
			}
			if !yield(track, rest[:to:to]) {
				return
			}
			rest = rest[to:]
		}
	}
}

// check returns an error unless n, which comes from outside, may be what a network has recorded.
func (n *Network) check(nodes int) error {
	if len(n.Tracks) > mostTracks || len(n.Kinds) > mostKinds {
		return fmt.Errorf("trace: %d tracks of the network and %d kinds of packets: want at most %d and %d", len(n.Tracks), len(n.Kinds), mostTracks, mostKinds)
	}
	for i := range n.Packets {
		p := &n.Packets[i]
		if p.Queued < 0 || p.From < p.Queued || p.To < p.From || p.Landed < 0 || p.Track < 0 || int(p.Track) >= len(n.Tracks) || int(p.Kind) >= len(n.Kinds) || int(p.Src) >= nodes || int(p.Dst) >= nodes ||
			i > 0 && n.Packets[i-1].compare(p) > 0 {
			return fmt.Errorf("trace: packet %d is %+v: it is none of a network", i, *p)
		}
	}
	return nil
}
