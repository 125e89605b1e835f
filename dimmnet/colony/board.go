package colony

import (
	"math"
	"math/bits"
)

// order is an access as a module hands it to the next.
type order struct {
	write bool
	addr  Addr
	word  uint32
	where uint32 // word of the own memory
}

// parcel is a packet under way: what it was, what it is now.
type parcel struct {
	bits, was Bits
	stained   bool // it answers a request whose damage nobody saw
}

func (p *parcel) touched() bool { return p.bits != p.was }

// suspect says whether what it says may be wrong though its parity is right.
func (p *parcel) suspect() bool { return p.stained || p.touched() }

// board is the registers of one NIC and its memory.
type board struct {
	net      *network
	index    uint8
	machines [modules]machine
	memory   []uint32

	bus    order // at the MBus interface
	failed bool
	mdc    order // of a local write, or of the remote access under way
	fromM  order // the SSRAM data control's register of each side
	fromF  order
	active order // what the SSRAM does
	forFDC bool
	loaded uint32

	ask     Packet // the request under way
	waits   bool   // for its answer
	tries   int
	expires int64 // when the timer that counts does; 0: none
	answer  uint32
	turn    [MaxNodes]uint8 // of the last request to each node
	seen    [MaxNodes]seen
	served  Packet // the packet in the FC data control
	held    parcel // the same, as it came
	giving  Packet // to send data
	sending Packet
	stained [2]bool // giving and sending, as parcels
	out     Bits    // of sending
	leaving leaving

	wire   ring // on the wire to this board
	fifo   ring // between FC interface and receive data
	inHand parcel
	busyTo int64 // until when the wire to this board is occupied

	finish func(*board) // called when an access has ended
	count  Counts
}

// leaving is a packet in the FC interface; send data makes the next meanwhile.
type leaving struct {
	bits    Bits
	to      Node
	kind    Kind
	stained bool
}

// seen is the last request that a node has sent: a write that was acknowledged is
// not done again.
type seen struct {
	turn   uint8
	write  bool
	forged bool
}

// roomPackets is how many packets for one board wait in front of its wire, and how
// many behind it. What does not fit is lost.
const roomPackets = 24

// ring is a short queue of parcels.
type ring struct {
	slots [32]parcel
	first uint32
	n     uint32
}

func (r *ring) put(p *parcel) bool {
	if r.n > roomPackets+2 { // some more are on the wire
		return false
	}
	r.slots[(r.first+r.n)%uint32(len(r.slots))] = *p
	r.n++
	return true
}

func (r *ring) get() *parcel {
	p := &r.slots[r.first]
	r.first = (r.first + 1) % uint32(len(r.slots))
	r.n--
	return p
}

// network is boards and what joins them.
type network struct {
	program  *program
	queue    queue
	boards   []board
	link     Link
	loop     bool
	flights  [1 << (2 * parts)]int
	occupied int64
	timeouts [2]int64 // by write, read: from when the request was handed on
	tries    int
	faults   faults
	trace    func(at int64, board uint8, of module, enters state)
	forged   func(at *board, p *parcel) // a damaged packet was taken for a good one
}

func newNetwork(cfg Config) *network {
	t := tables(cfg.Link)
	n := &network{
		program: compile(t, false), boards: make([]board, cfg.Boards), link: cfg.Link, loop: cfg.Loop,
		flights: cfg.Link.flights(), occupied: int64(cfg.Link.clocks()), tries: cfg.Tries,
		faults: newFaults(cfg), forged: func(*board, *parcel) {},
	}
	n.queue.next = math.MaxInt64
	// A try that nobody answers takes as long as one without an error.
	own := sum(t, []stop{{mdc, remoteAccess}, {mdc, waitRemote}})
	write, read := cfg.Link.Remote()
	n.timeouts = [2]int64{int64(write + cfg.Patience - own), int64(read + cfg.Patience - own)}
	for i := range n.boards {
		n.boards[i] = board{net: n, index: uint8(i), memory: make([]uint32, NodeWords), finish: func(*board) {}}
		for m := range n.boards[i].machines {
			n.boards[i].machines[m].place = n.program.first[m]
		}
	}
	return n
}

// follow calls trace for every state that a module enters.
func (n *network) follow(trace func(at int64, board uint8, of module, enters state)) {
	n.trace = trace
	n.program = compile(tables(n.link), true)
}

// start puts an access on the bus after some clocks.
func (b *board) start(o order, clocks int64) {
	b.bus = o
	if clocks == 0 {
		b.tell(mbus, busAccess)
		return
	}
	b.later(clocks, mbus, busAccess)
}

func lowest(set uint32) input { return input(bits.TrailingZeros32(set)) }
