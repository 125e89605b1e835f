package colony

import (
	"math"
	"math/bits"
)

type cell struct {
	to      uint8 // index of the next state
	do      uint8 // number of the action, or 0
	emit    signal
	toQuiet bool // the next state is quiet, and the row has no other effect
	through bool // the row only leads to another state that works
}

// stateEntry is a state of a module with its rows.
type stateEntry struct {
	clocks  int64
	accepts uint32 // bit set of the inputs that have a row
	waits   bool
	quiet   bool // the state only leads to one that waits
	state   state
	cells   [32]cell // by input
}

type program struct {
	states [256]stateEntry
	count  uint8          // number of states
	first  [modules]uint8 // by module: the index of its initial state, idle
	act    [256]action
}

// compile compiles the tables of a board. Unless every is true, it merges states and marks quiet
// ones, so that steps without a visible effect take no event.
func compile(tables [modules]table, every bool) *program {
	p, acts := new(program), uint8(0)
	index := [modules][states]uint8{}
	for m, t := range tables {
		p.first[m] = p.count
		for _, r := range t.stay {
			index[m][r.state] = p.count
			p.states[p.count] = stateEntry{clocks: int64(r.clocks), waits: r.waits, state: r.state}
			p.count++
		}
	}
	for m, t := range tables {
		for _, r := range t.rows {
			from := &p.states[index[m][r.from]]
			from.cells[r.on] = cell{to: index[m][r.to], emit: r.emit}
			from.accepts |= 1 << r.on
			if r.do != nil {
				acts++
				p.act[acts], from.cells[r.on].do = r.do, acts
			}
		}
	}
	if !every {
		p.merge()
	}
	return p
}

// merge finds the steps that have no visible effect.
func (p *program) merge() {
	for range states { // join chains of states that work
		for i := range p.count {
			from := &p.states[i]
			next := from.cells[always]
			if to := &p.states[next.to]; from.always() && next.silent() && to.always() {
				from.clocks, from.cells = from.clocks+to.clocks, to.cells
			}
		}
	}
	for i := range p.count {
		from := &p.states[i]
		next := from.cells[always]
		from.quiet = from.always() && next.silent() && p.states[next.to].waits
	}
	for i := range p.count {
		from := &p.states[i]
		for on := range inputs {
			c := &from.cells[on]
			quiet := p.states[c.to].quiet
			c.toQuiet = from.waits && c.silent() && quiet
			c.through = from.waits && c.silent() && p.states[c.to].always() && !quiet
		}
	}
}

// always reports whether the state leads to one other state without waiting for an input.
func (p *stateEntry) always() bool { return p.accepts == 1<<always }

// silent reports whether taking the row has no effect outside its module.
func (c cell) silent() bool { return c.do == 0 && c.emit.in == always }

type machine struct {
	index   uint8
	on      input  // input with which the module leaves its state
	busy    bool   // the time at which it leaves its state is known
	waiting uint32 // pending signals, which no state has taken yet
	quietTo int64  // end of the present quiet state; 0 if the state is not quiet
}

// event is something that happens at a clock: a module leaves its state, or gets a signal. From
// the most significant bit: clock (40 bits), input (8; always means that the module leaves its
// state), board (8), module (8). Events are processed in numerical order, so the order at one
// clock does not depend on when each event was scheduled.
type event uint64

func newEvent(at int64, board uint8, to module, in input) event {
	return event(uint64(at)<<24 | uint64(in)<<16 | uint64(board)<<8 | uint64(to))
}

func (e event) at() int64 { return int64(e >> 24) }

// queue holds the pending events in descending order; the next one is last.
type queue struct {
	now  int64
	this event // the event being processed
	next int64 // clock of the next event
	list []event
}

func (q *queue) put(e event) {
	i := len(q.list)
	q.list = append(q.list, e)
	if i == 0 || e < q.list[i-1] {
		q.next = e.at()
		return
	}
	for ; i > 0 && q.list[i-1] < e; i-- {
		q.list[i] = q.list[i-1]
	}
	q.list[i] = e
}

func (q *queue) take() event {
	last := len(q.list) - 1
	e := q.list[last]
	q.list = q.list[:last]
	q.next = math.MaxInt64
	if last > 0 {
		q.next = q.list[last-1].at()
	}
	q.now, q.this = e.at(), e
	return e
}

// notify signals a module. The signal stays pending if the module's state does not take it.
func (b *board) notify(to module, in input) {
	m, n := &b.machines[to], b.net
	if m.busy {
		m.waiting |= 1 << in
		return
	}
	p := &n.program.states[m.index]
	if m.quietTo != 0 {
		if leaves := newEvent(m.quietTo, b.index, to, always); leaves > n.queue.this {
			// The quiet state has not ended.
			n.queue.put(leaves)
			m.busy, m.on, m.quietTo = true, always, 0
			m.waiting |= 1 << in
			return
		}
		m.index, m.quietTo = p.cells[always].to, 0
		p = &n.program.states[m.index]
	}
	if p.accepts>>in&1 == 0 {
		m.waiting |= 1 << in
		return
	}
	at := n.queue.now + p.clocks
	switch c := &p.cells[in%32]; {
	case c.toQuiet && m.waiting == 0:
		m.index, m.quietTo = c.to, at+n.program.states[c.to].clocks
		return
	case c.through:
		m.index, in = c.to, always
		at += n.program.states[c.to].clocks
	}
	m.busy, m.on = true, in
	n.queue.put(newEvent(at, b.index, to, always))
}

// later sends a signal to a module after some clocks.
func (b *board) later(clocks int64, to module, in input) {
	b.net.queue.put(newEvent(b.net.queue.now+clocks, b.index, to, in))
}

func (b *board) forget(of module, signals ...input) {
	for _, in := range signals {
		b.machines[of].waiting &^= 1 << in
	}
}

// run makes a module leave its state, and continues with its next states until another event
// comes first. A quiet state takes no event unless a signal is pending.
func (b *board) run(of module) {
	n, m := b.net, &b.machines[of]
	p, q := n.program, &n.queue
	for {
		c := &p.states[m.index].cells[m.on%32]
		m.index = c.to
		in := &p.states[c.to]
		if n.trace != nil {
			n.trace(q.now, b.index, of, in.state)
		}
		found := always
		if c.do != 0 {
			found = p.act[c.do](b)
		}
		if c.emit.in != always {
			b.notify(c.emit.to, c.emit.in)
		}
		switch {
		case in.waits:
			kept := m.waiting & in.accepts
			if kept == 0 {
				m.busy = false
				return
			}
			found = input(bits.TrailingZeros32(kept)) // the one listed first
			m.waiting &^= 1 << found
		case in.quiet && m.waiting == 0:
			m.busy, m.quietTo = false, q.now+in.clocks
			return
		}
		m.on = found
		at := q.now + in.clocks
		if at >= q.next {
			q.put(newEvent(at, b.index, of, always))
			return
		}
		q.now, q.this = at, newEvent(at, b.index, of, always)
	}
}

// step processes the next event. It returns false if there is none.
func (n *network) step() bool {
	if len(n.queue.list) == 0 {
		return false
	}
	e := n.queue.take()
	b, to, in := &n.boards[uint8(e>>8)], module(uint8(e)), input(uint8(e>>16))
	switch {
	case in == always:
		b.run(to)
	case in == wake:
		b.finish(b)
	case in != timeout || b.expires == n.queue.now:
		b.notify(to, in)
	}
	return true
}
