package sim

import "github.com/fagus-dsm/fagus/dimmnet"

type eventKind uint8

const (
	evHop      eventKind = iota // a packet's head reaches a switch
	evEnter                     // a packet's head reaches the receiver
	evRDMA                      // a node's engine sends its next packet
	evLand                      // a packet's bytes appear in memory
	evFree                      // a send buffer of a node becomes free
	evNotice                    // a notice interrupts a node
	evCall                      // a call that another package has scheduled
	evSwitch                    // the Ethernet switch has received a frame
	evFrame                     // a host has received a frame
	evDatagram                  // a host's protocol stack has finished with a datagram
	evDeferred                  // a call that a thread has deferred
	evThread                    // a thread continues
	// An event of the following kinds may have no effect.
	evSlice // a thread's time slice is over
	evTimer // a connection has something to send
	evPause // the threads of a node pause
	evCrash // a node crashes
)

// event is an entry of the queue. Events of the same time are sorted by order: packets in the
// sequence of insertion, then threads by rank, and the deferred calls of a thread before the
// thread. Threads come last so that a load at t sees a word that lands at t, however often the
// thread polled before.
type event struct {
	at    dimmnet.Time
	order uint64
	ref   int32 // number of the packet, node, thread, ...: see kernel.handle
	kind  eventKind
}

// threadOrder is the order of the first thread's deferred calls. That of the thread's other events
// is higher by 1, and that of the next thread's deferred calls by 2.
const threadOrder = 1 << 63

func (e *event) before(f *event) bool { return e.at < f.at || e.at == f.at && e.order < f.order }

// queue holds events, and knows the earliest.
//
// Most events of packets come at a constant time after the event that schedules them: they are in
// lanes, in the order of insertion. All others are in a heap. Where an event is does not matter to
// its order.
type queue struct {
	top   event // the earliest event; valid if n > 0
	from  int   // the lane that holds top, or inHeap
	n     int   // number of events
	heap  heap
	lanes [lanes]lane
}

// The lanes. An event belongs into a lane if it is not delayed: nothing else uses the link, the
// port of the switch, or the receiver.
const (
	laneLink = iota // a word leaves its NIC
	lanePort        // a packet passes a switch
	laneLand        // a word lands
	lanes
	inHeap = -1
)

func (q *queue) empty() bool { return q.n == 0 }

func (q *queue) push(e event) {
	q.heap.push(e)
	q.added(&e, inHeap)
}

// pushLane puts e into a lane, or into the heap if the lane's last event is later.
func (q *queue) pushLane(number int, e event) {
	if !q.lanes[number].push(e) {
		number = inHeap
		q.heap.push(e)
	}
	q.added(&e, number)
}

func (q *queue) added(e *event, where int) {
	if q.n++; q.n == 1 || e.before(&q.top) {
		q.top, q.from = *e, where
	}
}

func (q *queue) pop() event {
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

// replace returns the earliest event, which is in the heap, and puts e in its place.
func (q *queue) replace(e event) event {
	top := q.top
	q.heap.sink(e)
	q.findTop()
	return top
}

func (q *queue) findTop() {
	var top *event
	if len(q.heap) > 0 {
		top, q.from = &q.heap[0], inHeap
	}
	for i := range q.lanes {
		if l := &q.lanes[i]; l.n > 0 && (top == nil || l.ring[l.head].before(top)) {
			top, q.from = &l.ring[l.head], i
		}
	}
	if top != nil {
		q.top = *top
	}
}

// lane is a list of events in their order.
type lane struct {
	ring    []event // its length is a power of two
	head, n int
	last    dimmnet.Time // time of the event that was added last
}

// push adds e, and reports whether it did: e must not be earlier than the last event.
func (l *lane) push(e event) bool {
	if l.n > 0 && e.at < l.last {
		return false
	}
	if l.n == len(l.ring) {
		ring := make([]event, max(64, 2*l.n))
		copy(ring[copy(ring, l.ring[l.head:]):], l.ring[:l.head])
		l.ring, l.head = ring, 0
	}
	l.ring[(l.head+l.n)&(len(l.ring)-1)] = e
	l.n++
	l.last = e.at
	return true
}

func (l *lane) pop() {
	l.head = (l.head + 1) & (len(l.ring) - 1)
	l.n--
}

// heap is a 4-ary heap of events, the earliest first. Four children share two cache lines,
// and the tree is half as deep as a binary one.
type heap []event

func (q *heap) push(e event) {
	h := append(*q, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&h[parent]) {
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
func (q heap) sink(e event) {
	i := 0
	for {
		first := 4*i + 1
		if first >= len(q) {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, len(q)); c++ {
			if q[c].before(&q[least]) {
				least = c
			}
		}
		if !q[least].before(&e) {
			break
		}
		q[i] = q[least]
		i = least
	}
	q[i] = e
}
