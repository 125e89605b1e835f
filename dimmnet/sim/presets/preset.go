package presets

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// Default is the evaluation machine of the Fagus paper.
const Default = "fagus2"

// Stage is one step on a packet's path and the time that it takes.
type Stage struct {
	Name string
	Time dimmnet.Time
}

// Preset holds the parameters of a NIC, its link and its host, with sources in presets.toml.
type Preset struct {
	Name   string
	Limits dimmnet.Limits // New sets Multicast from Switch

	Host     HostTimes
	NIC      NICTimes
	Switch   Switch
	Ethernet Ethernet
	UDP      UDPTimes
	Direct   bool // two nodes are wired back to back, not through a switch

	HeaderBytes int
	PadBytes    int // shorter packets occupy the link as if they had this size
	PushBytes   int // payload of a packet of a PUSH or PULL
	FIFO        int // AOTF packets that may wait in the sender's NIC
	Windows     int // BOTF packets and RDMA requests that may wait in the sender's NIC
}

// HostTimes holds the CPU time of accesses and programs.
type HostTimes struct {
	Write        dimmnet.Time // one uncached write of up to 8 bytes
	Read         dimmnet.Time // one uncached read of 8 bytes
	ReadHalf     dimmnet.Time // one uncached read of up to 4 bytes
	Fill         dimmnet.Time // one 8-byte word into a write-combining window or a bank
	Program      dimmnet.Time // time of a test program from seeing a value to storing the next
	CycleCounter dimmnet.Time // time to read the cycle counter
	CPUs         int          // CPUs of a node
	Slice        dimmnet.Time // how long a thread keeps a CPU while other threads want it
	Notify       dimmnet.Time // CPU time to send a notice
	Notice       dimmnet.Time // from the arrival of a notice's frame until the host is interrupted

	WriteNoMMX, ReadNoMMX dimmnet.Time // Write and Read of a program without MMX

	Costs HostCosts // all other work
}

// NICTimes holds the times of the NIC's hardware.
type NICTimes struct {
	Send    []Stage      // from the end of the CPU's write to the link
	Outside Stage        // serialiser, optics and cable of one link
	Receive []Stage      // from the link to the word's appearance in the LLCM
	Own     dimmnet.Time // time saved by a packet that the NIC sends to itself

	ByteTime   dimmnet.Time // time of one byte on the link
	BankByte   dimmnet.Time // time of one byte of a bank
	Gap        dimmnet.Time // time between two packets at the receiver
	Interrupt  dimmnet.Time // time of the core PU to serve an undefined command
	HTLBRefill dimmnet.Time
	TLBRefill  dimmnet.Time
	PushStart  dimmnet.Time // time from a request in the NIC to its first packet
	Flip       dimmnet.Time
}

// Switch is the kind of switch in a network of more than two nodes.
type Switch struct {
	Name        string
	Ports       int
	Packet      dimmnet.Time // time of one packet of up to PacketBytes through an output port
	PacketBytes int
	Multicast   bool
}

// WithoutMMX returns the preset of a host whose program accesses 8 bytes as two times 4.
func (p Preset) WithoutMMX() Preset {
	p.Host.Read, p.Host.Write = p.Host.ReadNoMMX, p.Host.WriteNoMMX
	return p
}

// Check returns an error if a parameter is out of its range.
func (p *Preset) Check() error {
	l := p.Limits
	if l.Store != dimmnet.WordBytes || l.Block < 1 || l.Block > martini.BlockBytes || l.LLCM < dimmnet.WordBytes || l.LLCM%dimmnet.WordBytes != 0 ||
		min(l.RDMA, l.Bulk) < 0 || int64(l.LLCM)+int64(l.Bulk) > 1<<32 {
		return fmt.Errorf("sim: preset %q: invalid limits %+v", p.Name, l)
	}
	if min(p.FIFO, p.Windows, p.PushBytes) < 1 || min(p.HeaderBytes, p.PadBytes, p.Switch.PacketBytes) < 0 {
		return fmt.Errorf("sim: preset %q: invalid sizes: FIFO %d, windows %d, header %d, pad %d, PUSH packet %d",
			p.Name, p.FIFO, p.Windows, p.HeaderBytes, p.PadBytes, p.PushBytes)
	}
	if p.Switch.Ports < 4 || p.Switch.Ports%2 != 0 {
		return fmt.Errorf("sim: preset %q: a switch with %d ports: a fat tree needs an even number of 4 or more", p.Name, p.Switch.Ports)
	}
	h, n := &p.Host, &p.NIC
	if h.CPUs < 0 || min(h.Slice, h.Notify, h.Notice) < 0 {
		return fmt.Errorf("sim: preset %q: negative value in CPUs %d, Slice %v, Notify %v, Notice %v", p.Name, h.CPUs, h.Slice, h.Notify, h.Notice)
	}
	if min(h.Write, h.Read, h.ReadHalf, h.Fill, h.Program, h.CycleCounter, h.WriteNoMMX, h.ReadNoMMX) < 0 ||
		min(Total(n.Send), n.Outside.Time, Total(n.Receive)-n.Own, n.Own, n.ByteTime, n.BankByte, n.Gap, n.Interrupt) < 0 ||
		min(n.HTLBRefill, n.TLBRefill, n.PushStart, n.Flip, p.Switch.Packet) < 0 {
		return fmt.Errorf("sim: preset %q: a negative time", p.Name)
	}
	if c := &h.Costs; min(slices.Min(c.Work[:]), c.Wake, c.Turn) < 0 {
		return fmt.Errorf("sim: preset %q: a negative cost of the host: %+v", p.Name, *c)
	}
	if err := p.Ethernet.check(p.Name); err != nil {
		return err
	}
	return p.UDP.check(p.Name)
}

// BackToBack reports whether this many nodes need no switch.
func (p *Preset) BackToBack(nodes int) bool { return nodes == 1 || nodes == 2 && p.Direct }

// SwitchLevels returns the number of switch levels that connect nodes nodes; 0 without switches.
func (p *Preset) SwitchLevels(nodes int) (levels int) {
	if p.BackToBack(nodes) {
		return 0
	}
	for reach := p.Switch.Ports; reach < nodes; reach *= p.Switch.Ports / 2 {
		levels++
	}
	return levels + 1
}

// Anatomy lists every stage of a store, directly or through one switch, up to the peer's poll that
// sees it. On average that poll is half a poll late.
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

// NICLatency returns the sum of the stages within the two NICs (docs/lab/papers.md, DIMMnet-1).
func (p *Preset) NICLatency() dimmnet.Time {
	return Total(p.NIC.Send) - p.NIC.Send[0].Time + Total(p.NIC.Receive)
}

// Total returns the sum of the times of stages.
func Total(stages []Stage) (t dimmnet.Time) {
	for _, s := range stages {
		t += s.Time
	}
	return t
}
