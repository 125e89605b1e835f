package stream

import (
	"fmt"
	"time"
)

const (
	beatTime       = 100 * time.Millisecond // between two beats
	listensPerBeat = 10                     // so that what strangers send fills no queue
)

// watch beats, and looks whether the others do, until stop is called. It does so whatever
// the program does: in a compute phase nobody reads a connection.
//
// The time between two own beats counts as twice beatTime at most: when this process was
// stopped, or had no processor, it has beaten as little as it has heard, and blames nobody.
func (n *node) watch() (stop func()) {
	if n.beats == nil {
		return func() {}
	}
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(beatTime / listensPerBeat)
		defer ticker.Stop()
		w := n.newWatch()
		last := time.Now()
		w.beats.Send()
		for {
			w.beats.Listen()
			if now := time.Now(); now.Sub(last) >= beatTime {
				w.beats.Send()
				w.look(min(now.Sub(last), 2*beatTime))
				last = now
			}
			select {
			case <-over:
				return
			case <-ticker.C:
			}
		}
	}()
	return func() {
		close(over)
		<-done
	}
}

// watch is what a rank knows of the silence of the others.
type watch struct {
	*node
	seen  []uint64        // beats of each, in the last look
	still []time.Duration // since they have changed
}

func (n *node) newWatch() *watch {
	return &watch{node: n, seen: make([]uint64, len(n.peers)), still: make([]time.Duration, len(n.peers))}
}

// look fails the run if a rank has been silent for too long. It is so long since the last
// look.
func (w *watch) look(passed time.Duration) {
	awaited, alive := 0, 0 // ranks that should beat, and those that have lately
	var lost *peer
	for rank, q := range w.peers {
		if q == nil || q.gone.Load() {
			continue
		}
		awaited++
		w.still[rank] += passed
		if heard := w.beats.Heard(q.rank); heard != w.seen[rank] {
			w.seen[rank], w.still[rank] = heard, 0
		}
		silent := w.still[rank] >= w.crew.cfg.Stall/2
		if !silent {
			alive++
		}
		// What it has said before is still to be read, perhaps why it has failed.
		if silent || q.stream.HungUp() {
			w.serveOne(q)
		}
		if lost == nil && w.still[rank] >= w.bound(rank) && !q.gone.Load() {
			lost = q
		}
	}
	if lost != nil {
		w.accuse(lost, alive == 0 && awaited > 1)
	}
}

// bound is how long a rank may be silent.
func (w *watch) bound(rank int) time.Duration {
	if w.seen[rank] == 0 {
		return max(w.crew.cfg.Stall, w.crew.cfg.Joining) // it may still be connecting to others
	}
	return w.crew.cfg.Stall
}

// accuse fails the run because of q, or of this rank, which hears nobody.
func (w *watch) accuse(q *peer, alone bool) {
	silent := w.still[q.rank].Round(time.Millisecond)
	switch {
	case w.seen[q.rank] == 0:
		w.lost(q.rank, fmt.Errorf("it is connected, and not one of its beats has come in %v: it is stopped, or datagrams do not pass from its host to this one", silent))
	case alone:
		err := w.errorf("rank %d has heard of no other for %v: its host is cut off", w.rank, silent)
		w.fail(w.rank, err, err)
	default:
		w.lost(q.rank, fmt.Errorf("its process has shown no sign of life for %v: it is stopped, or its host is cut off", silent))
	}
}

// serveOne serves a peer for a thread that does not idle.
func (w *watch) serveOne(q *peer) {
	w.engine.Lock()
	defer w.engine.Unlock()
	if !w.closed {
		w.serve(q)
	}
}
