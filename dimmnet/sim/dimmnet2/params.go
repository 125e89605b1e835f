package dimmnet2

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Params are the times and sizes of a DIMMnet-2, its host and its network. "Paper" refers to
// docs/lab/papers.md, DIMMnet-2 and MPI, and "DIMMnet-1" to its section on DIMMnet-1. Values that
// no paper prints are assumed; docs/lab/dimmnet2.md lists what depends on them.
type Params struct {
	// The host: a Pentium 4 of 2.6 GHz, VIA VT8751A, DDR PC1600 (paper).

	// Command is the number of stores to UR for a command. Assumed: 16 bytes hold the operation,
	// the addresses and the lengths.
	Command int
	// Write and Read are an uncached store and an uncached load of 8 bytes (DIMMnet-1: the CPU
	// time of a Pentium 4 on a DIMM bus of 100 MHz).
	Write, Read dimmnet.Time
	// Chipset is the time of a write from the CPU to the bus (DIMMnet-1).
	Chipset dimmnet.Time
	// Fill is the time to fill 8 bytes of a write-combining window: a clock of a 100 MHz bus,
	// half the speed of DDR PC1600.
	Fill dimmnet.Time

	// The NIC: an FPGA at 100 MHz (paper).

	Clock dimmnet.Time
	// Decode is the number of clocks from a command's arrival to its first access. Assumed: with
	// Publish it makes a VL take 0.68 us (paper).
	Decode int
	// Publish is the number of clocks from the end of a command, or of a reception, to its
	// status in UR or the LLCM. Assumed.
	Publish int
	// Word is the number of bytes that pass through the FPGA in a clock. Assumed: the 8 of a
	// DIMM, at both edges.
	Word int

	// The SO-DIMM: DDR PC1600, assumed to be the same as the host's.

	// Access is the row and column access of a contiguous piece. Assumed: PC1600's tRCD and CAS
	// latency of 20 and 25 ns.
	Access dimmnet.Time
	Bank   float64 // bytes a nanosecond: 1.6, PC1600

	// The network: InfiniBand 4X, 2 m of cable (paper).

	Link float64 // bytes a nanosecond: 1, which is 10 Gb/s with 8 bits in 10 on the line
	// Header is the number of bytes that InfiniBand adds to a packet: local route 8, base
	// transport 12, RDMA 16, checks 6.
	Header int
	MTU    int // bytes of data in a packet: InfiniBand's 2048
	// Logic is the time of the transport layers of sender and receiver, with their clock
	// domains. It is fitted to BOTF(IVS) of 32 bytes, 2.04 us, and eager, 3.87 us (paper).
	Logic  dimmnet.Time
	Cable  dimmnet.Time // 2 m at 5 ns/m
	Switch dimmnet.Time // of a switch, with more than two nodes; assumed: 200 ns, as in 2003

	Windows     int // windows in WW; assumed
	WindowBytes int // header and payload of a packet; assumed: a BOTF of DIMMnet-1
	ImageBytes  int // the header in a window (DIMMnet-1: a header seed)
	RingBytes   int // a sender's ring in SO-DIMM; assumed
	LLCM        int // bytes; assumed: as on DIMMnet-1
	SODIMM      int // bytes; assumed: a bank of DIMMnet-1
}

// Default returns the parameters of the paper's machine.
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

func (p *Params) check() error {
	switch {
	case min(p.Write, p.Read, p.Chipset, p.Fill, p.Clock, p.Access, p.Logic, p.Cable, p.Switch) < 0:
		return fmt.Errorf("dimmnet2: a time in %+v is negative: want at least 0", *p)
	case p.Command < 1 || p.Decode < 0 || p.Publish < 0 || p.Header < 0 || p.Bank <= 0 || p.Link <= 0 || p.Word < 1 || p.MTU < 1:
		return fmt.Errorf("dimmnet2: Command %d, Decode %d, Publish %d, Header %d, Bank %v, Link %v, Word %d, MTU %d: want positive numbers; Decode, Publish and Header may be 0", p.Command, p.Decode, p.Publish, p.Header, p.Bank, p.Link, p.Word, p.MTU)
	case p.Windows < 1 || p.ImageBytes < imageBytes || p.WindowBytes < p.ImageBytes+dimmnet.WordBytes:
		return fmt.Errorf("dimmnet2: %d windows of %d bytes with a header of %d: want at least 1 window, a header of %d bytes, and a word more in a window", p.Windows, p.WindowBytes, p.ImageBytes, imageBytes)
	case p.LLCM < 1<<10 || p.LLCM%dimmnet.WordBytes != 0 || p.RingBytes < p.WindowBytes || p.SODIMM < p.RingBytes || int64(p.LLCM)+int64(p.SODIMM) > 1<<32:
		return fmt.Errorf("dimmnet2: LLCM of %d bytes, rings of %d, SO-DIMM of %d: want an LLCM of whole words and at least 1 KB, rings that hold a packet, an SO-DIMM that holds a ring, and at most 4 GB together", p.LLCM, p.RingBytes, p.SODIMM)
	}
	return nil
}

// limits returns a port's limits. The LLCM's end holds the NWAs, and the SO-DIMM's end the rings.
func (p *Params) limits(nodes int) dimmnet.Limits {
	return dimmnet.Limits{
		Store: dimmnet.WordBytes, Block: p.WindowBytes - p.ImageBytes, RDMA: 1 << 20,
		LLCM: p.LLCM - dimmnet.WordBytes*nodes, Bulk: p.SODIMM - p.RingBytes*nodes,
	}
}

func (p *Params) clocks(n int) dimmnet.Time { return dimmnet.Time(n) * p.Clock }

func (p *Params) inside(n int) dimmnet.Time { return p.clocks((n + p.Word - 1) / p.Word) }

// bank returns the time to access pieces with n bytes in total, which pass through the FPGA.
func (p *Params) bank(pieces, n int) dimmnet.Time {
	return dimmnet.Time(pieces)*p.Access + max(p.inside(n), dimmnet.Time(float64(n)/p.Bank*float64(dimmnet.Nanosecond)))
}

func (p *Params) command() dimmnet.Time { return dimmnet.Time(p.Command) * p.Write }

func (p *Params) line(n int) dimmnet.Time {
	return dimmnet.Time(float64(n+p.Header) / p.Link * float64(dimmnet.Nanosecond))
}
