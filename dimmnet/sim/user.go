package sim

import (
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// User is a process on a node's NIC below the level of a Port: with kick pages,
// windows and regions of its own. It is for experiments with several processes on
// a node and with what the hardware refuses. It belongs to the thread of its host.
type User struct {
	th      *thread
	owner   martini.Owner
	credits departures // its stores in the transaction FIFO
	windows map[int]*window
}

// window is a BOTF window of a user.
type window struct {
	kind WindowKind
	used bool
	left dimmnet.Time // when its last packet has left
}

// WindowKind says how the host's page tables map a window.
type WindowKind uint8

// The kinds of windows.
const (
	WriteCombining WindowKind = iota // words are gathered and go at the speed of the bus
	Uncached                         // every word is an uncached write
)

// NoAck is the ack of a Block that asks for none.
const NoAck = ^dimmnet.Offset(0)

// OpenUser makes o a user of the NIC of a simulated host. A NIC has up to
// martini.MaxUsers, one of which is the process of the Port: process 1 of group 1.
func OpenUser(h dimmnet.Host, o martini.Owner) (*User, error) {
	th, ok := h.(*thread)
	if !ok {
		return nil, errors.New("sim: the host is not a simulated one")
	}
	if err := th.node.chip.Open(o); err != nil {
		return nil, err
	}
	return &User{th: th, owner: o, windows: make(map[int]*window)}, nil
}

// Close takes the user's pages, windows and regions away.
func (u *User) Close() { u.th.node.chip.Close(u.owner) }

// Register lets packets of the user's group and process that name region id reach
// n bytes of this node's NIC memory at base.
func (u *User) Register(id uint16, base dimmnet.Offset, n int) error {
	l := &u.th.k.preset.Limits
	if n < 1 || int64(base)+int64(n) > int64(l.LLCM)+int64(l.Bulk) {
		return fmt.Errorf("sim: region of %d bytes at %d: the NIC has %d", n, base, l.LLCM+l.Bulk)
	}
	return u.th.node.chip.Register(u.owner, id, base, n)
}

// Map gives the user a kick page for a header seed, into which the driver stamps
// its group and process.
func (u *User) Map(s martini.Seed) (page int, err error) {
	if int(s.To) >= len(u.th.k.nodes) {
		return 0, fmt.Errorf("sim: header seed for rank %d: there are %d nodes", s.To, len(u.th.k.nodes))
	}
	s.Owner = u.owner
	return u.th.node.chip.Map(s)
}

// Window gives the user a BOTF window, which the Port then no longer has.
func (u *User) Window(kind WindowKind) (number int, err error) {
	number, err = u.th.node.chip.Window(u.owner, u.th.k.preset.Windows)
	if err == nil {
		u.windows[number] = &window{kind: kind}
	}
	return number, err
}

// Store is an AOTF: a store of the low size bytes of v to offset of a kick page.
// Every user has as many credits as the transaction FIFO has places. A page that
// is not the user's is an error, and counted.
func (u *User) Store(page int, offset uint32, v uint64, size int) (posted bool, err error) {
	th := u.th
	k, n := th.k, th.node
	th.sync()
	th.now += k.preset.Host.Write
	seed, hit, refusal := n.chip.Kick(u.owner, page)
	if refusal != martini.Admitted {
		return false, th.refused(refusal)
	}
	h, err := seed.Complete(offset, size)
	if err != nil {
		return false, err
	}
	if k.err != nil || !th.room(&u.credits, k.preset.FIFO) {
		return false, k.err
	}
	p := packet{kind: kindStore, header: h, word: lowBytes(v, size), size: int32(size), ref: -1, src: th.rank, dst: h.To}
	u.credits.add(k.send(p, th.kicked(hit)))
	return true, nil
}

// Block is a BOTF: h and the payload through a window. The hardware stamps the
// user's group and process, and the length, into h. Before a window is used again,
// an uncached read tells whether its packet has left; if not, nothing is posted.
// When the payload has landed, or was refused, a status word is stored at ack in
// the own LLCM: the number of bytes, or one with the top bit set and the
// martini.Refusal. A window that is not the user's is an error, and counted.
func (u *User) Block(number int, h martini.Header, p []byte, ack dimmnet.Offset) (posted bool, err error) {
	th := u.th
	k, n := th.k, th.node
	if int(h.To) >= len(k.nodes) {
		return false, fmt.Errorf("sim: block for rank %d: there are %d nodes", h.To, len(k.nodes))
	}
	ref := int32(-1)
	if ack != NoAck {
		k.preset.Limits.CheckLoad(ack)
		ref = int32(ack)
	}
	th.sync()
	if refusal := n.chip.UseWindow(u.owner, number); refusal != martini.Admitted {
		return false, th.refused(refusal)
	}
	w := u.windows[number]
	if w.used {
		th.now += k.preset.Host.Read
		if w.left > th.now {
			return false, k.err
		}
	}
	h.Owner, h.Command, h.Length = u.owner, martini.CommandBlock, len(p)
	th.fillWindow(len(p), w.kind)
	w.used, w.left = true, th.launch(packet{header: h, ref: ref, dst: h.To}, p)
	return true, k.err
}

// Push is a PUSH of n bytes of the own NIC memory at from to where h says. The
// hardware stamps the user's group and process into h. The status word at done is
// as that of Block.
func (u *User) Push(h martini.Header, from dimmnet.Offset, n int, done dimmnet.Offset) (posted bool, err error) {
	th := u.th
	limits := &th.k.preset.Limits
	limits.CheckRDMA(len(th.k.nodes), h.To, from, 0, n, done)
	h.Owner, h.Command, h.Length = u.owner, martini.CommandPush, n
	posted = th.post(transfer{owner: th.rank, src: th.rank, dst: h.To, header: h, from: from, bytes: n, done: done})
	return posted, th.k.err
}

// Pull is a PULL of n bytes of h's region at rank h.To to where into says in the
// own NIC memory.
func (u *User) Pull(h, into martini.Header, n int, done dimmnet.Offset) (posted bool, err error) {
	th := u.th
	th.k.preset.Limits.CheckRDMA(len(th.k.nodes), h.To, 0, 0, n, done)
	h.Owner, h.Command, h.Length = u.owner, martini.CommandPull, n
	into.Owner, into.Command, into.Length = u.owner, martini.CommandPush, n
	posted = th.post(transfer{owner: th.rank, src: h.To, dst: th.rank, header: into, ask: h, bytes: n, done: done, pull: true})
	return posted, th.k.err
}

// refused reports what did not leave this node.
func (th *thread) refused(why martini.Refusal) error {
	th.k.refused(Refused{At: th.now, From: th.rank, To: th.rank, Reason: why})
	return fmt.Errorf("sim: rank %d: %v", th.rank, why)
}
