package colony

import "math"

// cell is a row where the interpreter finds it: by state and input.
type cell struct {
	to   uint8 // index of the state
	do   action
	tell signal
	hush bool // it only leads to a quiet state
	pass bool // it only leads to another that works
}

// place is a state of a module, with its rows.
type place struct {
	clocks  int64
	accepts uint32 // a bit for each input that a row takes
	waits   bool
	quiet   bool // it only leads to a state that waits
	state   state
	cells   [32]cell // by input
}

// program is the tables of a board, by index.
type program struct {
	places [256]place
	count  uint8          // of places
	first  [modules]uint8 // where each module begins: idle
	act    [actions]func(*board) input
}

// compile makes the tables of a board into a program. What nobody notices takes no
// step of its own unless every is true.
func compile(tables [modules]table, every bool) *program {
	p := &program{act: handlers()}
	index := [modules][states]uint8{}
	for m, t := range tables {
		p.first[m] = p.count
		for _, r := range t.stay {
			index[m][r.state] = p.count
			p.places[p.count] = place{clocks: int64(r.clocks), waits: r.waits, state: r.state}
			p.count++
		}
	}
	for m, t := range tables {
		for _, r := range t.rows {
			from := &p.places[index[m][r.from]]
			from.cells[r.on] = cell{to: index[m][r.to], do: r.do, tell: r.tell}
			from.accepts |= 1 << r.on
		}
	}
	if !every {
		p.merge()
	}
	return p
}

// merge finds what nobody notices.
func (p *program) merge() {
	for range states { // chains of states that work become one
		for i := range p.count {
			from := &p.places[i]
			next := from.cells[always]
			if to := &p.places[next.to]; from.always() && next.silent() && to.always() {
				from.clocks, from.cells = from.clocks+to.clocks, to.cells
			}
		}
	}
	for i := range p.count {
		from := &p.places[i]
		next := from.cells[always]
		from.quiet = from.always() && next.silent() && p.places[next.to].waits
	}
	for i := range p.count {
		from := &p.places[i]
		for on := range inputs {
			c := &from.cells[on]
			quiet := p.places[c.to].quiet
			c.hush = from.waits && c.silent() && quiet
			c.pass = from.waits && c.silent() && p.places[c.to].always() && !quiet
		}
	}
}

// always says whether a state only works, and leads to one other.
func (p *place) always() bool { return p.accepts == 1<<always }

// silent says whether nobody else notices.
func (c cell) silent() bool { return c.do == nothing && c.tell.in == always }

// machine is a module at work.
type machine struct {
	place   uint8
	on      input  // with which it will leave its state
	busy    bool   // it will leave its state at a time that is known
	waiting uint32 // signals that no state has taken yet
	quietTo int64  // until then it is in a quiet state, and then in that behind it
}

// event is what happens at a clock: a module leaves its state, or is told something.
// From the top: clock 40 bits, input 8 (always: it leaves its state), board 8, module
// 8. Events are in the order of these numbers, so what happens at one clock does not
// depend on when it was known.
type event uint64

func newEvent(at int64, board uint8, to module, in input) event {
	return event(uint64(at)<<24 | uint64(in)<<16 | uint64(board)<<8 | uint64(to))
}

func (e event) at() int64 { return int64(e >> 24) }

// queue holds what is to come, the next last.
type queue struct {
	now  int64
	this event // that happens
	next int64 // the clock of the last event
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

// tell gives a module an input, now. Where its state does not wait for it, it is
// kept until one does.
func (b *board) tell(to module, in input) {
	m, n := &b.machines[to], b.net
	if m.busy {
		m.waiting |= 1 << in
		return
	}
	p := &n.program.places[m.place]
	if m.quietTo != 0 {
		if leaves := newEvent(m.quietTo, b.index, to, always); leaves > n.queue.this { // it waits only then
			n.queue.put(leaves)
			m.busy, m.on, m.quietTo = true, always, 0
			m.waiting |= 1 << in
			return
		}
		m.place, m.quietTo = p.cells[always].to, 0
		p = &n.program.places[m.place]
	}
	if p.accepts>>in&1 == 0 {
		m.waiting |= 1 << in
		return
	}
	at := n.queue.now + p.clocks
	switch c := &p.cells[in%32]; {
	case c.hush && m.waiting == 0:
		m.place, m.quietTo = c.to, at+n.program.places[c.to].clocks
		return
	case c.pass:
		m.place, in = c.to, always
		at += n.program.places[c.to].clocks
	}
	m.busy, m.on = true, in
	n.queue.put(newEvent(at, b.index, to, always))
}

// later tells a module something after some clocks.
func (b *board) later(clocks int64, to module, in input) {
	b.net.queue.put(newEvent(b.net.queue.now+clocks, b.index, to, in))
}

// forget drops signals that wait.
func (b *board) forget(of module, signals ...input) {
	for _, in := range signals {
		b.machines[of].waiting &^= 1 << in
	}
}

// run lets a module leave its state, and go on as long as nothing else happens
// before it leaves the next. A quiet state takes no event of its own, unless a signal
// waits behind it.
func (b *board) run(of module) {
	n, m := b.net, &b.machines[of]
	p, q := n.program, &n.queue
	for {
		c := &p.places[m.place].cells[m.on%32]
		m.place = c.to
		in := &p.places[c.to]
		if n.trace != nil {
			n.trace(q.now, b.index, of, in.state)
		}
		found := always
		if c.do != nothing {
			found = p.act[c.do](b)
		}
		if c.tell.in != always {
			b.tell(c.tell.to, c.tell.in)
		}
		switch {
		case in.waits:
			kept := m.waiting & in.accepts
			if kept == 0 {
				m.busy = false
				return
			}
			found = lowest(kept)
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

// step does what happens next; false if nothing will.
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
		b.tell(to, in)
	}
	return true
}
