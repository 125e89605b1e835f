package movement

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Mover moves the data of one rank, in all phases of a run.
type Mover struct {
	Port   dimmnet.Port
	Rank   dimmnet.Rank
	Peers  []dimmnet.Rank // the ranks to which this rank has rings, in increasing order
	Layout ringbuf.Layout
	Space  *consistency.Space
	Charge func(w dimmnet.Work, n int) // is called for the work of the host
	First  uint64                      // the number of the first phase
	Phase  uint64                      // the number of the present phase
	Counts Counts

	agreement Agreement
	method    method
	dataKind  ringbuf.Kind // the kind of the slots in which the method sends data
	maxCut    int          // the largest cut in such a slot, in bytes
	coop      CoopWords    // nil: no peer helps to copy

	out    []outQueue // by index in Peers
	in     []inQueue  // by index in Peers
	queued bool       // the queues have something to do in this phase
	moving bool       // the queues move data; earlier in the phase, lists

	streams   []*stream              // of all phases so far; reused
	streaming int                    // how many of them this phase uses
	incoming  map[syncvar.ID]*stream // streams that inQueues receive in this phase
	arriving  []*stream              // all streams that arrive in this phase, in the plan's order
	sources   map[Source]*stream     // streams that outQueues send from this rank's own copy
	pieces    []consistency.Piece    // reused
}

// Agreement is what a Mover asks of the agreement whose data it moves.
type Agreement interface {
	// TakeList takes the list or bundle of lists that a peer has sent through its ring. b is valid
	// until TakeList returns.
	TakeList(from dimmnet.Rank, b []byte) error
	// MaxListBytes bounds the lists that a peer may send in a phase.
	MaxListBytes() int
	// Moved returns the version, before the phase, of a variable that this rank moves in the phase.
	Moved(id syncvar.ID) syncvar.Version
	// Owner returns the rank that last had a variable exclusively.
	Owner(id syncvar.ID) dimmnet.Rank
	// Peers returns the ranks with which this rank exchanges lists, in increasing order.
	Peers() []dimmnet.Rank
}

// Counts holds what a Mover has sent and fetched so far.
type Counts struct {
	Lists     uint64 // acquire lists sent: one per peer and phase
	Transfers uint64 // transfers of a variable to a peer, also relayed; see wholeCopy
	Slots     uint64 // slots sent with pieces of variables or with their locations
	Fetched   uint64 // bytes that arrived straight from the memory of other ranks
	Bulk      uint64 // messages sent by PUSH, each with pieces of any number of variables
}

// New returns the Mover of the port's rank, which has no method yet. Arriving data go straight to
// their addresses in space. phase is the number of the first phase. charge may be nil.
func New(p dimmnet.Port, space *consistency.Space, phase uint64, charge func(w dimmnet.Work, n int)) *Mover {
	if charge == nil {
		charge = func(dimmnet.Work, int) {}
	}
	return &Mover{
		Port: p, Rank: p.Rank(), Space: space, First: phase, Phase: phase, Charge: charge,
		incoming: make(map[syncvar.ID]*stream), sources: make(map[Source]*stream),
	}
}

// UseRings chooses the method of the papers.
func (m *Mover) UseRings() { m.method = &rings{mover: m} }

// UseFetch chooses the method of ranks that read each other's memory. Variables of up to whole
// bytes are copied whole. If help is set, this rank helps receivers to copy; coop is nil if there
// are no words for that.
func (m *Mover) UseFetch(whole int, help bool, coop CoopWords) {
	m.method, m.coop = &fetch{mover: m, help: help, most: whole}, coop
}

// UseZeroCopy chooses the method of a port that moves bytes from memory to memory.
func (m *Mover) UseZeroCopy(port dimmnet.ZeroCopy) { m.method = &zeroCopy{mover: m, port: port} }

// UsePush chooses the method of a port with RDMA and bulk memory.
func (m *Mover) UsePush(cfg PushConfig) { m.method = newPush(m, cfg) }

// Push returns the method if UsePush has chosen it, else nil.
func (m *Mover) Push() *Push {
	b, _ := m.method.(*Push)
	return b
}

// Connect makes the rings to the peers of a, by Layout. From now on the Mover asks a. lazy says
// that slots are returned lazily (ringbuf.Receiver.SetLazy).
func (m *Mover) Connect(a Agreement, lazy bool) {
	m.agreement, m.Peers = a, a.Peers()
	m.dataKind, m.maxCut = m.method.slots()
	for _, r := range m.Peers {
		sender, receiver := m.method.ends(r)
		m.out = append(m.out, outQueue{mover: m, to: r, ring: ringbuf.NewSender(m.Port, &m.Layout, r), data: sender})
		in := ringbuf.NewReceiver(m.Port, &m.Layout, r)
		in.SetLazy(lazy)
		m.in = append(m.in, inQueue{mover: m, from: r, ring: in, data: receiver})
	}
}

// Peer returns the index of a rank in Peers.
func (m *Mover) Peer(r dimmnet.Rank) int {
	i, ok := slices.BinarySearch(m.Peers, r)
	if !ok {
		panic(fmt.Sprintf("phase: rank %d has no ring to rank %d", m.Rank, r))
	}
	return i
}

// Begin begins a phase, in which the queues have nothing to do yet.
func (m *Mover) Begin() { m.queued, m.moving = false, false }

// Ready prepares the method for the phase, as far as it can without waiting. Until done is true,
// this rank must send no list, so no rank transfers data of this phase.
func (m *Mover) Ready() (progress, done bool) { return m.method.ready() }

// SendList sends an encoded list or bundle through the ring to the peer with index i.
func (m *Mover) SendList(i int, b []byte) {
	m.queued = true
	m.out[i].sendLists(b)
}

// ExpectList expects a list or bundle through the ring of the peer with index i.
func (m *Mover) ExpectList(i int) {
	m.queued = true
	m.in[i].expectList()
}

// Queued reports whether the queues have something to do in this phase.
func (m *Mover) Queued() bool { return m.queued }

// Move begins the transfers of a plan, which is the same on every rank.
func (m *Mover) Move(transfers []syncvar.Transfer) {
	m.moving = true
	if len(transfers) == 0 && !m.queued {
		return
	}
	queue := m.method.assign(transfers)
	m.queued = m.queued || len(queue) > 0
	m.queueTransfers(queue)
}

// Step moves what can be moved now.
func (m *Mover) Step() (progress bool, err error) {
	if m.queued {
		for i := range m.out {
			if m.out[i].step() {
				progress = true
			}
		}
		for i := range m.in {
			moved, err := m.in[i].step()
			if err != nil {
				return false, err
			}
			progress = progress || moved
		}
	}
	moved, err := m.method.step()
	return progress || moved, err
}

// Quiet reports whether all lists, or all data, of this rank are sent and have arrived.
func (m *Mover) Quiet() bool {
	for i := 0; m.queued && i < len(m.Peers); i++ {
		if m.out[i].pending() || m.in[i].pending() {
			return false
		}
	}
	return !m.method.pending()
}

// Finish records all bytes that arrived in the phase, which is over for this rank.
func (m *Mover) Finish() {
	for _, s := range m.arriving {
		m.pieces = s.AppendPieces(m.pieces[:0])
		m.Space.Accept(s.ID, m.pieces)
	}
	m.forget()
}

// forget forgets the streams of the phase.
func (m *Mover) forget() { m.arriving, m.streaming = m.arriving[:0], 0 }

// Abandon ends all access of the network to the program's memory: the run has failed.
func (m *Mover) Abandon() { m.method.abandon() }

// Working reports whether the method moves data past the queues in this phase.
func (m *Mover) Working() bool { return m.method.pending() }

// Open returns how many queues have something to do.
func (m *Mover) Open() (n int) {
	for i := range m.Peers {
		if m.out[i].pending() || m.in[i].pending() {
			n++
		}
	}
	return n
}

// Due appends the ranks from which lists or data are due.
func (m *Mover) Due(ranks []dimmnet.Rank) []dimmnet.Rank {
	for i, r := range m.Peers {
		if m.in[i].state != inIdle || m.in[i].data.pending() {
			ranks = append(ranks, r)
		}
	}
	return m.method.due(ranks)
}

// Full appends the ranks to which lists or data cannot be sent now. what describes, for a report,
// what the rank then waits for.
func (m *Mover) Full(ranks []dimmnet.Rank) (what string, _ []dimmnet.Rank) {
	for i, r := range m.Peers {
		if m.out[i].pending() {
			ranks = append(ranks, r)
		}
	}
	return m.method.fullQueue(), ranks
}

// Blocked describes, for a report, what the method waits for, and appends the ranks it waits for.
func (m *Mover) Blocked(ranks []dimmnet.Rank) (what string, _ []dimmnet.Rank) {
	return m.method.blocked(ranks)
}
