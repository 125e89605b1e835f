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
	evThread                    // a thread continues
	// An event of the following kinds may have no effect.
	evSlice // a thread's time slice is over
	evTimer // a connection has something to send
	evPause // the threads of a node pause
	evCrash // a node crashes
)

// event is an entry of the queue. Events of the same time are sorted by order: packets in the
// sequence of insertion, then threads by rank. Threads come last so that a load at t sees a word
// that lands at t, however often the thread polled before.
type event struct {
	at    dimmnet.Time
	order uint64
	ref   int32 // number of the packet, node, thread, ...: see kernel.handle
	kind  eventKind
}

// threadOrder is the order of the first thread's events; a thread adds its index.
const threadOrder = 1 << 63

func (e *event) before(f *event) bool { return e.at < f.at || e.at == f.at && e.order < f.order }

// queue is a 4-ary heap of events, the earliest first. Four children share two cache lines,
// and the tree is half as deep as a binary one.
type queue []event

func (q queue) empty() bool { return len(q) == 0 }

// first returns the earliest event.
func (q queue) first() *event { return &q[0] }

func (q *queue) push(e event) {
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

func (q *queue) pop() event {
	h := *q
	top := h[0]
	last := h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	if len(h) > 0 {
		h.sink(last)
	}
	return top
}

// sink puts e at the root and moves it down to its place in the heap.
func (q queue) sink(e event) {
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
