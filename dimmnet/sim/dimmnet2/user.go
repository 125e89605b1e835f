package dimmnet2

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/host"
)

// User gives a process the windows that its NIC maps into it, and the NIC's commands. Only the
// thread of its host may use it.
//
//	u.Fill(0, data)                                      // writes data to WW
//	n, err := u.VS(0, dimmnet2.Contiguous(off, 64))      // a command: stores WW in SO-DIMM
//	for !u.Done(n) { ... }                               // one poll of UR
//
// Commands are executed in the order issued. A command is checked when it is issued; an invalid
// one gives an error and has no effect.
type User struct {
	core *host.Thread
	nic  *nic
}

// Open returns the User of the NIC of a Network's host.
func Open(h dimmnet.Host) (*User, error) {
	own, ok := h.(thread)
	if !ok {
		return nil, errors.New("dimmnet2: the host is not one of a DIMMnet-2 network")
	}
	return &User{own.Thread, own.nic}, nil
}

// Params returns the parameters of the NIC.
func (u *User) Params() Params { return u.nic.machine.Params }

// Fill stores p at off in WW by write-combining stores.
func (u *User) Fill(off int, p []byte) error {
	if off < 0 || off+len(p) > len(u.nic.window) {
		return fmt.Errorf("dimmnet2: fill %d bytes at %d of WW, which has %d", len(p), off, len(u.nic.window))
	}
	u.core.Sync()
	u.core.Busy(dimmnet.Time((len(p)+dimmnet.WordBytes-1)/dimmnet.WordBytes) * u.nic.Params.Fill)
	copy(u.nic.window[off:], p)
	return nil
}

// Fetch loads p from off in PW by uncached loads of a word.
func (u *User) Fetch(p []byte, off int) error {
	if off < 0 || off+len(p) > len(u.nic.prefetch) {
		return fmt.Errorf("dimmnet2: fetch %d bytes at %d of PW, which has %d", len(p), off, len(u.nic.prefetch))
	}
	u.core.Sync()
	copy(p, u.nic.prefetch[off:])
	words := (off%dimmnet.WordBytes + len(p) + dimmnet.WordBytes - 1) / dimmnet.WordBytes
	u.core.Busy(dimmnet.Time(words) * u.nic.Read)
	return nil
}

// Load polls a word of the LLCM by an uncached load. It fails only with the run.
func (u *User) Load(off dimmnet.Offset) (uint64, error) {
	if off%dimmnet.WordBytes != 0 || int(off) >= u.nic.LLCM {
		return 0, fmt.Errorf("dimmnet2: load the LLCM at offset %d: want a multiple of %d below %d", off, dimmnet.WordBytes, u.nic.LLCM)
	}
	u.nic.poll(u.core)
	return u.nic.memory.load(off), u.core.Err()
}

// Done reports whether the n-th command and all before it are done. It is a poll of UR.
func (u *User) Done(n uint64) bool {
	u.nic.poll(u.core)
	return u.nic.done >= n
}

// issue charges the store to UR. It returns the time when the controller begins the command.
func (u *User) issue() (begin dimmnet.Time) {
	u.core.Sync()
	u.core.Busy(u.nic.command())
	u.core.Sync() // packets that arrived in the meantime come first
	u.nic.counts.Commands++
	u.nic.issued++
	return u.nic.start(u.core.Now())
}

// refuse counts an invalid command and returns its error.
func (u *User) refuse(format string, args ...any) error {
	u.nic.counts.Refused++
	return fmt.Errorf("dimmnet2: rank %d: %w", u.nic.rank, fmt.Errorf(format, args...))
}

// VL loads a pattern of the node's SO-DIMM to offset off of PW.
func (u *User) VL(p Pattern, off int) (n uint64, err error) {
	nic := u.nic
	if !p.within(nic.LLCM, nic.LLCM+nic.SODIMM) || off < 0 || off+p.Bytes() > len(nic.prefetch) {
		return 0, u.refuse("VL of %d bytes to offset %d of PW: want a pattern in SO-DIMM, and at most %d bytes", p.Bytes(), off, len(nic.prefetch))
	}
	return u.finish(u.issue()+nic.access(p), func(dimmnet.Time) { copy(nic.prefetch[off:], nic.memory.gather(p)) })
}

// VS stores the data at offset off of WW in a pattern of the node's SO-DIMM.
func (u *User) VS(off int, p Pattern) (n uint64, err error) {
	nic := u.nic
	if !p.within(nic.LLCM, nic.LLCM+nic.SODIMM) || off < 0 || off+p.Bytes() > len(nic.window) {
		return 0, u.refuse("VS of %d bytes at offset %d of WW: want a pattern in SO-DIMM, and at most %d bytes", p.Bytes(), off, len(nic.window))
	}
	begin := u.issue()
	b := append([]byte(nil), nic.window[off:off+p.Bytes()]...)
	return u.finish(begin+nic.access(p), func(dimmnet.Time) { nic.memory.scatter(p, b) })
}

// RVS stores the bytes of a pattern of the node's memory in a pattern of dst's memory. Both must
// have the same size. If done is not NoWord, the number of bytes is stored at offset done of the
// node's LLCM when the bytes have landed.
func (u *User) RVS(dst dimmnet.Rank, from, to Pattern, done dimmnet.Offset) (n uint64, err error) {
	nic := u.nic
	if err := u.checkRemote(dst, from, to, done); err != nil {
		return 0, err
	}
	return u.finish(u.issue()+nic.access(from), func(at dimmnet.Time) {
		// The memory feeds the link, so the controller is busy until the last packet has left.
		nic.busy = max(nic.busy, nic.send(u.core, at, packet{kind: kindRVS, src: nic.rank, dst: dst, to: to, payload: nic.memory.gather(from), landed: nic.landing(u.core, done, from.Bytes())}))
	})
}

// RVL loads a pattern of dst's memory into a pattern of the node's.
func (u *User) RVL(dst dimmnet.Rank, from, to Pattern, done dimmnet.Offset) (n uint64, err error) {
	nic := u.nic
	if err := u.checkRemote(dst, from, to, done); err != nil {
		return 0, err
	}
	p := packet{kind: kindRVL, src: nic.rank, dst: dst, to: from, back: to, last: true, landed: nic.landing(u.core, done, from.Bytes())}
	// The packet leaves after those of the commands issued before.
	return u.finish(u.issue(), func(at dimmnet.Time) { nic.launch(u.core, at, p) })
}

// NoWord is the value of done for a command that stores no word.
const NoWord = ^dimmnet.Offset(0)

// landing returns a function that stores a word when a command's bytes have landed.
func (n *nic) landing(c *host.Thread, done dimmnet.Offset, bytes int) func(dimmnet.Time) {
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
		return u.refuse("RVS or RVL of %d bytes to %d bytes, with rank %d: want patterns in memory of equal size, and a rank below %d", from.Bytes(), to.Bytes(), dst, len(nic.nics))
	}
	if len(from.pieces) > 1 && !from.packed || len(to.pieces) > 1 && !to.packed {
		return u.refuse("RVS or RVL of an unpacked list: use Packed or Pieces")
	}
	if done != NoWord && (done%dimmnet.WordBytes != 0 || int(done) >= nic.LLCM) {
		return u.refuse("done word at offset %d of the LLCM: want a multiple of %d below %d, or NoWord", done, dimmnet.WordBytes, nic.LLCM)
	}
	return nil
}

// Free reports whether the last packet of window w has been accepted. It is a poll of UR.
func (u *User) Free(w int) bool {
	if w < 0 || w >= u.nic.Windows {
		panic(fmt.Sprintf("dimmnet2: poll window %d: there are only %d", w, u.nic.Windows))
	}
	u.nic.poll(u.core)
	return !u.nic.full[w]
}

// BOTF sends the packet in window w, with a header from IVSImage or RVSImage. w must not be filled
// before the packet is accepted; a packet that waits for space in its ring is not accepted yet.
func (u *User) BOTF(w int) (n uint64, err error) {
	nic := u.nic
	if w < 0 || w >= nic.Windows {
		return 0, u.refuse("BOTF of window %d: there are only %d", w, nic.Windows)
	}
	b := nic.window[w*nic.WindowBytes:][:nic.WindowBytes]
	k, dst := kind(b[0]), dimmnet.Rank(binary.LittleEndian.Uint16(b[2:]))
	off, size := dimmnet.Offset(binary.LittleEndian.Uint32(b[4:])), int(binary.LittleEndian.Uint32(b[8:]))
	if k != kindRVS && k != kindIVS || int(dst) >= len(nic.nics) || size < 1 || size > nic.WindowBytes-nic.ImageBytes {
		return 0, u.refuse("BOTF of a packet of kind %d and %d bytes for rank %d: want RVS or IVS, at most %d bytes and a rank below %d", k, size, dst, nic.WindowBytes-nic.ImageBytes, len(nic.nics))
	}
	if nic.full[w] {
		return 0, u.refuse("BOTF of window %d: its last packet is not accepted yet", w)
	}
	nic.full[w] = true
	begin := u.issue()
	p := packet{accepted: func() { nic.full[w] = false }, kind: k, src: nic.rank, dst: dst, to: Contiguous(off, size), payload: append([]byte(nil), b[nic.ImageBytes:][:size]...)}
	return u.finish(begin+nic.inside(nic.ImageBytes+size), func(at dimmnet.Time) { nic.send(u.core, at, p) })
}

// IVSImage returns the header of a packet that is appended to this node's ring at dst.
func (u *User) IVSImage(dst dimmnet.Rank, bytes int) []byte { return image(kindIVS, dst, 0, bytes) }

// RVSImage returns the header of a packet that is stored at off in dst's memory.
func (u *User) RVSImage(dst dimmnet.Rank, off dimmnet.Offset, bytes int) []byte {
	return image(kindRVS, dst, off, bytes)
}

// Put fills window w with a packet: a header and its payload.
func (u *User) Put(w int, header, payload []byte) error {
	if len(payload) > u.nic.WindowBytes-u.nic.ImageBytes {
		return fmt.Errorf("dimmnet2: put a packet of %d bytes into a window: want at most %d", len(payload), u.nic.WindowBytes-u.nic.ImageBytes)
	}
	b := make([]byte, u.nic.ImageBytes, u.nic.ImageBytes+len(payload))
	copy(b, header)
	return u.Fill(w*u.nic.WindowBytes, append(b, payload...))
}

// IVS appends a pattern of the node's SO-DIMM to the node's ring at dst.
func (u *User) IVS(dst dimmnet.Rank, from Pattern) (n uint64, err error) {
	nic := u.nic
	if int(dst) >= len(nic.nics) || !from.within(nic.LLCM, nic.LLCM+nic.SODIMM) || from.Bytes() > min(nic.MTU, nic.RingBytes) {
		return 0, u.refuse("IVS of %d bytes to rank %d: want a pattern in SO-DIMM of at most %d bytes, and a rank below %d", from.Bytes(), dst, min(nic.MTU, nic.RingBytes), len(nic.nics))
	}
	return u.finish(u.issue()+nic.access(from), func(at dimmnet.Time) {
		nic.send(u.core, at, packet{kind: kindIVS, src: nic.rank, dst: dst, payload: nic.memory.gather(from)})
	})
}

// NWA polls the LLCM for how many bytes the controller has written into src's ring.
func (u *User) NWA(src dimmnet.Rank) (uint64, error) {
	if int(src) >= len(u.nic.nics) {
		return 0, u.refuse("NWA of rank %d: there are only %d", src, len(u.nic.nics))
	}
	return u.Load(u.nic.nwaAt(src))
}

// Ring returns the pattern for VL of n bytes of src's ring from nra: two pieces if they wrap.
func (u *User) Ring(src dimmnet.Rank, nra uint64, n int) Pattern {
	r := &u.nic.rings[src]
	off := int(nra % uint64(u.nic.RingBytes))
	if first := u.nic.RingBytes - off; n > first {
		return Pieces(Range{r.base + dimmnet.Offset(off), first}, Range{r.base, n - first})
	}
	return Contiguous(r.base+dimmnet.Offset(off), n)
}

// Advance reports to the controller, by a store to UR, that src's ring has been read up to nra.
func (u *User) Advance(src dimmnet.Rank, nra uint64) error {
	if int(src) >= len(u.nic.nics) || nra < u.nic.rings[src].stored || nra > u.nic.rings[src].nwa {
		return u.refuse("NRA %d of rank %d's ring: want at least the last NRA, and at most the NWA", nra, src)
	}
	u.nic.rings[src].stored = nra
	u.core.Sync()
	u.core.Busy(u.nic.Write)
	at := u.core.Now() + u.nic.Chipset
	u.core.At(at, u.nic.rank, false, func(at dimmnet.Time) { u.nic.advance(u.core, at, src, nra) })
	return nil
}
