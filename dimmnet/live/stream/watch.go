package stream

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

const (
	checkTime   = 100 * time.Millisecond // between two checks
	receiveTime = 10 * time.Millisecond  // often enough that foreign datagrams fill no queue
)

// beatTime returns the time between two beats. Every rank sends them to all others, so that they
// cost much in a run of hundreds of ranks; a few of them may be lost.
func (c *Config) beatTime() time.Duration { return min(c.Stall/16, time.Second) }

// watch sends beats, and checks the beats of the peers, until stop is called. It needs a
// goroutine: in a compute phase no thread of the program reads a stream.
//
// The time between two checks counts as at most twice checkTime: a process that was stopped, or
// had no processor, has sent as few beats as it has received, and accuses no peer.
func (n *node) watch() (stop func()) {
	if n.beats == nil {
		return func() {}
	}
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(receiveTime)
		defer ticker.Stop()
		w := n.newWatch()
		checked, sent := time.Now(), time.Now()
		w.beats.Send()
		for {
			w.beats.Receive()
			if passed := time.Since(sent); passed >= n.shared.cfg.beatTime() {
				sent = sent.Add(passed)
				w.beats.Send()
			}
			if passed := time.Since(checked); passed >= checkTime {
				checked = checked.Add(passed)
				w.lag.Observe(passed - checkTime)
				w.check(min(passed, 2*checkTime))
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

type watch struct {
	*node
	lag    local.Lag
	heard  []uint64        // by rank: Beats.Heard at the last check
	silent []time.Duration // by rank: time since heard has changed
}

func (n *node) newWatch() *watch {
	return &watch{node: n, heard: make([]uint64, len(n.peers)), silent: make([]time.Duration, len(n.peers))}
}

// check fails the run if a rank is silent for too long. passed is the time since the last check.
func (w *watch) check(passed time.Duration) {
	expected, alive := 0, 0 // ranks that should send beats, and those that have lately
	var lost *peer
	for rank, q := range w.peers {
		if q == nil || q.goodbyeReceived.Load() {
			continue
		}
		expected++
		w.silent[rank] += passed
		if heard := w.beats.Heard(q.rank); heard != w.heard[rank] {
			w.heard[rank], w.silent[rank] = heard, 0
		}
		silent := w.silent[rank] >= w.shared.cfg.Stall/2
		if !silent {
			alive++
		}
		// Read what the peer sent before, because it may contain a goodbye or its failure.
		if silent || q.stream.HungUp() {
			w.serveOne(q)
		}
		if lost == nil && w.silent[rank] >= w.bound(rank) && !q.goodbyeReceived.Load() {
			lost = q
		}
	}
	if lost != nil {
		w.accuse(lost, alive == 0 && expected > 1)
	}
}

func (w *watch) bound(rank int) time.Duration {
	bound := w.lag.Extend(w.shared.cfg.Stall)
	if w.heard[rank] == 0 {
		return max(bound, w.shared.cfg.Joining) // it may still connect to other ranks
	}
	return bound
}

// accuse fails the run because of q or, if all of several peers are silent, because of this rank.
func (w *watch) accuse(q *peer, allSilent bool) {
	silent := w.silent[q.rank].Round(time.Millisecond)
	switch {
	case w.heard[q.rank] == 0:
		w.lost(q.rank, fmt.Errorf("it is connected, but none of its beats has come in %v: it is stopped, or datagrams do not pass from its host to this one", silent))
	case allSilent:
		err := w.errorf("rank %d has heard of no other rank for %v: its host is cut off", w.rank, silent)
		w.fail(w.rank, err, err)
	default:
		w.lost(q.rank, fmt.Errorf("its process has shown no sign of life for %v: it is stopped, or its host is cut off", silent))
	}
}

// serveOne serves a peer, on behalf of threads that do not idle.
func (w *watch) serveOne(q *peer) {
	w.engine.Lock()
	defer w.engine.Unlock()
	if !w.closed {
		w.serve(q)
	}
}
