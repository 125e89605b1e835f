package colony

import (
	"fmt"
	"math/rand/v2"
)

// Load describes accesses that boards make in sequence without a program. Each requester writes
// its own words in every node's memory, and compares its reads with its last writes.
type Load struct {
	Transactions int  // accesses of all boards in total
	Requesters   int  // boards that make accesses; default 1
	Words        int  // words of each requester on each node; default 256
	Kind         Kind // kind of all accesses; 0 draws reads and writes at random
	// Local: requesters also access their own memory.
	Local bool
	Rest  int // minimum clocks between two accesses
	Think int // upper bound of the random clocks that are added to Rest (exclusive)
}

// Result is the outcome of a measurement. Its times are in clocks of 20 ns.
type Result struct {
	Counts
	Seed         uint64 `json:"seed"`
	Transactions int64  `json:"transactions"`
	Writes       int64  `json:"writes"`
	Reads        int64  `json:"reads"`
	WriteClocks  int64  `json:"write_clk_sum"`
	ReadClocks   int64  `json:"read_clk_sum"`
	Clocks       int64  `json:"clocks"` // when the last access ended
	// Failed counts accesses that ran out of tries. (A damaged Nack can become a write of
	// NackWord; that word cannot be read remotely.)
	Failed int64 `json:"failed"`
	// Wrong counts reads that returned another word than was written. Unexplained counts those of
	// them that neither missed damage nor a failed write explains; it must be 0.
	Wrong       int64  `json:"wrong"`
	Unexplained int64  `json:"unexplained"`
	Hash        uint64 `json:"hash"` // hash of the words read and of all access times
}

// MeanWrite returns the mean clocks of a write.
func (r *Result) MeanWrite() float64 { return float64(r.WriteClocks) / float64(max(r.Writes, 1)) }

// MeanRead returns the mean clocks of a read.
func (r *Result) MeanRead() float64 { return float64(r.ReadClocks) / float64(max(r.Reads, 1)) }

// RetriesEach returns the mean number of retries of a remote access.
func (r *Result) RetriesEach() float64 { return float64(r.Retries) / float64(max(r.Requests, 1)) }

type requester struct {
	board  *board
	random *rand.PCG
	order  order
	begun  int64
	index  int      // index of order.addr in wrote and doubt
	wrote  []uint32 // last word written, by node and word
	doubt  []int64  // clock since which a word may be wrong; 0 if it is right
	unsure bool     // the access in progress met damage that the parity missed
}

type measurement struct {
	net        *network
	load       Load
	requesters []requester
	left       int64
	result     Result
}

// Measure makes the accesses of a load. It returns their times and counts.
func Measure(cfg Config, load Load) (*Result, error) {
	m, err := newMeasurement(cfg.withDefaults(), load)
	if err != nil {
		return nil, err
	}
	return m.run()
}

func newMeasurement(cfg Config, load Load) (*measurement, error) {
	if load.Requesters == 0 {
		load.Requesters = 1
	}
	if load.Words == 0 {
		load.Words = 256
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	alone := cfg.Boards == 1 && !cfg.Loop && !load.Local
	if load.Transactions < 1 || load.Rest < 0 || load.Think < 0 || load.Requesters > cfg.Boards || load.Words*cfg.Boards > NodeWords || alone {
		return nil, fmt.Errorf("colony: measure %+v on %d boards: want at least 1 transaction, no negative Rest or Think, "+
			"at most a requester a board, at most %d words on a node, and a node to access", load, cfg.Boards, NodeWords)
	}
	m := &measurement{net: newNetwork(cfg), load: load, requesters: make([]requester, load.Requesters), left: int64(load.Transactions)}
	m.result = Result{Seed: cfg.Seed, Hash: 1}
	m.net.forged = m.forged
	for i := range m.requesters {
		words := cfg.Boards * load.Words
		m.requesters[i] = requester{board: &m.net.boards[i], random: rand.NewPCG(cfg.Seed, uint64(1+i)),
			wrote: make([]uint32, words), doubt: make([]int64, words)}
		m.net.boards[i].finish = m.finish
	}
	return m, nil
}

func (m *measurement) run() (*Result, error) {
	for i := range m.requesters {
		m.next(&m.requesters[i])
	}
	for m.result.Transactions < int64(m.load.Transactions) {
		if !m.net.step() {
			return nil, fmt.Errorf("colony: seed %d: no event is pending after %d of %d transactions", m.result.Seed, m.result.Transactions, m.load.Transactions)
		}
	}
	m.result.Clocks, m.result.Counts = m.net.queue.now, m.net.count
	return &m.result, nil
}

func (m *measurement) next(a *requester) {
	if m.left == 0 {
		return
	}
	m.left--
	draw := a.random.Uint64()
	own := int(a.board.index)
	boards := len(m.net.boards)
	word := int(draw>>40) % m.load.Words
	node := own
	if m.load.Local {
		node = int(draw>>32&0xff) % boards
	} else if boards > 1 {
		node = (own + 1 + int(draw>>32&0xff)%(boards-1)) % boards
	}
	kind := m.load.Kind
	if kind == 0 {
		kind = KindWrite + Kind(draw>>31&1)
	}
	a.index = node*m.load.Words + word
	a.unsure = false
	a.order = order{write: kind == KindWrite, addr: At(Node(node), uint32(word*boards+own)), word: uint32(draw)}
	if a.order.word == NackWord {
		a.order.word = 0
	}
	think := m.load.Rest
	if m.load.Think > 0 {
		think += int(a.random.Uint64() % uint64(m.load.Think))
	}
	a.begun = m.net.queue.now + int64(think)
	a.board.start(a.order, int64(think))
}

func (m *measurement) finish(b *board) {
	a, r := &m.requesters[b.index], &m.result
	now := m.net.queue.now
	r.Transactions++
	switch {
	case b.failed:
		r.Failed++
		b.failed = false
		a.doubt[a.index] = now // the write may have been done
	case a.order.write:
		r.Writes++
		r.WriteClocks += now - a.begun
		a.wrote[a.index] = a.order.word
		// An earlier damaged write may still be on its way to the SSRAM.
		if a.unsure {
			a.doubt[a.index] = now // the answer may have been a Nack
		} else if a.doubt[a.index] < a.begun-settled {
			a.doubt[a.index] = 0
		}
	default:
		r.Reads++
		r.ReadClocks += now - a.begun
		if b.answer != a.wrote[a.index] {
			r.Wrong++
			if !a.unsure && a.doubt[a.index] == 0 {
				r.Unexplained++
			}
		}
		r.Hash = (r.Hash ^ uint64(b.answer)<<32) * 0x100000001b3
	}
	r.Hash = (r.Hash ^ uint64(now)) * 0x100000001b3
	m.next(a)
}

// settled is a number of clocks after which every accepted write is in the SSRAM.
const settled = 1000

// forged notes which words may be wrong because of a packet whose damage parity missed.
func (m *measurement) forged(at *board, p *parcel) {
	for _, q := range []Packet{p.was.Decode(), p.bits.Decode()} {
		m.suspect(int(at.index), q.Address)
		for _, node := range []Node{q.From, q.To} {
			if int(node) < len(m.requesters) {
				m.requesters[node].unsure = true
			}
		}
	}
}

// suspect marks a word of a node's memory as possibly damaged.
func (m *measurement) suspect(node int, word uint32) {
	boards := uint32(len(m.net.boards))
	owner, index := int(word%boards), int(word/boards)
	if owner < len(m.requesters) && index < m.load.Words {
		m.requesters[owner].doubt[node*m.load.Words+index] = max(m.net.queue.now, 1)
	}
}
