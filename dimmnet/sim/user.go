package sim

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/host"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
)

// User is a process that uses a node's NIC below the level of a Port, with its own kick pages,
// windows and regions. It serves experiments with several processes on a node and with
// requests that the hardware refuses. It belongs to the thread of its host.
type User struct {
	port    *port
	owner   martini.Owner
	credits network.Departures // the user's stores that are in the transaction FIFO
}

type window struct {
	kind WindowKind
	used bool
	left dimmnet.Time // time when the last packet in the window has left
}

// WindowKind is how the host's page tables map a window.
type WindowKind uint8

const (
	WriteCombining WindowKind = iota // words are combined and written at the speed of the bus
	Uncached                         // every word is an uncached write
)

// NoAck as the ack argument of Block requests no status word.
const NoAck = ^dimmnet.Offset(0)

// OpenUser makes o a user of a simulated host's NIC, which has up to martini.MaxUsers, one of
// them the Port's process (process 1 of group 1). It is an error on a UDP network.
func OpenUser(h dimmnet.Host, o martini.Owner) (*User, error) {
	p, err := dimmnetPort(h, "OpenUser")
	if err != nil {
		return nil, err
	}
	if err := p.nic.Chip.Open(o); err != nil {
		return nil, err
	}
	p.Couple() // some methods do not wait for earlier events
	return &User{port: p, owner: o}, nil
}

// dimmnetPort returns the port of a simulated host with a DIMMnet-1. call is who asks for it.
func dimmnetPort(h dimmnet.Host, call string) (*port, error) {
	th, ok := h.(*host.Thread)
	if !ok {
		return nil, fmt.Errorf("sim: %s: the host is not simulated by this package", call)
	}
	p, ok := th.Port().(*port)
	if !ok {
		return nil, fmt.Errorf("sim: %s: hosts of a UDP network have no NIC", call)
	}
	return p, nil
}

// OpenCore returns the thread of a simulated host, for packages that put their own NIC into the
// hosts. The work of the host costs time of the thread (Busy); the work of the NIC and its
// network are events (At). All else works as with DIMMnet-1: threads, CPUs, the order of
// events, skipped polls, random delays and the trace. It is an error on a UDP network.
func OpenCore(h dimmnet.Host) (*host.Thread, error) {
	p, err := dimmnetPort(h, "OpenCore")
	if err != nil {
		return nil, err
	}
	p.run.net.StopLookingAhead() // nothing is known about the NIC
	return p.Thread, nil
}

// Close removes the user's pages, windows and regions.
func (u *User) Close() {
	u.port.Sync()
	u.port.nic.Chip.Close(u.owner)
}

// Register lets packets of the user's group and process access n bytes at base as region id.
func (u *User) Register(id uint16, base dimmnet.Offset, n int) error {
	l := &u.port.preset.Limits
	if n < 1 || base%dimmnet.WordBytes != 0 || int64(base)+int64(n) > int64(l.LLCM)+int64(l.Bulk) ||
		int(base) < l.LLCM && int(base)+n > l.LLCM {
		return fmt.Errorf("sim: region of %d bytes at %d: it must start at a word and lie in the LLCM of %d bytes or in the bulk memory of %d behind it", n, base, l.LLCM, l.Bulk)
	}
	u.port.Sync()
	return u.port.nic.Chip.Register(u.owner, id, base, n)
}

// Map returns a kick page for a header seed. The driver writes the user's group and process
// into the seed. A physical address must be that of a page in a region that the same process
// of the group has registered at the receiver; the driver checks this.
func (u *User) Map(s martini.Seed) (page int, err error) {
	p := u.port
	p.Sync() // the peer's earlier calls of Register happen first
	if int(s.To) >= p.Nodes() {
		return 0, fmt.Errorf("sim: header seed for rank %d: there are %d nodes", s.To, p.Nodes())
	}
	s.Owner = u.owner
	if s.Physical && !p.run.nodes[s.To].Chip.Within(s.Owner, dimmnet.Offset(s.Addr), martini.PageBytes) {
		return 0, p.refuse(martini.RefusedMemory)
	}
	return p.nic.Chip.Map(s)
}

// Window gives the user a BOTF window, which the Port then loses.
func (u *User) Window(kind WindowKind) (number int, err error) {
	p := u.port
	number, err = p.nic.Chip.Window(u.owner, p.preset.Windows)
	if err != nil {
		return 0, err
	}
	if number == len(p.nic.windows) {
		p.nic.windows = append(p.nic.windows, window{})
	}
	// left is kept: packets of the previous user may still be in the window
	p.nic.windows[number].kind = kind
	return number, nil
}

// Store is an AOTF: it stores the low size bytes of v to offset of a kick page. Every user has the
// transaction FIFO's entries as credits. A page not the user's is an error, and counted.
func (u *User) Store(page int, offset uint32, v uint64, size int) (posted bool, err error) {
	p := u.port
	p.Sync()
	p.Busy(p.preset.Host.Write)
	seed, hit, refusal := p.nic.Chip.Kick(u.owner, page)
	if refusal != martini.Admitted {
		return false, p.report(refusal)
	}
	h, err := seed.Complete(offset, size)
	if err != nil {
		return false, err
	}
	if p.Failure() != nil || !p.nic.Below(&u.credits, p.preset.FIFO, p.Now()) {
		return false, p.Failure()
	}
	p.nic.PostFor(&u.credits, h, lowBytes(v, size), size, p.Now(), hit)
	return true, nil
}

// Block is a BOTF: it sends h and the payload through a window. The hardware writes the user's
// group and process, and the length, into h. Before a window is used again, an uncached read
// shows whether its packet has left; if not, nothing is posted.
//
// When the payload has landed or was refused, a status word is stored at ack in this node's
// LLCM: the number of bytes, or the martini.Refusal with the top bit set. A window that does
// not belong to the user is an error, and counted.
func (u *User) Block(number int, h martini.Header, b []byte, ack dimmnet.Offset) (posted bool, err error) {
	p := u.port
	if int(h.To) >= p.Nodes() {
		return false, fmt.Errorf("sim: block for rank %d: there are %d nodes", h.To, p.Nodes())
	}
	status := int32(-1)
	p.Sync()
	if refusal := p.nic.Chip.UseWindow(u.owner, number); refusal != martini.Admitted {
		return false, p.report(refusal)
	}
	if ack != NoAck {
		if err := u.ownWord(ack); err != nil {
			return false, err
		}
		status = int32(ack)
	}
	w := &p.nic.windows[number]
	if w.used {
		p.Busy(p.preset.Host.Read)
		p.Sync()
		if w.left > p.Now() {
			p.nic.WakeAt(w.left)
			return false, p.Failure()
		}
	}
	h.Owner, h.Command, h.Length = u.owner, martini.CommandBlock, len(b)
	p.fillWindow(len(b), w.kind)
	w.used, w.left = true, p.nic.Block(h, b, status, p.Now())
	return true, p.Failure()
}

// Push is a PUSH of n bytes at from, in a region of the user, to the address in h. The hardware
// writes the owner into h. The status word at done is that of Block.
func (u *User) Push(h martini.Header, from dimmnet.Offset, n int, done dimmnet.Offset) (posted bool, err error) {
	p := u.port
	if err := u.checkTransfer(&h, n, done); err != nil {
		return false, err
	}
	if !p.nic.Chip.Within(u.owner, from, n) {
		return false, p.refuse(martini.RefusedRegion)
	}
	h.Command, h.Length = martini.CommandPush, n
	if posted = p.request(); posted {
		p.nic.Push(h, from, n, done, p.Now())
	}
	return posted, p.Failure()
}

// Pull is a PULL of n bytes from the address in h at rank h.To to the address in into in this
// node's NIC memory.
func (u *User) Pull(h, into martini.Header, n int, done dimmnet.Offset) (posted bool, err error) {
	p := u.port
	if err := u.checkTransfer(&h, n, done); err != nil {
		return false, err
	}
	into.To = p.Rank()
	if err := u.checkTransfer(&into, n, done); err != nil {
		return false, err
	}
	h.Command, h.Length = martini.CommandPull, n
	into.Command, into.Length = martini.CommandPush, n
	if posted = p.request(); posted {
		p.nic.Pull(h, into, n, done, p.Now())
	}
	return posted, p.Failure()
}

// checkTransfer rejects what the hardware refuses from a user, and writes the owner into h.
func (u *User) checkTransfer(h *martini.Header, n int, done dimmnet.Offset) error {
	p := u.port
	if int(h.To) >= p.Nodes() {
		return fmt.Errorf("sim: RDMA with rank %d: there are %d nodes", h.To, p.Nodes())
	}
	if n < 1 || n > p.preset.Limits.RDMA || int64(h.Addr)+int64(n) > 1<<32 {
		return p.refuse(martini.RefusedLength)
	}
	h.Owner = u.owner
	return u.ownWord(done)
}

// ownWord rejects a status word that is not a word of the LLCM in a region of the user.
func (u *User) ownWord(off dimmnet.Offset) error {
	p := u.port
	if off%dimmnet.WordBytes != 0 || int(off) >= p.preset.Limits.LLCM || !p.nic.Chip.Within(u.owner, off, dimmnet.WordBytes) {
		return p.refuse(martini.RefusedRegion)
	}
	return nil
}

func (p *port) refuse(why martini.Refusal) error {
	p.nic.Chip.Refuse(why)
	return p.report(why)
}

// report reports a refusal that was counted already.
func (p *port) report(why martini.Refusal) error {
	p.run.net.Report(Refused{At: p.Now(), From: p.Rank(), To: p.Rank(), Reason: why})
	return fmt.Errorf("sim: rank %d: %v", p.Rank(), why)
}
