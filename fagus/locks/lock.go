package locks

import (
	"fmt"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/syncvar"
)

// acquire returns when the rank has one variable. alone says that its call wants no other.
func (e *Engine) acquire(id syncvar.ID, access syncvar.Access, alone bool) error {
	l := e.locks[id]
	if !e.known[id].same {
		if err := e.known[id].agree(l, e.rank, e.space); err != nil {
			return e.failed("acquiring", id, err)
		}
	}
	for {
		s := l.load()
		next, granted := s.acquire(e.rank, access)
		if !granted {
			// The rank that hands the variable over reads the entry when it has seen next.
			e.own.next, e.own.wants = s.last(), uint32(access)
			e.own.granted.Store(0)
			e.own.sleeps.Store(0)
		}
		delay.Here()
		if !l.swap(s, next) {
			continue
		}
		if !granted {
			if err := e.await(id, access, next, alone); err != nil {
				return err
			}
		}
		break
	}
	// Only now does the version belong to the data.
	version := l.version(e.first)
	if e.private {
		if err := e.fetch(id, l); err != nil {
			return e.failed("acquiring", id, err)
		}
	}
	if access == syncvar.Exclusive {
		version++
		l.hint = syncvar.Hint{Owner: e.rank, Version: version - e.first}.Word()
	}
	e.copies[id] = tenure{version: version, updates: e.updates, had: true}
	e.counts.Acquired++
	return nil
}

// release releases one variable, and hands it over if ranks wait for it.
func (e *Engine) release(id syncvar.ID) error {
	l := e.locks[id]
	for {
		s := l.load()
		if s.holders() == 0 || s&exclusive != 0 && s.holder() != e.rank {
			return e.failed("releasing", id, fmt.Errorf("%v it (%#x)", s, uint64(s)))
		}
		next, done := s.release(e.rank)
		if !done {
			if err := e.handOver(l); err != nil {
				return e.failed("releasing", id, err)
			}
			return nil
		}
		delay.Here()
		if l.swap(s, next) {
			return nil
		}
	}
}

// handOver hands over a variable of which this rank is the only holder. It goes to the rank that
// waits longest. If that rank wants to read, it goes to all ranks that want to read and do not
// wait behind a writer. As long as the state names this rank, other ranks only join the queue.
//
// The queue has two parts. The state names the rank that was the last to join it, whose entry
// names the rank before it, and so on. Taken out and reversed, these ranks become the list that
// begins at lock.first, with the rank that waits longest. Each rank is moved there once.
func (e *Engine) handOver(l *lock) error {
	grants, access := e.grants[:0], syncvar.Shared
	first := l.first
	for {
		if first == 0 {
			var err error
			if first, err = e.take(l); err != nil {
				return err
			}
		}
		for first != 0 {
			if int(first) > e.nodes || len(grants) == e.nodes {
				return fmt.Errorf("its queue names rank %d behind %d ranks, in a run of %d nodes", int(first)-1, len(grants), e.nodes)
			}
			at := e.entries[first-1]
			if at.wants == uint32(syncvar.Exclusive) && len(grants) > 0 {
				break
			}
			grants = append(grants, dimmnet.Rank(first-1))
			first = at.next
			if at.wants == uint32(syncvar.Exclusive) {
				access = syncvar.Exclusive
				break
			}
		}
		if len(grants) == 0 {
			return fmt.Errorf("ranks wait for it, but its queue is empty")
		}
		l.first = first
		s := l.load()
		for access == syncvar.Exclusive || first != 0 || s.last() == 0 {
			delay.Here()
			if l.swap(s, s.handOver(grants[0], len(grants), access, first != 0)) {
				e.grants = grants
				return e.tell(grants)
			}
			s = l.load()
		}
		// Ranks have joined the queue, and it may be their turn, too: they may want to read.
	}
}

// take takes all ranks out of the part of the queue that the state names, and returns the list of
// them, with the rank that waits longest at its head.
func (e *Engine) take(l *lock) (first uint32, err error) {
	s := l.load()
	for {
		if err := s.check(e.nodes); err != nil {
			return 0, err
		}
		delay.Here()
		if l.swap(s, s.taken()) {
			break
		}
		s = l.load()
	}
	last := s.last()
	for last != 0 { // even a damaged queue, which names a rank twice, has an end
		if int(last) > e.nodes {
			return 0, fmt.Errorf("its queue names rank %d, in a run of %d nodes", int(last)-1, e.nodes)
		}
		at := e.entries[last-1]
		first, last, at.next = last, at.next, first
	}
	return first, nil
}

// tell tells ranks that they have the variable, and wakes those that sleep. It must not touch the
// variable, which may belong to another rank by now.
func (e *Engine) tell(ranks []dimmnet.Rank) error {
	for _, r := range ranks {
		if err := e.notify(r, &e.entries[r].granted, 1); err != nil {
			return err
		}
	}
	return nil
}

// notify sets a word of a rank's entry, for which the rank waits, and wakes the rank if it sleeps.
func (e *Engine) notify(r dimmnet.Rank, word *atomic.Uint32, value uint32) error {
	word.Store(value)
	delay.Here()
	if e.entries[r].sleeps.Load() != 0 {
		return e.poster.post(r)
	}
	return nil
}

// poster stores the word that wakes a rank.
type poster struct {
	port   dimmnet.Port
	off    dimmnet.Offset
	to     dimmnet.Rank
	posted bool
}

func (p *poster) post(to dimmnet.Rank) error {
	p.to, p.posted = to, false
	return dimmnet.Drive(p.port, p, p.done)
}

func (p *poster) done() bool { return p.posted }

// Step stores the word, if the port takes it.
func (p *poster) Step() (progress bool, err error) {
	p.posted = p.port.Store(p.to, p.off, 1, dimmnet.WordBytes)
	return p.posted, nil
}
