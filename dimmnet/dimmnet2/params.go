package dimmnet2

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Params are the times and sizes of a DIMMnet-2, its host and its network. "spec/40" is the page on DIMMnet-2, "spec/10" that on
// DIMMnet-1, of the project's notes on the papers. What no page prints is assumed; docs/dimmnet2.md says what depends on it.
type Params struct {
	// The host: a Pentium 4 of 2.6 GHz, VIA VT8751A, DDR PC1600 (spec/40).
	Command int          // words of a command: stores to UR. Assumed: operation, addresses and lengths are 16 bytes
	Write   dimmnet.Time // an uncached store: spec/10, CPU time of one 8-byte access of a Pentium 4 on a DIMM bus of 100 MHz
	Read    dimmnet.Time // an uncached load of 8 bytes: the same
	Chipset dimmnet.Time // what a write takes to the bus: spec/10
	Fill    dimmnet.Time // 8 bytes of a write-combining window: a clock of a bus of 100 MHz, at half the speed of DDR PC1600 (spec/40)

	// The NIC: an FPGA at 100 MHz (spec/40).
	Clock   dimmnet.Time
	Decode  int // clocks from a command's arrival to its first access. Assumed; with Publish it makes VL 0.68 us (spec/40)
	Publish int // clocks from the end of a command, or of a reception, to its status in UR or LLCM. Assumed
	Word    int // bytes that pass inside the FPGA in a clock. Assumed: the 8 of a DIMM, at both edges

	// The SO-DIMM: DDR PC1600 (spec/40: the host's; assumed to be the same).
	Access dimmnet.Time // row and column of one contiguous piece. Assumed: tRCD and CAS latency of PC1600, 20 ns and 25 ns
	Bank   float64      // bytes a nanosecond: 1.6, PC1600

	// The network: InfiniBand 4X, 2 m of cable (spec/40).
	Link   float64      // bytes a nanosecond: 1, which are 10 Gb/s with 8 bits in 10 on the line
	Header int          // bytes that InfiniBand adds to a packet: local route 8, base transport 12, RDMA 16, checks 6
	MTU    int          // bytes of data in a packet: InfiniBand's 2048
	Logic  dimmnet.Time // transport layer in hardware, sender and receiver together, and its clock domains. Fitted between BOTF(IVS) of 32 bytes, 2.04 us, and eager, 3.87 us (spec/40)
	Cable  dimmnet.Time // 2 m at 5 ns/m
	Switch dimmnet.Time // a switch, where there are more than two nodes. Assumed: 200 ns, as switches of 2003 had

	Windows     int // places for packets in WW. Assumed
	WindowBytes int // of each: the header of a packet and its payload. Assumed: a BOTF of DIMMnet-1 (spec/10)
	ImageBytes  int // of them the header: spec/10, a header seed of DIMMnet-1
	RingBytes   int // of a ring for a sender in SO-DIMM. Assumed
	LLCM        int // bytes. Assumed: as on DIMMnet-1
	SODIMM      int // bytes. Assumed: as a bank of DIMMnet-1
}

// Default are the parameters of spec/40's machine.
func Default() Params {
	const ns = dimmnet.Nanosecond
	return Params{
		Command: 2, Write: 59 * ns, Read: 276 * ns, Chipset: 60 * ns, Fill: 10 * ns,
		Clock: 10 * ns, Decode: 6, Publish: 2, Word: 16,
		Access: 45 * ns, Bank: 1.6,
		Link: 1, Header: 42, MTU: 2048, Logic: 930 * ns, Cable: 10 * ns, Switch: 200 * ns,
		Windows: 64, WindowBytes: 496, ImageBytes: 32, RingBytes: 64 << 10, LLCM: 128 << 10, SODIMM: 256 << 20,
	}
}

// check reports parameters that no NIC can have.
func (p *Params) check() error {
	switch {
	case min(p.Write, p.Read, p.Chipset, p.Fill, p.Clock, p.Access, p.Logic, p.Cable, p.Switch) < 0:
		return fmt.Errorf("dimmnet2: a time is negative")
	case p.Command < 1 || p.Decode < 0 || p.Publish < 0 || p.Header < 0 || p.Bank <= 0 || p.Link <= 0 || p.Word < 1 || p.MTU < 1:
		return fmt.Errorf("dimmnet2: Command %d, Decode %d, Publish %d, Header %d, Bank %v, Link %v, Word %d, MTU %d: none may be negative, and only the second to fourth 0", p.Command, p.Decode, p.Publish, p.Header, p.Bank, p.Link, p.Word, p.MTU)
	case p.Windows < 1 || p.ImageBytes < imageBytes || p.WindowBytes < p.ImageBytes+dimmnet.WordBytes:
		return fmt.Errorf("dimmnet2: %d windows of %d bytes with a header of %d: want at least one, %d bytes of header and a word", p.Windows, p.WindowBytes, p.ImageBytes, imageBytes)
	case p.LLCM < 1<<10 || p.LLCM%dimmnet.WordBytes != 0 || p.RingBytes < p.WindowBytes || p.SODIMM < p.RingBytes || int64(p.LLCM)+int64(p.SODIMM) > 1<<32:
		return fmt.Errorf("dimmnet2: LLCM %d, rings of %d, SO-DIMM %d bytes: want whole words, at least 1 KB, a packet, a ring, and together no more than 4 GB", p.LLCM, p.RingBytes, p.SODIMM)
	}
	return nil
}

func (p *Params) clocks(n int) dimmnet.Time { return dimmnet.Time(n) * p.Clock }

// inside is what n bytes take through the FPGA.
func (p *Params) inside(n int) dimmnet.Time { return p.clocks((n + p.Word - 1) / p.Word) }

// bank is what an access to pieces of n bytes together takes, while they pass through the FPGA.
func (p *Params) bank(pieces, n int) dimmnet.Time {
	return dimmnet.Time(pieces)*p.Access + max(p.inside(n), dimmnet.Time(float64(n)/p.Bank*float64(dimmnet.Nanosecond)))
}

// command is what the host takes to give one.
func (p *Params) command() dimmnet.Time { return dimmnet.Time(p.Command) * p.Write }

// line is what a packet of n bytes occupies a link.
func (p *Params) line(n int) dimmnet.Time {
	return dimmnet.Time(float64(n+p.Header) / p.Link * float64(dimmnet.Nanosecond))
}
