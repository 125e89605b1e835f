package event

import "github.com/fagus-dsm/fagus/dimmnet"

// Kind says what happens. The package that schedules an event numbers its kinds, and handles them.
type Kind uint8

// Event is an entry of the queue. Events of the same time are sorted by order: packets in the
// sequence of insertion, then threads by rank, and the deferred calls of a thread before the
// thread. Threads come last so that a load at t sees a word that lands at t, however often the
// thread polled before.
type Event struct {
	At    dimmnet.Time
	order uint64
	Ref   int32 // number of what it happens to: a packet, a node, a thread
	Kind  Kind
}

// threadOrder is the order of the first thread's deferred calls. That of the thread's other events
// is higher by 1, and that of the next thread's deferred calls by 2.
const threadOrder = 1 << 63

// OfThread returns an event of the thread with this number.
func OfThread(at dimmnet.Time, thread int32, kind Kind) Event {
	return Event{At: at, order: threadOrder + 2*uint64(thread) + 1, Ref: thread, Kind: kind}
}

// Deferred returns an event that comes just before events of the thread at the same time.
func Deferred(at dimmnet.Time, thread int32, kind Kind) Event {
	return Event{At: at, order: threadOrder + 2*uint64(thread), Ref: thread, Kind: kind}
}

// Before reports whether e happens before f.
func (e *Event) Before(f *Event) bool { return e.At < f.At || e.At == f.At && e.order < f.order }

// queue holds events, and knows the earliest.
//
// Most events of packets come at a constant time after the event that schedules them: they are in
// lanes, in the order of insertion. All others are in a heap. Where an event is does not matter to
// its order.
type queue struct {
	top   Event // the earliest event; valid if n > 0
	from  int   // the lane that holds top, or inHeap
	n     int   // number of events
	heap  heap
	lanes [Lanes]lane
}

// Lanes is the number of lanes. An event belongs into a lane if it comes at a constant time after
// the one that schedules it, and nothing delays it.
const Lanes = 3

const inHeap = -1

// Push puts an event of a thread into the queue.
func (q *queue) Push(e Event) {
	q.heap.push(e)
	q.added(&e, inHeap)
}

// pushLane puts e into a lane, or into the heap if the lane's last event is later.
func (q *queue) pushLane(number int, e Event) {
	if !q.lanes[number].push(e) {
		number = inHeap
		q.heap.push(e)
	}
	q.added(&e, number)
}

func (q *queue) added(e *Event, where int) {
	if q.n++; q.n == 1 || e.Before(&q.top) {
		q.top, q.from = *e, where
	}
}

// Len returns the number of events to come.
func (q *queue) Len() int { return q.n }

// First returns the event that happens next. It is valid if there is one, until the queue changes.
func (q *queue) First() *Event { return &q.top }

// Pop removes the first event.
func (q *queue) Pop() Event {
	top := q.top
	if q.from == inHeap {
		q.heap.pop()
	} else {
		q.lanes[q.from].pop()
	}
	q.n--
	q.findTop()
	return top
}

// Replace is Pop and Push(e). The first event must be one that was pushed.
func (q *queue) Replace(e Event) Event {
	top := q.top
	q.heap.sink(e)
	q.findTop()
	return top
}

func (q *queue) findTop() {
	var top *Event
	if len(q.heap) > 0 {
		top, q.from = &q.heap[0], inHeap
	}
	for i := range q.lanes {
		if l := &q.lanes[i]; l.n > 0 && (top == nil || l.ring[l.head].Before(top)) {
			top, q.from = &l.ring[l.head], i
		}
	}
	if top != nil {
		q.top = *top
	}
}

// lane is a list of events in their order.
type lane struct {
	ring    []Event // its length is a power of two
	head, n int
	last    dimmnet.Time // time of the event that was added last
}

// push adds e, and reports whether it did: e must not be earlier than the last event.
func (l *lane) push(e Event) bool {
	if l.n > 0 && e.At < l.last {
		return false
	}
	if l.n == len(l.ring) {
		ring := make([]Event, max(64, 2*l.n))
		copy(ring[copy(ring, l.ring[l.head:]):], l.ring[:l.head])
		l.ring, l.head = ring, 0
	}
	l.ring[(l.head+l.n)&(len(l.ring)-1)] = e
	l.n++
	l.last = e.At
	return true
}

func (l *lane) pop() {
	l.head = (l.head + 1) & (len(l.ring) - 1)
	l.n--
}

// heap is a 4-ary heap of events, the earliest first. Four children share two cache lines,
// and the tree is half as deep as a binary one.
type heap []Event

func (q *heap) push(e Event) {
	h := append(*q, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.Before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
	*q = h
}

func (q *heap) pop() {
	h := *q
	last := h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	if len(h) > 0 {
		h.sink(last)
	}
}

// sink puts e in the place of the earliest event, and moves it down to its place in the heap.
func (q heap) sink(e Event) {
	i := 0
	for {
		first := 4*i + 1
		if first >= len(q) {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, len(q)); c++ {
			if q[c].Before(&q[least]) {
				least = c
			}
		}
		if !q[least].Before(&e) {
			break
		}
		q[i] = q[least]
		i = least
	}
	q[i] = e
}
