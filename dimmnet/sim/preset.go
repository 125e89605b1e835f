package sim

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// DefaultEnv is the evaluation machine of the Fagus paper.
const DefaultEnv = "fagus2"

// Stage is one step of a packet's way and the time that it takes.
type Stage struct {
	Name string
	Time dimmnet.Time
}

// Preset is a NIC, its link and its host, in the numbers that the model needs.
// They come from presets.toml, where each has its source beside it.
type Preset struct {
	Name   string
	Limits dimmnet.Limits // Multicast is filled in by New, from Switch

	Host     HostTimes
	NIC      NICTimes
	Switch   Switch
	Ethernet Ethernet
	UDP      UDPTimes
	Direct   bool // two nodes are wired back to back, not through a switch

	HeaderBytes int
	PadBytes    int // shorter packets occupy the link as if they had so many bytes
	PushBytes   int // payload of a packet of a PUSH or PULL
	FIFO        int // AOTF packets that may wait in the sender's NIC
	Windows     int // BOTF packets, and RDMA requests, that may
}

// HostTimes are what accesses and programs cost the CPU.
type HostTimes struct {
	Write        dimmnet.Time // one uncached write of up to 8 bytes
	Read         dimmnet.Time // one uncached read of 8 bytes
	ReadHalf     dimmnet.Time // one of up to 4
	Fill         dimmnet.Time // one 8-byte word into a write-combining window or a bank
	Program      dimmnet.Time // a test program, between seeing a value and storing the next
	CycleCounter dimmnet.Time // reading it
	CPUs         int          // of a node
	Slice        dimmnet.Time // a thread has a CPU for so long while others want it
	Notify       dimmnet.Time // of the CPU, to send a notice
	Notice       dimmnet.Time // from its frame's arrival until it has interrupted the other host

	WriteNoMMX, ReadNoMMX dimmnet.Time // Write and Read of a program without MMX
}

// NICTimes are what the hardware takes.
type NICTimes struct {
	Send    []Stage      // from the end of the CPU's write to the link
	Outside Stage        // serialiser, optics and cable of one link
	Receive []Stage      // from the link to the word's appearance in the LLCM
	Own     dimmnet.Time // so much less for a packet that the NIC sent itself

	ByteTime   dimmnet.Time // one byte on the link
	BankByte   dimmnet.Time // one byte of a bank
	Gap        dimmnet.Time // between two packets, at the receiver
	Interrupt  dimmnet.Time // the core PU serves an undefined command
	HTLBRefill dimmnet.Time
	TLBRefill  dimmnet.Time
	PushStart  dimmnet.Time // from a request in the NIC to its first packet
	Flip       dimmnet.Time
}

// Switch is the kind of switch that a network of more than two nodes is made of.
type Switch struct {
	Name        string
	Ports       int
	Packet      dimmnet.Time // one packet of up to PacketBytes through an output port
	PacketBytes int
	Multicast   bool
}

// WithoutMMX is the preset of a host whose program reads and writes 8 bytes as
// twice 4.
func (p Preset) WithoutMMX() Preset {
	p.Host.Read, p.Host.Write = p.Host.ReadNoMMX, p.Host.WriteNoMMX
	return p
}

// check reports a preset that cannot work.
func (p *Preset) check() error {
	l := p.Limits
	if l.Store != dimmnet.WordBytes || l.Block < 1 || l.Block > martini.BlockBytes || l.LLCM < dimmnet.WordBytes || l.LLCM%dimmnet.WordBytes != 0 ||
		min(l.RDMA, l.Bulk) < 0 || int64(l.LLCM)+int64(l.Bulk) > 1<<32 {
		return fmt.Errorf("sim: preset %q: limits %+v", p.Name, l)
	}
	if min(p.FIFO, p.Windows, p.PushBytes) < 1 || min(p.HeaderBytes, p.PadBytes, p.Switch.PacketBytes) < 0 {
		return fmt.Errorf("sim: preset %q: FIFO %d, windows %d, header %d, pad %d, PUSH packet %d",
			p.Name, p.FIFO, p.Windows, p.HeaderBytes, p.PadBytes, p.PushBytes)
	}
	if p.Switch.Ports < 4 || p.Switch.Ports%2 != 0 {
		return fmt.Errorf("sim: preset %q: a switch with %d ports; a fat tree needs an even number, 4 or more", p.Name, p.Switch.Ports)
	}
	h, n := &p.Host, &p.NIC
	if h.CPUs < 0 || min(h.Slice, h.Notify, h.Notice) < 0 {
		return fmt.Errorf("sim: preset %q: %d CPUs, slices of %v, notices of %v and %v", p.Name, h.CPUs, h.Slice, h.Notify, h.Notice)
	}
	if min(h.Write, h.Read, h.ReadHalf, h.Fill, h.Program, h.CycleCounter, h.WriteNoMMX, h.ReadNoMMX) < 0 ||
		min(total(n.Send), n.Outside.Time, total(n.Receive)-n.Own, n.Own, n.ByteTime, n.BankByte, n.Gap, n.Interrupt) < 0 ||
		min(n.HTLBRefill, n.TLBRefill, n.PushStart, n.Flip, p.Switch.Packet) < 0 {
		return fmt.Errorf("sim: preset %q: a negative time", p.Name)
	}
	if err := p.Ethernet.check(p.Name); err != nil {
		return err
	}
	return p.UDP.check(p.Name)
}

// OneWay is the time from the start of a CPU's store to the appearance of its
// word in the peer's LLCM, on an idle link back to back.
func (p *Preset) OneWay() dimmnet.Time {
	return p.Host.Write + total(p.NIC.Send) + p.NIC.Outside.Time + total(p.NIC.Receive)
}

// Anatomy lists every stage of a store that a host sends to its peer, back to back
// or by one switch, and that the peer's poll sees: the poll comes half a poll late
// on average.
func (p *Preset) Anatomy() []Stage {
	stages := []Stage{{"CPU write", p.Host.Write}}
	stages = append(stages, p.NIC.Send...)
	stages = append(stages, p.NIC.Outside)
	if !p.Direct {
		stages = append(stages, Stage{"switch", p.Switch.Packet}, p.NIC.Outside)
	}
	stages = append(stages, p.NIC.Receive...)
	return append(stages, Stage{"waiting for the next poll (mean)", p.Host.ReadHalf / 2}, Stage{"CPU read", p.Host.ReadHalf})
}

// NICLatency is the sum of the stages within the two NICs: what spec/10 adds up
// below its table of stages.
func (p *Preset) NICLatency() dimmnet.Time {
	return total(p.NIC.Send) - p.NIC.Send[0].Time + total(p.NIC.Receive)
}

func total(stages []Stage) (t dimmnet.Time) {
	for _, s := range stages {
		t += s.Time
	}
	return t
}

// linkTime is how long a packet with n bytes of payload occupies a link.
func (p *Preset) linkTime(n int) dimmnet.Time {
	return dimmnet.Time(max(p.HeaderBytes+n, p.PadBytes)) * p.NIC.ByteTime
}

// portTime is how long it occupies the output port of a switch.
func (p *Preset) portTime(n int) dimmnet.Time {
	return p.Switch.Packet + dimmnet.Time(max(0, p.HeaderBytes+n-p.Switch.PacketBytes))*p.NIC.ByteTime
}

// receiverTime is how long it occupies the receiver.
func (p *Preset) receiverTime(n int) dimmnet.Time {
	return dimmnet.Time(p.HeaderBytes+n)*p.NIC.ByteTime + p.NIC.Gap
}

// tailTime is how much later than a word the last byte of n arrives. The
// stages were measured with a word; a longer payload streams in behind it.
func (p *Preset) tailTime(n int) dimmnet.Time {
	return dimmnet.Time(max(0, n-dimmnet.WordBytes)) * p.NIC.ByteTime
}
