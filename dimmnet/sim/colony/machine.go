package colony

import (
	"fmt"
	"iter"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Machine is a set of boards with a program on each. It runs once.
type Machine struct {
	cfg    Config
	net    *network
	boards []*Board
	ready  []*Board // boards whose programs continue at this clock
	ran    bool
}

// New returns a machine as cfg describes it.
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

// Run runs one program per board until all return. It returns the first error in board order.
func (m *Machine) Run(programs ...func(*Board) error) error {
	if m.ran || len(programs) > len(m.boards) {
		return fmt.Errorf("colony: run %d programs on %d boards (already run: %t): want at most one program a board, and a new Machine for each run", len(programs), len(m.boards), m.ran)
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
			return fmt.Errorf("colony: deadlock: %d programs wait and no event is pending", left)
		}
	}
	for _, b := range m.boards {
		if b.err != nil {
			return b.err
		}
	}
	return nil
}

// Counts returns the counts of all boards.
func (m *Machine) Counts() Counts { return m.net.count }

// Board gives a program access to the shared memory. Only its program may call its methods.
type Board struct {
	machine *Machine
	nic     *board
	yield   func(struct{}) bool
	next    func() (struct{}, bool)
	err     error
	lead    int64 // clocks by which the program is ahead of the network
	stopped bool  // the run has ended
}

// Node returns the number of the board and of its slice.
func (b *Board) Node() Node { return Node(b.nic.index) }

// Nodes returns the number of boards.
func (b *Board) Nodes() int { return len(b.machine.boards) }

// Now returns the program's virtual time.
func (b *Board) Now() dimmnet.Time { return dimmnet.Time(b.machine.net.queue.now+b.lead) * Clock }

// Spend advances the program's time by some clocks. It panics if clocks is negative.
func (b *Board) Spend(clocks int) {
	if clocks < 0 {
		panic(fmt.Sprintf("colony: program on board %d spends %d clocks: want at least 0", b.Node(), clocks))
	}
	b.lead += int64(clocks)
}

// Read loads a word and spends the access's clocks. The error is ErrTries or an invalid address.
func (b *Board) Read(addr Addr) (uint32, error) {
	cost := readCost
	if b.machine.cfg.SystemCall {
		cost = readCallCost
	}
	return b.access(order{addr: addr}, cost)
}

// Write stores a word. A local write returns before the SSRAM is written; a remote write returns
// with its acknowledgement. NackWord cannot be written.
func (b *Board) Write(addr Addr, word uint32) error {
	if word == NackWord {
		return fmt.Errorf("colony: board %d writes %#x to %v: the value is reserved for Nack", b.Node(), uint32(NackWord), addr)
	}
	cost := writeCost
	if b.machine.cfg.SystemCall {
		cost = writeCallCost
	}
	_, err := b.access(order{write: true, addr: addr, word: word}, cost)
	return err
}

// access makes an access on the bus after cost clocks.
func (b *Board) access(o order, cost int) (uint32, error) {
	if int(o.addr.Node()) >= b.Nodes() {
		return 0, fmt.Errorf("colony: board %d accesses %v: there are only %d boards", b.Node(), o.addr, b.Nodes())
	}
	clocks := b.lead + int64(cost)
	b.lead = 0
	b.nic.start(o, clocks)
	if err := b.pause(); err != nil {
		return 0, err
	}
	if b.nic.failed {
		b.nic.failed = false
		return 0, fmt.Errorf("colony: board %d accesses %v: %w", b.Node(), o.addr, ErrTries)
	}
	return b.nic.answer, nil
}

// catchUp runs the network up to the program's clock.
func (b *Board) catchUp() error {
	if b.lead == 0 {
		return nil
	}
	b.nic.later(b.lead, mbus, wake)
	b.lead = 0
	return b.pause()
}

func (b *Board) pause() error {
	if b.stopped || !b.yield(struct{}{}) {
		b.stopped = true
		return fmt.Errorf("colony: board %d continues after the run has ended", b.Node())
	}
	return nil
}

// resume continues the program after the current event.
func (b *Board) resume() { b.machine.ready = append(b.machine.ready, b) }
