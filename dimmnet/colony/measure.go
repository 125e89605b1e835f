package colony

import (
	"fmt"
	"math/rand/v2"
)

// Load is accesses that boards make one after the other, with no program between
// them and the bus. Each board writes and reads words of its own all over the shared
// memory, and compares what it reads with what it wrote.
type Load struct {
	Transactions int // of all boards together
	Askers       int // boards that make them; default 1
	Words        int // of each asker on each node; default 256
	Kind         Kind
	// Local lets askers access their own memory as well. Kind is that of all
	// accesses; 0: both, drawn.
	Local bool
	Rest  int // clocks between two accesses,
	Think int // and up to so many more, drawn
}

// Result is what was measured. Its times are in clocks of 20 ns.
type Result struct {
	Counts
	Seed         uint64 `json:"seed"`
	Transactions int64  `json:"transactions"`
	Writes       int64  `json:"writes"`
	Reads        int64  `json:"reads"`
	// WriteClocks and ReadClocks are the sums of all.
	WriteClocks int64 `json:"write_clk_sum"`
	ReadClocks  int64 `json:"read_clk_sum"`
	Clocks      int64 `json:"clocks"` // when the last was over
	// Failed accesses were tried too often. (A damaged Nack can become a write of
	// NackWord, which nobody can read from elsewhere.)
	Failed int64 `json:"failed"`
	// Wrong reads got another word than was written. Unexplained are those of them that
	// no damage unseen by parity, and no write that failed, had touched: none.
	Wrong       int64  `json:"wrong"`
	Unexplained int64  `json:"unexplained"`
	Hash        uint64 `json:"hash"` // of the words read and their clocks
}

// MeanWrite is the mean of a write in clocks.
func (r *Result) MeanWrite() float64 { return float64(r.WriteClocks) / float64(max(r.Writes, 1)) }

// MeanRead is the mean of a read in clocks.
func (r *Result) MeanRead() float64 { return float64(r.ReadClocks) / float64(max(r.Reads, 1)) }

// RetriesEach is how often a remote access was tried again, in the mean.
func (r *Result) RetriesEach() float64 { return float64(r.Retries) / float64(max(r.Requests, 1)) }

// String is all of it on one line.
func (r *Result) String() string {
	return fmt.Sprintf("seed %d: %d transactions, write %.2f clk, read %.2f clk, %.4f retries each, %d packets, %d damaged "+
		"(%d short, %d strange, %d odd, %d refused, %d unseen), %d nacks, %d timeouts, %d late, %d overrun, %d again, "+
		"%d failed, %d wrong, %d unexplained, hash %016x",
		r.Seed, r.Transactions, r.MeanWrite(), r.MeanRead(), r.RetriesEach(), r.Packets, r.Damaged,
		r.Short, r.Strange, r.Odd, r.Refused, r.Unseen, r.Nacks, r.Timeouts, r.Late, r.Overrun, r.Again,
		r.Failed, r.Wrong, r.Unexplained, r.Hash)
}

// asker is a board that makes accesses.
type asker struct {
	board  *board
	random *rand.PCG
	order  order
	begun  int64
	place  int      // of order.addr in the next three
	wrote  []uint32 // by node and word
	doubt  []int64  // since this clock a word may be damaged unseen; 0: not
	unsure bool     // the access under way met what parity did not see
}

// measurement is a Load under way.
type measurement struct {
	net    *network
	load   Load
	askers []asker
	left   int64
	result Result
}

// Measure makes a load's accesses.
func Measure(cfg Config, load Load) (*Result, error) {
	m, err := newMeasurement(cfg.withDefaults(), load)
	if err != nil {
		return nil, err
	}
	return m.run()
}

func newMeasurement(cfg Config, load Load) (*measurement, error) {
	if load.Askers == 0 {
		load.Askers = 1
	}
	if load.Words == 0 {
		load.Words = 256
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	alone := cfg.Boards == 1 && !cfg.Loop && !load.Local
	if load.Transactions < 1 || load.Rest < 0 || load.Think < 0 || load.Askers > cfg.Boards || load.Words*cfg.Boards > NodeWords || alone {
		return nil, fmt.Errorf("colony: cannot make a load of %+v with %d boards", load, cfg.Boards)
	}
	m := &measurement{net: newNetwork(cfg), load: load, askers: make([]asker, load.Askers), left: int64(load.Transactions)}
	m.result = Result{Seed: cfg.Seed, Hash: 1}
	m.net.forged = m.forged
	for i := range m.askers {
		words := cfg.Boards * load.Words
		m.askers[i] = asker{board: &m.net.boards[i], random: rand.NewPCG(cfg.Seed, uint64(1+i)),
			wrote: make([]uint32, words), doubt: make([]int64, words)}
		m.net.boards[i].finish = m.finish
	}
	return m, nil
}

func (m *measurement) run() (*Result, error) {
	for i := range m.askers {
		m.next(&m.askers[i])
	}
	for m.result.Transactions < int64(m.load.Transactions) {
		if !m.net.step() {
			return nil, fmt.Errorf("colony: seed %d: nothing happens after %d transactions", m.result.Seed, m.result.Transactions)
		}
	}
	m.result.Clocks = m.net.queue.now
	for i := range m.net.boards {
		m.result.add(&m.net.boards[i].count)
	}
	return &m.result, nil
}

// next starts an asker's next access.
func (m *measurement) next(a *asker) {
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
	a.place = node*m.load.Words + word
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

// finish counts an access that has ended.
func (m *measurement) finish(b *board) {
	a, r := &m.askers[b.index], &m.result
	now := m.net.queue.now
	r.Transactions++
	switch {
	case b.failed:
		r.Failed++
		b.failed = false
		a.doubt[a.place] = now // a write may have been done
	case a.order.write:
		r.Writes++
		r.WriteClocks += now - a.begun
		a.wrote[a.place] = a.order.word
		// What damaged the word just before may still be on its way to the SSRAM.
		if a.unsure {
			a.doubt[a.place] = now // its answer may have been a Nack
		} else if a.doubt[a.place] < a.begun-settled {
			a.doubt[a.place] = 0
		}
	default:
		r.Reads++
		r.ReadClocks += now - a.begun
		if b.answer != a.wrote[a.place] {
			r.Wrong++
			if !a.unsure && a.doubt[a.place] == 0 {
				r.Unexplained++
			}
		}
		r.Hash = (r.Hash ^ uint64(b.answer)<<32) * 0x100000001b3
	}
	r.Hash = (r.Hash ^ uint64(now)) * 0x100000001b3
	m.next(a)
}

// settled are clocks in which an accepted write surely reaches the SSRAM.
const settled = 1000

// forged notes who may get a wrong word of a packet whose damage parity did not see.
func (m *measurement) forged(at *board, p *parcel) {
	for _, q := range []Packet{p.was.Decode(), p.bits.Decode()} {
		m.suspect(int(at.index), q.Address)
		for _, node := range []Node{q.From, q.To} {
			if int(node) < len(m.askers) {
				m.askers[node].unsure = true
			}
		}
	}
}

// suspect marks a word of a node's memory.
func (m *measurement) suspect(node int, word uint32) {
	boards := uint32(len(m.net.boards))
	owner, place := int(word%boards), int(word/boards)
	if owner < len(m.askers) && place < m.load.Words {
		m.askers[owner].doubt[node*m.load.Words+place] = max(m.net.queue.now, 1)
	}
}
