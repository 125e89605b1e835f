package mpi

import (
	"bytes"
	"fmt"
)

// The oracle knows MPI's rules, but not queues, packets and rings. It checks a run:
//
//  1. The statuses determine which receive got which message: messages with one envelope are
//     received in the order sent, by receives in the order posted. Sizes and contents must
//     match.
//  2. The run must have been possible. The oracle builds a graph whose edges lead from what
//     must come first: from line to line of a rank; from a send to the arrival of its
//     message, and from there to the end of its receive; from a receive to the end of a send
//     in rendezvous; from all entries of a barrier to its ends; and from one arrival to
//     another. Arrivals from one sender are in the order sent. If receive r was posted before
//     receive s and matches the message of s, the message of r arrives before the message of
//     s. If the graph has no cycle, there is an order of arrivals in which each message goes
//     to the first posted receive that matches. If it has a cycle, there is none.
//  3. Everything that can continue has continued. At the end no message matches a waiting
//     receive, and every rank that has not returned waits for an event that has not happened.

// sent is a message of a program.
type sent struct {
	rank, line int // of the sender
	to         int // destination, a rank of the run
	context    int // 0 and 1; 2 for even ranks, 3 for odd ones
	source     int // rank in the communicator
	tag, n     int
	by         *taker // receive or probe that got it, or nil
}

// taker is a receive or probe that was started.
type taker struct {
	rank, line  int
	context     int
	source, tag int // may be wildcards
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
	arrows [][]int // edges of the graph, by node
}

// judge returns an error if a run broke a rule.
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

// collect lists the messages and receives that were started.
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

// match determines which receive got which message, and checks the contents.
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
			return fmt.Errorf("rank %d, line %d: received %+v, which was not sent, or does not match", k.rank, k.line, x.status)
		}
		n := min(m.n, len(x.p))
		want := j.p.content(m.rank, m.line)[:n]
		if x.status.Count != n || x.short != (m.n > n) || !bytes.Equal(x.p[:n], want) {
			return fmt.Errorf("rank %d, line %d: received %d bytes, truncated %v, of message %+v", k.rank, k.line, x.status.Count, x.short, *m)
		}
		for _, b := range x.p[n:] {
			if b != 0xa5 {
				return fmt.Errorf("rank %d, line %d: bytes after a message have changed", k.rank, k.line)
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

// eager reports whether a message is sent at once.
func (j *oracle) eager(m *sent) bool { return m.n <= j.p.opts.Eager }

// order adds the edges and returns an error if the graph has a cycle.
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

// distance returns the number of messages in the list between message i and the message later.
func (j *oracle) distance(i int, later *sent) int {
	for k := i; ; k++ {
		if j.sent[k] == later {
			return k - i
		}
	}
}

// ends adds edges for calls that returned because their operation was complete.
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

// received adds the edges of received messages, and between arrivals.
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
				return fmt.Errorf("rank %d, line %d has received a message that line %d waits for: %+v", k.rank, k.line, before.line, *k.got)
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

// entries returns the lines of a communicator's barrier with the given number, by rank; -1 where
// the rank has not reached it.
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

// barriers adds the edges of barriers.
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
					return fmt.Errorf("rank %d, line %d: a barrier has ended, but rank %d has not entered it", rank, i, other)
				}
				j.arrow(j.start(other, k), j.end(rank, i))
			}
		}
	}
	return nil
}

// circle returns an error if the graph has a cycle.
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
		return fmt.Errorf("no order of arrivals explains the received messages: %d events are in a cycle or after one", len(j.arrows)-seen)
	}
	return nil
}

// rest checks that no line is left that could have completed.
func (j *oracle) rest() error {
	for _, k := range j.takers {
		for _, m := range j.sent {
			if k.got == nil && m.by == nil && k.fits(m) {
				return fmt.Errorf("rank %d, line %d still waits, but could have received %+v", k.rank, k.line, *m)
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
				return fmt.Errorf("rank %d, line %d, %+v: it could continue", rank, i, j.p.lines[rank][i])
			}
			break
		}
	}
	if j.o.deadlock != (stuck > 0) {
		return fmt.Errorf("%d ranks are stuck, deadlock: %v", stuck, j.o.deadlock)
	}
	return nil
}

// blocked reports whether a started line waits for something that has not happened.
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

// pending reports whether the operation that a line started cannot have completed.
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
