package colony

import (
	"fmt"
	"iter"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Machine is boards with programs. It runs once.
type Machine struct {
	cfg    Config
	net    *network
	boards []*Board
	ready  []*Board // to go on at this clock
	ran    bool
}

// New builds a machine.
func New(cfg Config) (*Machine, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	m := &Machine{cfg: cfg, net: newNetwork(cfg)}
	for i := range m.net.boards {
		b := &Board{machine: m, nic: &m.net.boards[i]}
		b.nic.finish = func(*board) { b.resume() }
		m.boards = append(m.boards, b)
	}
	return m, nil
}

// Run runs a program on each board, from board 0 on, until all have returned. The
// first error of a program, by its board, is Run's.
func (m *Machine) Run(programs ...func(*Board) error) error {
	if m.ran || len(programs) > len(m.boards) {
		return fmt.Errorf("colony: %d programs on %d boards, run before: %t", len(programs), len(m.boards), m.ran)
	}
	m.ran = true
	for i, program := range programs {
		b := m.boards[i]
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			b.yield = yield
			b.err = program(b)
		})
		defer stop()
		b.next = next
		m.ready = append(m.ready, b)
	}
	left := len(programs)
	for left > 0 {
		for len(m.ready) > 0 {
			b := m.ready[0]
			m.ready = m.ready[1:]
			if _, runs := b.next(); !runs {
				left--
			}
		}
		if left > 0 && !m.net.step() {
			return fmt.Errorf("colony: %d programs wait for what never comes", left)
		}
	}
	for _, b := range m.boards {
		if b.err != nil {
			return b.err
		}
	}
	return nil
}

// Counts are what all boards counted.
func (m *Machine) Counts() (c Counts) {
	for i := range m.net.boards {
		c.add(&m.net.boards[i].count)
	}
	return c
}

// Board is a board as its program sees it: a shared memory. A Board's methods belong
// to its program.
type Board struct {
	machine *Machine
	nic     *board
	yield   func(struct{}) bool
	next    func() (struct{}, bool)
	err     error
	lag     int64 // clocks that the program is ahead of the network
	stopped bool
}

// Node is the board's number and that of its slice.
func (b *Board) Node() Node { return Node(b.nic.index) }

// Nodes is how many boards there are.
func (b *Board) Nodes() int { return len(b.machine.boards) }

// Now is the program's virtual time.
func (b *Board) Now() dimmnet.Time { return dimmnet.Time(b.machine.net.queue.now+b.lag) * Clock }

// Spend lets the program compute for some clocks. A negative number panics.
func (b *Board) Spend(clocks int) {
	if clocks < 0 {
		panic(fmt.Sprintf("colony: a program spends %d clocks", clocks))
	}
	b.lag += int64(clocks)
}

// Read loads a word, and costs the program what a load does. The error is ErrTries,
// or an address that no board has.
func (b *Board) Read(addr Addr) (uint32, error) {
	cost := readCost
	if b.machine.cfg.SystemCall {
		cost = readCallCost
	}
	return b.access(order{addr: addr}, cost)
}

// Write stores a word. It returns when the bus is free again: at a node of its own,
// before the SSRAM is written, elsewhere with its acknowledgement. NackWord is refused.
func (b *Board) Write(addr Addr, word uint32) error {
	if word == NackWord {
		return fmt.Errorf("colony: board %d writes %#x to %v: that word means Nack", b.Node(), uint32(NackWord), addr)
	}
	cost := writeCost
	if b.machine.cfg.SystemCall {
		cost = writeCallCost
	}
	_, err := b.access(order{write: true, addr: addr, word: word}, cost)
	return err
}

// access makes an access to the bus, cost clocks after the program wants it.
func (b *Board) access(o order, cost int) (uint32, error) {
	if int(o.addr.Node()) >= b.Nodes() {
		return 0, fmt.Errorf("colony: board %d accesses %v of %d boards", b.Node(), o.addr, b.Nodes())
	}
	clocks := b.lag + int64(cost)
	b.lag = 0
	b.nic.start(o, clocks)
	if err := b.pause(); err != nil {
		return 0, err
	}
	if b.nic.failed {
		b.nic.failed = false
		return 0, fmt.Errorf("board %d, %v: %w", b.Node(), o.addr, ErrTries)
	}
	return b.nic.answer, nil
}

// catchUp lets happen what precedes the program's clock.
func (b *Board) catchUp() error {
	if b.lag == 0 {
		return nil
	}
	b.nic.later(b.lag, mbus, wake)
	b.lag = 0
	return b.pause()
}

// pause lets others run until resume.
func (b *Board) pause() error {
	if b.stopped || !b.yield(struct{}{}) {
		b.stopped = true
		return fmt.Errorf("colony: board %d: the run has ended", b.Node())
	}
	return nil
}

// resume lets the program go on when the clock's event is over.
func (b *Board) resume() { b.machine.ready = append(b.machine.ready, b) }
