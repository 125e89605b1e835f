package analysis

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// threads makes the acts in Threaded mode.
type threads struct {
	*model
	ranks []thread
	ready readyRanks
	vars  map[syncvar.ID]*lock
	in    []int // ranks in the meeting that is due
	end   Time
}

// thread is a rank.
type thread struct {
	acts   []act
	next   int
	worked bool // the computing before the act is done
	wants  []want
	held   []want // of the tenure; nothing if the trace begins in it
}

type want struct {
	id        syncvar.ID
	exclusive bool
}

// lock is a variable: who holds it, and who waits for it in turn.
type lock struct {
	readers int
	writer  bool
	queue   []int
}

// readyRanks is a heap of the ranks that can go on, by time.
type readyRanks []readyRank

type readyRank struct {
	at   Time
	rank int
}

func (h readyRanks) Len() int { return len(h) }

func (h readyRanks) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].at, h[j].at), cmp.Compare(h[i].rank, h[j].rank)) < 0
}

func (h readyRanks) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push is of package heap.
func (h *readyRanks) Push(x any) { *h = append(*h, x.(readyRank)) }

// Pop is of package heap.
func (h *readyRanks) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// inThreads returns how long the acts take in Threaded mode: an Acquire takes the variables of its
// set one by one, and each is granted in the order of the requests.
func (m *model) inThreads(acts [][]act) (Time, bool) {
	t := &threads{model: m, ranks: make([]thread, len(acts)), vars: make(map[syncvar.ID]*lock)}
	for r := range acts {
		t.ranks[r].acts = acts[r]
		heap.Push(&t.ready, readyRank{0, r})
	}
	ended := 0
	for len(t.ready) > 0 {
		next := heap.Pop(&t.ready).(readyRank)
		if of := &t.ranks[next.rank]; of.next == len(of.acts) {
			t.end = max(t.end, next.at)
			ended++
			continue
		}
		t.goOn(next.rank, next.at)
	}
	return t.end, ended == len(acts)
}

// at makes a rank go on at a time.
func (t *threads) at(rank int, at Time) { heap.Push(&t.ready, readyRank{at, rank}) }

// goOn makes what is due at a rank.
func (t *threads) goOn(rank int, now Time) {
	of := &t.ranks[rank]
	a := &of.acts[of.next]
	if !of.worked {
		of.worked, of.wants = true, of.wants[:0]
		if a.call == rollcall.Acquire {
			for _, id := range a.shared {
				of.wants = append(of.wants, want{id, false})
			}
			for _, id := range a.exclusive {
				of.wants = append(of.wants, want{id, true})
			}
			slices.SortFunc(of.wants, func(a, b want) int { return cmp.Compare(a.id, b.id) })
		}
		if now += a.work; a.call == rollcall.Release {
			now += a.cost // others get the variables at its end
		}
		t.at(rank, now)
		return
	}
	switch a.call {
	case rollcall.Acquire:
		for len(of.wants) > 0 {
			if !t.take(rank, of.wants[0]) {
				return
			}
			of.take()
		}
		t.done(rank, now+a.cost)
	case rollcall.Release:
		for _, w := range of.held {
			t.release(w, now)
		}
		of.held = of.held[:0]
		t.done(rank, now)
	default:
		t.in = append(t.in, rank)
		if len(t.in) == len(t.ranks) { // the last one
			for _, r := range t.in {
				t.done(r, now+t.ranks[r].acts[t.ranks[r].next].cost)
			}
			t.in = t.in[:0]
		}
	}
}

func (t *threads) done(rank int, at Time) {
	t.ranks[rank].next++
	t.ranks[rank].worked = false
	t.at(rank, at)
}

// take takes a variable, or joins its queue.
func (t *threads) take(rank int, w want) bool {
	l := t.vars[w.id]
	if l == nil {
		l = &lock{}
		t.vars[w.id] = l
	}
	if len(l.queue) > 0 || !l.hold(w) {
		l.queue = append(l.queue, rank)
		return false
	}
	return true
}

// hold takes the variable, if it is free.
func (l *lock) hold(w want) bool {
	if l.writer || w.exclusive && l.readers > 0 {
		return false
	}
	if l.writer = w.exclusive; !w.exclusive {
		l.readers++
	}
	return true
}

// take notes that the rank holds the first variable that it wants.
func (of *thread) take() { of.held, of.wants = append(of.held, of.wants[0]), of.wants[1:] }

// release frees a variable, and grants it to the ranks that are next.
func (t *threads) release(w want, now Time) {
	l := t.vars[w.id]
	if w.exclusive {
		l.writer = false
	} else {
		l.readers--
	}
	for len(l.queue) > 0 {
		next := &t.ranks[l.queue[0]]
		if !l.hold(next.wants[0]) {
			break
		}
		next.take()
		t.at(l.queue[0], now)
		l.queue = l.queue[1:]
	}
}
