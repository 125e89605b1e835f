package mpi

import (
	"bytes"
	"fmt"
)

// The oracle knows MPI's rules, and nothing of queues, packets and rings. It holds a run against them:
//
//  1. Who has received what follows from the statuses: messages with one envelope are received in
//     the order sent, by receives in the order posted. Size and bytes must be those.
//  2. The run must have been possible. Draw an arrow from what must come before: within a rank from
//     line to line; from a send to the arrival of its message, from there to the end of its receive; from
//     a receive to the end of a send in rendezvous; from all entries of a barrier to its ends; and
//     from one arrival to the next: of one sender in the order sent, and, if receive r was posted
//     before s and fits the message of s, from r's message to that of s. There must be no circle: then
//     the arrivals have an order in which each message takes the first receive posted that fits it,
//     and without one there is none.
//  3. Nothing stands still that could go on: at the end no message is left that a waiting receive
//     fits, and every rank that has not returned waits for something that has not happened.

// sent is a message of a program.
type sent struct {
	rank, line int // of the sender
	to         int // rank
	context    int // 0 and 1, 2 for even ranks, 3 for odd ones
	source     int // in the communicator
	tag, n     int
	by         *taker // nil: nobody has received it
}

// taker is a receive or probe that was started.
type taker struct {
	rank, line  int
	context     int
	source, tag int // or any
	got         *sent
}

func (k *taker) fits(m *sent) bool {
	return k.rank == m.to && k.context == m.context && (k.source < 0 || k.source == m.source) && (k.tag < 0 || k.tag == m.tag)
}

// oracle judges one run.
type oracle struct {
	p      *program
	o      *observation
	sent   []*sent
	takers []*taker
	arrows [][]int // by node
}

// judge returns what a run has done wrong.
func (p *program) judge(o *observation) error {
	j := &oracle{p: p, o: o}
	j.collect()
	if err := j.match(); err != nil {
		return err
	}
	if err := j.order(); err != nil {
		return err
	}
	return j.rest()
}

func contextOf(rank, comm int) int {
	if comm == 2 {
		return 2 + rank%2
	}
	return comm
}

// collect lists what was started.
func (j *oracle) collect() {
	for rank, lines := range j.p.lines {
		for i, l := range lines {
			if !j.o.outcomes[rank][i].started {
				continue
			}
			ranks := commRanks(j.p.nodes, rank, l.comm)
			switch l.verb {
			case sends:
				j.sent = append(j.sent, &sent{rank: rank, line: i, to: ranks[l.peer], context: contextOf(rank, l.comm),
					source: indexIn(ranks, rank), tag: l.tag, n: l.n})
			case receives, probes:
				j.takers = append(j.takers, &taker{rank: rank, line: i, context: contextOf(rank, l.comm), source: l.peer, tag: l.tag})
			}
		}
	}
}

// match finds out who has received what, and whether it is that.
func (j *oracle) match() error {
	for _, k := range j.takers {
		x := &j.o.outcomes[k.rank][k.line]
		if !x.done {
			continue
		}
		for _, m := range j.sent {
			if m.by == nil && m.to == k.rank && m.context == k.context && m.source == x.status.Source && m.tag == x.status.Tag {
				m.by, k.got = k, m
				break
			}
		}
		m := k.got
		if m == nil || !k.fits(m) {
			return fmt.Errorf("rank %d, line %d: received %+v, which was not sent, or does not fit", k.rank, k.line, x.status)
		}
		n := min(m.n, len(x.p))
		want := j.p.content(m.rank, m.line)[:n]
		if x.status.Count != n || x.short != (m.n > n) || !bytes.Equal(x.p[:n], want) {
			return fmt.Errorf("rank %d, line %d: received %d bytes, truncated %v, of message %+v", k.rank, k.line, x.status.Count, x.short, *m)
		}
		for _, b := range x.p[n:] {
			if b != 0xa5 {
				return fmt.Errorf("rank %d, line %d: bytes behind a message have changed", k.rank, k.line)
			}
		}
	}
	return nil
}

// Nodes of the graph: start, post and end of each line; then the arrivals.
func (j *oracle) start(rank, line int) int { return 3 * (rank*1000 + line) }
func (j *oracle) post(rank, line int) int  { return 3*(rank*1000+line) + 1 }
func (j *oracle) end(rank, line int) int   { return 3*(rank*1000+line) + 2 }
func (j *oracle) arrival(i int) int        { return 3*1000*j.p.nodes + i }

func (j *oracle) arrow(from, to int) { j.arrows[from] = append(j.arrows[from], to) }

// eager says whether a message goes at once.
func (j *oracle) eager(m *sent) bool { return m.n <= j.p.opts.Eager }

// order draws the arrows and looks for a circle.
func (j *oracle) order() error {
	j.arrows = make([][]int, j.arrival(len(j.sent)))
	for rank, lines := range j.p.lines {
		for i := range lines {
			j.arrow(j.start(rank, i), j.post(rank, i))
			j.arrow(j.post(rank, i), j.end(rank, i))
			if i > 0 {
				j.arrow(j.end(rank, i-1), j.start(rank, i))
			}
		}
	}
	at := map[*sent]int{}
	for i, m := range j.sent {
		at[m] = j.arrival(i)
		j.arrow(j.start(m.rank, m.line), at[m])
		for _, later := range j.sent[i+1:] {
			if later.rank == m.rank && later.to == m.to && later.context == m.context {
				j.arrow(at[m], j.arrival(i)+j.distance(i, later))
			}
		}
		if !j.eager(m) {
			for _, end := range j.ends(m.rank, m.line) {
				if m.by == nil {
					return fmt.Errorf("rank %d, line %d: a rendezvous has ended without a receiver: %+v", m.rank, m.line, *m)
				}
				j.arrow(j.post(m.by.rank, m.by.line), end)
			}
		}
	}
	if err := j.received(at); err != nil {
		return err
	}
	if err := j.barriers(); err != nil {
		return err
	}
	return j.circle()
}

// distance is how far behind message i another one is in the list.
func (j *oracle) distance(i int, later *sent) int {
	for k := i; ; k++ {
		if j.sent[k] == later {
			return k - i
		}
	}
}

// ends are the calls that have returned because what a line has started was complete.
func (j *oracle) ends(rank, index int) (nodes []int) {
	outcomes := j.o.outcomes[rank]
	if !j.p.lines[rank][index].async {
		if outcomes[index].returned {
			nodes = append(nodes, j.end(rank, index))
		}
		return nodes
	}
	for i, l := range j.p.lines[rank] {
		for _, on := range l.on {
			if on == index && outcomes[i].returned {
				nodes = append(nodes, j.end(rank, i))
			}
		}
	}
	return nodes
}

// received draws the arrows for what was received, and from one arrival to another.
func (j *oracle) received(at map[*sent]int) error {
	for i, k := range j.takers {
		ends := j.ends(k.rank, k.line)
		if k.got == nil {
			if len(ends) > 0 {
				return fmt.Errorf("rank %d, line %d: a receive has ended without a message", k.rank, k.line)
			}
			continue
		}
		for _, end := range ends {
			j.arrow(at[k.got], end)
		}
		if j.p.lines[k.rank][k.line].verb == probes {
			j.arrow(at[k.got], j.post(k.rank, k.line))
		}
		for _, before := range j.takers[:i] {
			switch {
			case !before.fits(k.got):
			case before.got == nil:
				return fmt.Errorf("rank %d, line %d has received what line %d waits for: %+v", k.rank, k.line, before.line, *k.got)
			default:
				j.arrow(at[before.got], at[k.got])
			}
		}
		for _, m := range j.sent {
			if m.by == nil && k.fits(m) {
				j.arrow(at[k.got], at[m])
			}
		}
	}
	return nil
}

// entries are the lines of the number-th barrier of a communicator, by rank, -1 where the rank has
// not come to it.
func (j *oracle) entries(comm, number int) (lines []int) {
	for rank := range j.p.lines {
		found, k := -1, 0
		for i, l := range j.p.lines[rank] {
			if l.verb == barriers && l.comm == comm {
				if k == number && j.o.outcomes[rank][i].started {
					found = i
				}
				k++
			}
		}
		lines = append(lines, found)
	}
	return lines
}

// barriers draws the arrows of barriers.
func (j *oracle) barriers() error {
	for rank, lines := range j.p.lines {
		numbers := [2]int{}
		for i, l := range lines {
			if l.verb != barriers {
				continue
			}
			entries := j.entries(l.comm, numbers[l.comm])
			numbers[l.comm]++
			if !j.o.outcomes[rank][i].returned {
				continue
			}
			for other, k := range entries {
				if k < 0 {
					return fmt.Errorf("rank %d, line %d: a barrier has ended, rank %d has not come", rank, i, other)
				}
				j.arrow(j.start(other, k), j.end(rank, i))
			}
		}
	}
	return nil
}

// circle looks for a circle of arrows.
func (j *oracle) circle() error {
	into := make([]int, len(j.arrows))
	for _, list := range j.arrows {
		for _, to := range list {
			into[to]++
		}
	}
	var free []int
	for i, n := range into {
		if n == 0 {
			free = append(free, i)
		}
	}
	seen := 0
	for ; len(free) > 0; seen++ {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		for _, to := range j.arrows[i] {
			if into[to]--; into[to] == 0 {
				free = append(free, to)
			}
		}
	}
	if seen < len(j.arrows) {
		return fmt.Errorf("no order of arrivals explains who has received what: %d events in a circle, or behind it", len(j.arrows)-seen)
	}
	return nil
}

// rest looks at what has not happened.
func (j *oracle) rest() error {
	for _, k := range j.takers {
		for _, m := range j.sent {
			if k.got == nil && m.by == nil && k.fits(m) {
				return fmt.Errorf("rank %d, line %d waits, and has not got %+v", k.rank, k.line, *m)
			}
		}
	}
	stuck := 0
	for rank, outcomes := range j.o.outcomes {
		for i := range outcomes {
			if outcomes[i].returned {
				continue
			}
			stuck++
			if !outcomes[i].started || !j.blocked(rank, i) {
				return fmt.Errorf("rank %d, line %d, %+v: it could go on", rank, i, j.p.lines[rank][i])
			}
			break
		}
	}
	if j.o.deadlock != (stuck > 0) {
		return fmt.Errorf("%d ranks are stuck, deadlock: %v", stuck, j.o.deadlock)
	}
	return nil
}

// blocked says whether a line that was started waits for something that has not happened.
func (j *oracle) blocked(rank, index int) bool {
	l := &j.p.lines[rank][index]
	switch l.verb {
	case barriers:
		number := 0
		for _, before := range j.p.lines[rank][:index] {
			if before.verb == barriers && before.comm == l.comm {
				number++
			}
		}
		for _, k := range j.entries(l.comm, number) {
			if k < 0 {
				return true
			}
		}
		return false
	case waits:
		for _, on := range l.on {
			if j.pending(rank, on) {
				return true
			}
		}
		return false
	}
	return j.pending(rank, index)
}

// pending says whether what a line has started cannot be complete.
func (j *oracle) pending(rank, index int) bool {
	for _, m := range j.sent {
		if m.rank == rank && m.line == index {
			return !j.eager(m) && m.by == nil
		}
	}
	for _, k := range j.takers {
		if k.rank == rank && k.line == index {
			return k.got == nil
		}
	}
	return false
}
