package colony

import "math"

// order is an access as one module passes it to the next.
type order struct {
	write  bool
	addr   Addr
	word   uint32
	offset uint32 // word in the board's own memory
}

// parcel is a packet in transit: its bits now and as they were sent.
type parcel struct {
	bits, was Bits
	tainted   bool // the packet answers a request whose damage the parity missed
}

func (p *parcel) touched() bool { return p.bits != p.was }

// suspect reports whether the contents may be wrong although the parity is right.
func (p *parcel) suspect() bool { return p.tainted || p.touched() }

type board struct {
	net      *network
	index    uint8
	machines [modules]machine
	memory   []uint32

	bus     order  // access at the MBus interface
	failed  bool   // the access ran out of tries
	mdc     order  // local write or remote access in the MBus data control
	fromMDC order  // access that the MBus data control passes to the SSRAM data control
	fromFDC order  // access that the FC data control passes to the SSRAM data control
	active  order  // access that the SSRAM performs
	forFDC  bool   // active came from the FC data control
	loaded  uint32 // word that the SSRAM has read

	ask      Packet          // request in progress
	waits    bool            // no answer to ask has arrived yet
	tries    int             // tries of ask so far
	expires  int64           // when the current timer expires; 0 if none runs
	answer   uint32          // word that was read, or the data of the answer
	turn     [MaxNodes]uint8 // by node: turn number of the last request to the node
	seen     [MaxNodes]seen  // by node: last request from the node
	served   Packet          // packet in the FC data control, decoded
	held     parcel          // the same packet as received
	toSender Packet          // packet passed to the send data module
	sending  Packet          // packet in the send data module
	// by toSender and sending: the packet answers a request whose damage the parity missed
	tainted [2]bool
	out     Bits    // sending, encoded
	leaving leaving // packet in the FC interface

	wire   ring   // packets on the wire to this board
	fifo   ring   // packets between FC interface and receive data
	inHand parcel // packet in the receive data module
	busyTo int64  // when the wire to this board becomes free

	finish func(*board) // called when an access has ended
	count  *Counts      // of all boards
}

// leaving is a packet in the FC interface. Meanwhile send data prepares the next packet.
type leaving struct {
	bits    Bits
	to      Node
	kind    Kind
	tainted bool
}

// seen is a node's last request. A write with the same turn is acknowledged but not done again.
type seen struct {
	turn   uint8
	write  bool
	forged bool
}

// queuePackets is a board's input capacity, wire and FIFO, in packets. More are lost.
const queuePackets = 24

type ring struct {
	slots [32]parcel
	first uint32
	n     uint32
}

func (r *ring) put(p *parcel) bool {
	if r.n > queuePackets+2 { // includes packets still on the wire
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

type network struct {
	program  *program
	queue    queue
	boards   []board
	link     Link
	loop     bool
	flights  [1 << (2 * parts)]int
	occupied int64
	timeouts [2]int64 // of a write and a read, from when the request is passed on
	tries    int
	faults   faults
	count    Counts
	trace    func(at int64, board uint8, of module, enters state)
	forged   func(at *board, p *parcel) // called when a damaged packet is accepted as a good one
}

func newNetwork(cfg Config) *network {
	t := tables(cfg.Link)
	n := &network{
		program: compile(t, false), boards: make([]board, cfg.Boards), link: cfg.Link, loop: cfg.Loop,
		flights: cfg.Link.flights(), occupied: int64(cfg.Link.clocks()), tries: cfg.Tries,
		faults: newFaults(cfg), forged: func(*board, *parcel) {},
	}
	n.queue.next = math.MaxInt64
	// A try without an answer takes as long as one without an error.
	own := sum(t, []stop{{mdc, remoteAccess}, {mdc, waitRemote}})
	write, read := cfg.Link.Remote()
	n.timeouts = [2]int64{int64(write + cfg.Patience - own), int64(read + cfg.Patience - own)}
	for i := range n.boards {
		n.boards[i] = board{net: n, index: uint8(i), memory: make([]uint32, NodeWords), finish: func(*board) {}, count: &n.count}
		for m := range n.boards[i].machines {
			n.boards[i].machines[m].index = n.program.first[m]
		}
	}
	return n
}

func (b *board) start(o order, clocks int64) {
	b.bus = o
	if clocks == 0 {
		b.notify(mbus, busAccess)
		return
	}
	b.later(clocks, mbus, busAccess)
}
