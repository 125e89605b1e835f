package sim

import (
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// User is a process that uses a node's NIC below the level of a Port, with its own kick pages,
// windows and regions. It serves experiments with several processes on a node and with
// requests that the hardware refuses. It belongs to the thread of its host.
type User struct {
	th      *thread
	owner   martini.Owner
	credits departures // the user's stores that are in the transaction FIFO
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
	th, ok := h.(*thread)
	if !ok {
		return nil, errors.New("sim: OpenUser: the host is not simulated by this package")
	}
	if th.k.cfg.UDP != nil {
		return nil, errors.New("sim: OpenUser: hosts of a UDP network have no NIC")
	}
	if err := th.node.chip.Open(o); err != nil {
		return nil, err
	}
	th.node.coupled = true // some methods do not wait for earlier events
	return &User{th: th, owner: o}, nil
}

// Close removes the user's pages, windows and regions.
func (u *User) Close() {
	u.th.sync()
	u.th.node.chip.Close(u.owner)
}

// Register lets packets of the user's group and process access n bytes at base as region id.
func (u *User) Register(id uint16, base dimmnet.Offset, n int) error {
	l := &u.th.k.preset.Limits
	if n < 1 || base%dimmnet.WordBytes != 0 || int64(base)+int64(n) > int64(l.LLCM)+int64(l.Bulk) ||
		int(base) < l.LLCM && int(base)+n > l.LLCM {
		return fmt.Errorf("sim: region of %d bytes at %d: it must start at a word and lie in the LLCM of %d bytes or in the bulk memory of %d behind it", n, base, l.LLCM, l.Bulk)
	}
	u.th.sync()
	return u.th.node.chip.Register(u.owner, id, base, n)
}

// Map returns a kick page for a header seed. The driver writes the user's group and process
// into the seed. A physical address must be that of a page in a region that the same process
// of the group has registered at the receiver; the driver checks this.
func (u *User) Map(s martini.Seed) (page int, err error) {
	k := u.th.k
	u.th.sync() // the peer's earlier calls of Register happen first
	if int(s.To) >= len(k.nodes) {
		return 0, fmt.Errorf("sim: header seed for rank %d: there are %d nodes", s.To, len(k.nodes))
	}
	s.Owner = u.owner
	if s.Physical && !k.nodes[s.To].chip.Within(s.Owner, dimmnet.Offset(s.Addr), martini.PageBytes) {
		return 0, u.th.refuse(martini.RefusedMemory)
	}
	return u.th.node.chip.Map(s)
}

// Window gives the user a BOTF window, which the Port then loses.
func (u *User) Window(kind WindowKind) (number int, err error) {
	n := u.th.node
	number, err = n.chip.Window(u.owner, u.th.k.preset.Windows)
	if err != nil {
		return 0, err
	}
	if number == len(n.userWindows) {
		n.userWindows = append(n.userWindows, window{})
	}
	// left is kept: packets of the previous user may still be in the window
	n.userWindows[number].kind = kind
	return number, nil
}

// Store is an AOTF: it stores the low size bytes of v to offset of a kick page. Every user has the
// transaction FIFO's entries as credits. A page not the user's is an error, and counted.
func (u *User) Store(page int, offset uint32, v uint64, size int) (posted bool, err error) {
	th := u.th
	k, n := th.k, th.node
	th.sync()
	th.now += k.preset.Host.Write
	seed, hit, refusal := n.chip.Kick(u.owner, page)
	if refusal != martini.Admitted {
		return false, th.report(refusal)
	}
	h, err := seed.Complete(offset, size)
	if err != nil {
		return false, err
	}
	if k.err != nil || !th.hasCredit(&u.credits, k.preset.FIFO) {
		return false, k.err
	}
	p := packet{kind: kindStore, header: h, word: lowBytes(v, size), size: int32(size), ref: -1, src: th.rank, dst: h.To}
	u.credits.add(k.post(p, th.kicked(th.now, hit)))
	return true, nil
}

// Block is a BOTF: it sends h and the payload through a window. The hardware writes the user's
// group and process, and the length, into h. Before a window is used again, an uncached read
// shows whether its packet has left; if not, nothing is posted.
//
// When the payload has landed or was refused, a status word is stored at ack in this node's
// LLCM: the number of bytes, or the martini.Refusal with the top bit set. A window that does
// not belong to the user is an error, and counted.
func (u *User) Block(number int, h martini.Header, p []byte, ack dimmnet.Offset) (posted bool, err error) {
	th := u.th
	k, n := th.k, th.node
	if int(h.To) >= len(k.nodes) {
		return false, fmt.Errorf("sim: block for rank %d: there are %d nodes", h.To, len(k.nodes))
	}
	ref := int32(-1)
	th.sync()
	if refusal := n.chip.UseWindow(u.owner, number); refusal != martini.Admitted {
		return false, th.report(refusal)
	}
	if ack != NoAck {
		if err := u.ownWord(ack); err != nil {
			return false, err
		}
		ref = int32(ack)
	}
	w := &n.userWindows[number]
	if w.used {
		th.now += k.preset.Host.Read
		th.sync()
		if w.left > th.now {
			th.wakeAt(w.left)
			return false, k.err
		}
	}
	h.Owner, h.Command, h.Length = u.owner, martini.CommandBlock, len(p)
	th.fillWindow(len(p), w.kind)
	w.used, w.left = true, th.launch(packet{header: h, ref: ref, dst: h.To}, p)
	return true, k.err
}

// Push is a PUSH of n bytes at from, in a region of the user, to the address in h. The hardware
// writes the owner into h. The status word at done is that of Block.
func (u *User) Push(h martini.Header, from dimmnet.Offset, n int, done dimmnet.Offset) (posted bool, err error) {
	th := u.th
	if err := u.checkTransfer(&h, n, done); err != nil {
		return false, err
	}
	if !th.node.chip.Within(u.owner, from, n) {
		return false, th.refuse(martini.RefusedRegion)
	}
	h.Command, h.Length = martini.CommandPush, n
	posted = th.post(transfer{owner: th.rank, src: th.rank, dst: h.To, header: h, from: from, bytes: n, done: done})
	return posted, th.k.err
}

// Pull is a PULL of n bytes from the address in h at rank h.To to the address in into in this
// node's NIC memory.
func (u *User) Pull(h, into martini.Header, n int, done dimmnet.Offset) (posted bool, err error) {
	th := u.th
	if err := u.checkTransfer(&h, n, done); err != nil {
		return false, err
	}
	into.To = th.rank
	if err := u.checkTransfer(&into, n, done); err != nil {
		return false, err
	}
	h.Command, h.Length = martini.CommandPull, n
	into.Command, into.Length = martini.CommandPush, n
	posted = th.post(transfer{owner: th.rank, src: h.To, dst: th.rank, header: into, ask: h, bytes: n, done: done, pull: true})
	return posted, th.k.err
}

// checkTransfer rejects what the hardware refuses from a user, and writes the owner into h.
func (u *User) checkTransfer(h *martini.Header, n int, done dimmnet.Offset) error {
	th := u.th
	if int(h.To) >= len(th.k.nodes) {
		return fmt.Errorf("sim: RDMA with rank %d: there are %d nodes", h.To, len(th.k.nodes))
	}
	if n < 1 || n > th.k.preset.Limits.RDMA || int64(h.Addr)+int64(n) > 1<<32 {
		return th.refuse(martini.RefusedLength)
	}
	h.Owner = u.owner
	return u.ownWord(done)
}

// ownWord rejects a status word that is not a word of the LLCM in a region of the user.
func (u *User) ownWord(off dimmnet.Offset) error {
	th := u.th
	if off%dimmnet.WordBytes != 0 || int(off) >= th.k.preset.Limits.LLCM || !th.node.chip.Within(u.owner, off, dimmnet.WordBytes) {
		return th.refuse(martini.RefusedRegion)
	}
	return nil
}

func (th *thread) refuse(why martini.Refusal) error {
	th.node.chip.Refuse(why)
	return th.report(why)
}

// report reports a refusal that was counted already.
func (th *thread) report(why martini.Refusal) error {
	th.k.refused(Refused{At: th.now, From: th.rank, To: th.rank, Reason: why})
	return fmt.Errorf("sim: rank %d: %v", th.rank, why)
}
