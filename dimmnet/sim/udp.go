package sim

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/reliable"
)

// UDP is the network of UDP-Fagus: hosts without NICs, joined by the Ethernet. Each field is the
// probability, at least 0 and less than 1, of an event that happens to a datagram.
type UDP struct {
	Loss      float64 `json:"loss"`      // a datagram is lost in the switch
	Duplicate float64 `json:"duplicate"` // a datagram arrives twice
	// a datagram is held back for up to UDPTimes.Held, so that later ones overtake it
	Reorder float64 `json:"reorder"`
}

// UDPTimes describes a host and its protocol stack as a port: ordinary memory serves as LLCM, and
// the CPU does all work. The times are CPU time unless stated otherwise.
type UDPTimes struct {
	Limits dimmnet.Limits
	Conn   reliable.Config // Payload is computed from the Ethernet

	Post        dimmnet.Time // a post, into the open datagram
	Send        dimmnet.Time // the system call for a datagram, down to the driver
	SendByte    dimmnet.Time // copy and checksum of a byte
	Receive     dimmnet.Time // interrupt and protocol stack for a datagram
	ReceiveByte dimmnet.Time // copy and checksum of a byte
	Reply       dimmnet.Time // a datagram that the kernel sends by itself
	Wake        dimmnet.Time // from the end of the interrupt until a sleeping thread continues
	Load        dimmnet.Time // a word of memory
	LoadByte    dimmnet.Time // each byte of a longer Read, or of a post to the own rank
	Held        dimmnet.Time // the longest time that a reordered datagram is held back
}

// UDPCounts counts the datagrams of a UDP network.
type UDPCounts struct {
	Sent       uint64 // all datagrams, including those sent again
	Lost       uint64
	Parted     uint64 // datagrams lost by a Partition; included in Lost
	Duplicated uint64
	Reordered  uint64
	Corrupted  uint64 // datagrams damaged, and so dropped by their receivers
}

func (u *UDP) check() error {
	ok := func(p float64) bool { return p >= 0 && p < 1 } // false for NaN
	if !ok(u.Loss) || !ok(u.Duplicate) || !ok(u.Reorder) {
		return fmt.Errorf("sim: UDP: Loss %v, Duplicate %v, Reorder %v: want probabilities of at least 0 and less than 1", u.Loss, u.Duplicate, u.Reorder)
	}
	return nil
}

func (u *UDPTimes) check(preset string) error {
	if err := u.Conn.Check(); err != nil {
		return fmt.Errorf("sim: preset %q: %w", preset, err)
	}
	l := u.Limits
	if l.Store != dimmnet.WordBytes || l.Block < l.Store || l.Block > u.Conn.Payload-recordBytes || l.LLCM < l.Block || l.LLCM%dimmnet.WordBytes != 0 ||
		l.RDMA != 0 || l.Bulk != 0 || l.Multicast != 0 {
		return fmt.Errorf("sim: preset %q: UDP: invalid limits %+v for payloads of %d bytes", preset, l, u.Conn.Payload)
	}
	if min(u.Post, u.Send, u.SendByte, u.Receive, u.ReceiveByte, u.Reply, u.Wake, u.Load-1, u.LoadByte, u.Held) < 0 {
		return fmt.Errorf("sim: preset %q: UDP: %+v: a time is negative, or Load is not above 0", preset, *u)
	}
	return nil
}

// chance draws whether an event of probability p happens to a datagram of e.
func (k *kernel) chance(e *end, p float64) bool { return p > 0 && k.draw(e) < p }

// draw returns the next random number of e, from 0 up to 1. Seed 0 is a stream like others.
func (k *kernel) draw(e *end) float64 {
	e.draws++
	x := mix(mix(k.cfg.Seed^mix(udpStream|uint64(e.own)<<16|uint64(e.peer))) + e.draws)
	return float64(x>>11) / (1 << 53)
}

// udpStream separates these draws from the random delays.
const udpStream = 1 << 33

// emit puts a datagram on the cable at ready or later, and draws its loss, repetition and delay.
func (k *kernel) emit(e *end, datagram []byte, ready dimmnet.Time) {
	p := packet{kind: kindDatagram, size: int32(len(datagram)), src: e.own, dst: e.peer}
	at := k.transmit(&p, ready)
	k.counts.Sent++
	if k.cfg.Seed != 0 {
		at = k.delay(&k.nodes[e.own], &p, at)
	}
	copies := 1
	if k.chance(e, k.cfg.UDP.Duplicate) {
		k.counts.Duplicated++
		copies = 2
	}
	for range copies {
		parted := k.held(e.own, e.peer, at) > at
		if parted {
			k.counts.Parted++
		}
		if parted || k.chance(e, k.cfg.UDP.Loss) {
			k.counts.Lost++
			continue
		}
		late := dimmnet.Time(0)
		if k.chance(e, k.cfg.UDP.Reorder) {
			k.counts.Reordered++
			late = dimmnet.Time(k.draw(e) * float64(k.preset.UDP.Held))
		}
		p.damaged = k.corrupts(e, at)
		p.block = k.packets.blockOf(len(datagram))
		copy(p.block, datagram)
		k.schedule(at+late, evSwitch, k.packets.put(p))
	}
}

// UDPAnatomy lists the stages of a Store to an idling peer, on an idle UDP network.
func (p *Preset) UDPAnatomy() []Stage {
	e, u := &p.Ethernet, &p.UDP
	payload := recordBytes + dimmnet.WordBytes
	wire := e.datagramTime(reliable.HeaderBytes + payload)
	return []Stage{
		{"post", u.Post},
		{"system call, copy, checksum", u.Send + dimmnet.Time(payload)*u.SendByte},
		{"cable to the switch", wire},
		{"switch", e.Switch},
		{"cable from the switch", wire},
		{"interrupt, protocol stack, copy", u.Receive + dimmnet.Time(reliable.HeaderBytes+payload)*u.ReceiveByte},
		{"wake-up", u.Wake},
		{"load", u.Load},
	}
}
