package dimmnet2

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// User is a process' view of its NIC: windows that are mapped into it, and commands. It belongs to the thread of its host.
//
//	u.Fill(0, data)                                      // WW: data stand in the NIC
//	n, err := u.VS(0, dimmnet2.Contiguous(off, 64))      // a command: they go to SO-DIMM
//	for !u.Done(n) { ... }                               // UR: one poll
//
// Commands are executed in the order in which they are given. What a command names is looked at when it is given: what does not fit is an error,
// and nothing happens.
type User struct {
	core sim.Core
	nic  *nic
}

// Open is the user of the NIC of a host of a Network.
func Open(h dimmnet.Host) (*User, error) {
	own, ok := h.(host)
	if !ok {
		return nil, errors.New("dimmnet2: the host is not one of a DIMMnet-2 network")
	}
	return &User{own.core, own.nic}, nil
}

// Params are the numbers of the NIC.
func (u *User) Params() Params { return u.nic.machine.Params }

// Fill stores p in WW, at off, by write-combining stores.
func (u *User) Fill(off int, p []byte) error {
	if off < 0 || off+len(p) > len(u.nic.window) {
		return fmt.Errorf("dimmnet2: %d bytes at %d of WW: it has %d", len(p), off, len(u.nic.window))
	}
	u.core.Sync()
	u.core.Charge(dimmnet.Time((len(p)+dimmnet.WordBytes-1)/dimmnet.WordBytes) * u.nic.Params.Fill)
	copy(u.nic.window[off:], p)
	return nil
}

// Fetch loads p from PW, at off, by uncached loads of a word.
func (u *User) Fetch(p []byte, off int) error {
	if off < 0 || off+len(p) > len(u.nic.prefetch) {
		return fmt.Errorf("dimmnet2: %d bytes at %d of PW: it has %d", len(p), off, len(u.nic.prefetch))
	}
	u.core.Sync()
	copy(p, u.nic.prefetch[off:])
	words := (off%dimmnet.WordBytes + len(p) + dimmnet.WordBytes - 1) / dimmnet.WordBytes
	u.core.Charge(dimmnet.Time(words) * u.nic.Read)
	return nil
}

// Load is an uncached load of a word of the LLCM: a poll.
func (u *User) Load(off dimmnet.Offset) (uint64, error) {
	if off%dimmnet.WordBytes != 0 || int(off) >= u.nic.LLCM {
		return 0, fmt.Errorf("dimmnet2: a word at %d of an LLCM of %d bytes", off, u.nic.LLCM)
	}
	u.core.Sync()
	u.core.Charge(u.nic.Read)
	u.core.Count(dimmnet.Counters{Polls: 1})
	return u.nic.memory.load(off), u.core.Err() // who polls learns that the run has failed
}

// Done says whether the n-th command, and with it all before, are done: a poll of UR.
func (u *User) Done(n uint64) bool {
	u.core.Sync()
	u.core.Charge(u.nic.Read)
	u.core.Count(dimmnet.Counters{Polls: 1})
	return u.nic.done >= n
}

// give charges the store to UR, and says when the controller begins.
func (u *User) give() (begin dimmnet.Time) {
	u.core.Sync()
	u.core.Charge(u.nic.command())
	u.core.Sync() // packets that have come meanwhile were first
	u.nic.counts.Commands++
	u.nic.given++
	return u.nic.start(u.core.Now())
}

// refuse counts and reports what a command must not name.
func (u *User) refuse(format string, args ...any) (uint64, error) {
	u.nic.counts.Refused++
	return 0, fmt.Errorf("dimmnet2: rank %d: %w", u.nic.rank, fmt.Errorf(format, args...))
}

// VL loads a pattern of the own SO-DIMM into PW, at off.
func (u *User) VL(p Pattern, off int) (n uint64, err error) {
	nic := u.nic
	if !p.within(nic.LLCM, nic.LLCM+nic.SODIMM) || off < 0 || off+p.Bytes() > len(nic.prefetch) {
		return u.refuse("VL of %d bytes to %d of PW: not in SO-DIMM, or PW is too small", p.Bytes(), off)
	}
	begin := u.give()
	end := begin + nic.access(p)
	nic.finish(u.core, end, func(dimmnet.Time) { copy(nic.prefetch[off:], nic.memory.gather(p)) })
	return nic.given, nil
}

// VS stores what stands in WW at off into a pattern of the own SO-DIMM.
func (u *User) VS(off int, p Pattern) (n uint64, err error) {
	nic := u.nic
	if !p.within(nic.LLCM, nic.LLCM+nic.SODIMM) || off < 0 || off+p.Bytes() > len(nic.window) {
		return u.refuse("VS of %d bytes at %d of WW: not into SO-DIMM, or WW is too small", p.Bytes(), off)
	}
	begin := u.give()
	b := append([]byte(nil), nic.window[off:off+p.Bytes()]...)
	nic.finish(u.core, begin+nic.access(p), func(dimmnet.Time) { nic.memory.scatter(p, b) })
	return nic.given, nil
}

// RVS stores a pattern of the own memory into one of dst's: both have as many bytes. If done is not NoWord, n is stored there in the own LLCM
// when they have landed.
func (u *User) RVS(dst dimmnet.Rank, from, to Pattern, done dimmnet.Offset) (n uint64, err error) {
	nic := u.nic
	if err := u.checkRemote(dst, from, to, done); err != nil {
		return 0, err
	}
	begin := u.give()
	t := begin + nic.access(from)
	nic.finish(u.core, t, nil)
	bytes := from.Bytes()
	u.core.At(t, nic.rank, false, func(at dimmnet.Time) {
		// The link streams what the memory gives: it is no slower than that.
		nic.busy = max(nic.busy, nic.send(u.core, at, packet{kind: kindRVS, src: nic.rank, dst: dst, to: to, payload: nic.memory.gather(from), landed: nic.landing(u.core, done, bytes)}))
	})
	return nic.given, nil
}

// RVL loads a pattern of dst's memory into one of the own.
func (u *User) RVL(dst dimmnet.Rank, from, to Pattern, done dimmnet.Offset) (n uint64, err error) {
	nic := u.nic
	if err := u.checkRemote(dst, from, to, done); err != nil {
		return 0, err
	}
	begin := u.give()
	nic.finish(u.core, begin, nil)
	p := packet{kind: kindRVL, src: nic.rank, dst: dst, to: from, back: to, last: true, landed: nic.landing(u.core, done, from.Bytes())}
	u.core.At(begin, nic.rank, false, func(at dimmnet.Time) { nic.launch(u.core, at, p) }) // behind what was given before
	return nic.given, nil
}

// NoWord is the done of a command that stores no word.
const NoWord = ^dimmnet.Offset(0)

// landing stores a word when a command's bytes have landed.
func (n *nic) landing(c sim.Core, done dimmnet.Offset, bytes int) func(dimmnet.Time) {
	if done == NoWord {
		return nil
	}
	return func(at dimmnet.Time) {
		c.At(at+n.clocks(n.Publish), n.rank, true, func(at dimmnet.Time) {
			n.memory.store(done, uint64(bytes))
			c.Landed(at, n.rank, n.rank, uint64(done), nil)
		})
	}
}

func (u *User) checkRemote(dst dimmnet.Rank, from, to Pattern, done dimmnet.Offset) error {
	nic := u.nic
	size := nic.LLCM + nic.SODIMM
	if int(dst) >= len(nic.nics) || !from.within(0, size) || !to.within(0, size) || from.Bytes() != to.Bytes() {
		_, err := u.refuse("RVS or RVL of %d bytes to %d, with rank %d: not in memory, not as many, or no such rank", from.Bytes(), to.Bytes(), dst)
		return err
	}
	if len(from.pieces) > 1 && !from.packed || len(to.pieces) > 1 && !to.packed {
		_, err := u.refuse("RVS or RVL of lists that are not packed")
		return err
	}
	if done != NoWord && (done%dimmnet.WordBytes != 0 || int(done) >= nic.LLCM) {
		_, err := u.refuse("a word at %d of an LLCM of %d bytes", done, nic.LLCM)
		return err
	}
	return nil
}

// Free says whether window w has no packet that is still to be accepted: a poll of UR.
func (u *User) Free(w int) bool {
	if w < 0 || w >= u.nic.Windows {
		panic(fmt.Sprintf("dimmnet2: window %d of %d", w, u.nic.Windows))
	}
	u.core.Sync()
	u.core.Charge(u.nic.Read)
	u.core.Count(dimmnet.Counters{Polls: 1})
	return !u.nic.full[w]
}

// BOTF sends the packet that stands in window number w, whose header IVSImage or RVSImage has made. Until it is accepted, the window must not be
// filled: what has been held since its ring is full stands there.
func (u *User) BOTF(w int) (n uint64, err error) {
	nic := u.nic
	if w < 0 || w >= nic.Windows {
		return u.refuse("window %d of %d", w, nic.Windows)
	}
	b := nic.window[w*nic.WindowBytes:][:nic.WindowBytes]
	k, dst := kind(b[0]), dimmnet.Rank(binary.LittleEndian.Uint16(b[2:]))
	off, size := dimmnet.Offset(binary.LittleEndian.Uint32(b[4:])), int(binary.LittleEndian.Uint32(b[8:]))
	if k != kindRVS && k != kindIVS || int(dst) >= len(nic.nics) || size < 1 || size > nic.WindowBytes-nic.ImageBytes {
		return u.refuse("BOTF of a packet of kind %d, %d bytes, for rank %d", k, size, dst)
	}
	if nic.full[w] {
		return u.refuse("BOTF of window %d, whose last packet has not been accepted", w)
	}
	nic.full[w] = true
	begin := u.give()
	p := packet{accepted: func() { nic.full[w] = false }, kind: k, src: nic.rank, dst: dst, to: Contiguous(off, size), payload: append([]byte(nil), b[nic.ImageBytes:][:size]...)}
	t := begin + nic.inside(nic.ImageBytes+size)
	nic.finish(u.core, t, nil)
	u.core.At(t, nic.rank, false, func(at dimmnet.Time) { nic.send(u.core, at, p) })
	return nic.given, nil
}

// IVSImage and RVSImage are headers of packets for BOTF: one is appended to the ring of this process at dst, the other stored at off there.
func (u *User) IVSImage(dst dimmnet.Rank, bytes int) []byte { return image(kindIVS, dst, 0, bytes) }

// RVSImage: see IVSImage.
func (u *User) RVSImage(dst dimmnet.Rank, off dimmnet.Offset, bytes int) []byte {
	return image(kindRVS, dst, off, bytes)
}

// Put stands a packet in window w: its header, and what it carries.
func (u *User) Put(w int, header, payload []byte) error {
	if len(payload) > u.nic.WindowBytes-u.nic.ImageBytes {
		return fmt.Errorf("dimmnet2: a packet of %d bytes: a window has %d for it", len(payload), u.nic.WindowBytes-u.nic.ImageBytes)
	}
	b := make([]byte, u.nic.ImageBytes, u.nic.ImageBytes+len(payload))
	copy(b, header)
	return u.Fill(w*u.nic.WindowBytes, append(b, payload...))
}

// IVS appends a pattern of the own SO-DIMM to the ring of this process at dst.
func (u *User) IVS(dst dimmnet.Rank, from Pattern) (n uint64, err error) {
	nic := u.nic
	if int(dst) >= len(nic.nics) || !from.within(nic.LLCM, nic.LLCM+nic.SODIMM) || from.Bytes() > min(nic.MTU, nic.RingBytes) {
		return u.refuse("IVS of %d bytes to rank %d: not in SO-DIMM, more than %d, or no such rank", from.Bytes(), dst, min(nic.MTU, nic.RingBytes))
	}
	begin := u.give()
	t := begin + nic.access(from)
	nic.finish(u.core, t, nil)
	u.core.At(t, nic.rank, false, func(at dimmnet.Time) {
		nic.send(u.core, at, packet{kind: kindIVS, src: nic.rank, dst: dst, payload: nic.memory.gather(from)})
	})
	return nic.given, nil
}

// NWA is how many bytes the controller has written into the ring of src: a poll of the LLCM.
func (u *User) NWA(src dimmnet.Rank) (uint64, error) {
	if int(src) >= len(u.nic.nics) {
		_, err := u.refuse("the ring of rank %d of %d", src, len(u.nic.nics))
		return 0, err
	}
	return u.Load(u.nic.nwaAt(src))
}

// Ring is where the next n bytes of src's ring are, from nra on: what VL loads. There are two pieces where it turns round.
func (u *User) Ring(src dimmnet.Rank, nra uint64, n int) Pattern {
	r := &u.nic.rings[src]
	off := int(nra % uint64(u.nic.RingBytes))
	if first := u.nic.RingBytes - off; n > first {
		return Pieces(Range{r.base + dimmnet.Offset(off), first}, Range{r.base, n - first})
	}
	return Contiguous(r.base+dimmnet.Offset(off), n)
}

// Advance tells the controller that src's ring has been read up to nra: a store to UR.
func (u *User) Advance(src dimmnet.Rank, nra uint64) error {
	if int(src) >= len(u.nic.nics) || nra < u.nic.rings[src].told || nra > u.nic.rings[src].nwa {
		_, err := u.refuse("NRA %d of the ring of rank %d: it was not written as far, or has been read further", nra, src)
		return err
	}
	u.nic.rings[src].told = nra
	u.core.Sync()
	u.core.Charge(u.nic.Write)
	at := u.core.Now() + u.nic.Chipset
	u.core.At(at, u.nic.rank, false, func(at dimmnet.Time) { u.nic.advance(u.core, at, src, nra) })
	return nil
}
