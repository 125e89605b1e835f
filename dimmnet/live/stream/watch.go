package stream

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

const (
	checkTime   = 100 * time.Millisecond // between two checks
	receiveTime = 10 * time.Millisecond  // often enough that foreign datagrams fill no queue
)

// beatTime returns the time between two beats. Every rank sends them to all others, so they are
// expensive in a run of hundreds of ranks; a few of them may be lost.
func (c *Config) beatTime() time.Duration { return min(c.Stall/16, time.Second) }

// isPause reports whether the watch has had no turn for so long that this process was stopped, and
// that the other ranks may have given it up.
func (c *Config) isPause(d time.Duration) bool { return c.Stall > 0 && d >= c.Stall/2 }

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
				w.send()
			}
			if passed := time.Since(checked); passed >= checkTime {
				checked = checked.Add(passed)
				w.lag.Observe(passed - checkTime)
				w.check(min(passed, 2*checkTime))
				if w.shared.cfg.isPause(passed) {
					w.noticePause(passed)
				}
			}
			w.watched.Store(int64(time.Since(w.shared.start)))
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
	mute   []time.Duration // by rank: time since heard has changed
	frames []uint32        // by rank: the number of frames at the last check
	silent []time.Duration // by rank: time since heard or frames has changed
	warned bool
}

func (n *node) newWatch() *watch {
	ranks := len(n.peers)
	return &watch{node: n, heard: make([]uint64, ranks), mute: make([]time.Duration, ranks), frames: make([]uint32, ranks), silent: make([]time.Duration, ranks)}
}

// send sends a beat to each peer. It also sends a frame to a peer whose beats do not arrive, and
// to a peer that has reported that this rank's beats do not arrive: a firewall may drop the
// datagrams, in one direction or in both, and let the streams pass.
func (w *watch) send() {
	w.beats.Send()
	for rank, q := range w.peers {
		if q == nil || !q.linked.Load() || q.goodbyeReceived.Load() {
			continue
		}
		if mute := w.mute[rank] >= w.shared.cfg.Stall/4; mute || q.deaf.Load() {
			q.out.beat(!mute)
		}
	}
}

// check fails the run if a rank is silent for too long. passed is the time since the last check.
func (w *watch) check(passed time.Duration) {
	expected, alive := 0, 0 // ranks that should send beats, and those that have lately
	var lost *peer
	for rank, q := range w.peers {
		if q == nil || !q.linked.Load() || q.goodbyeReceived.Load() {
			continue
		}
		expected++
		w.silent[rank] += passed
		w.mute[rank] += passed
		if heard := w.beats.Heard(q.rank); heard != w.heard[rank] {
			w.heard[rank], w.mute[rank], w.silent[rank] = heard, 0, 0
			q.paused.Store(0)
		}
		// Read what the peer has sent: a sign of life, a goodbye or its failure.
		if w.mute[rank] >= w.shared.cfg.Stall/4 || q.stream.HungUp() {
			w.serveOne(q)
			w.countFrames(q)
		}
		if w.silent[rank] < w.shared.cfg.Stall/2 {
			alive++
		}
		if lost == nil && w.silent[rank] >= w.bound(rank) && !q.goodbyeReceived.Load() {
			lost = q
		}
	}
	if lost != nil {
		w.accuse(lost, alive == 0 && expected > 1)
	}
}

// countFrames ends the silence of a peer that has sent frames.
func (w *watch) countFrames(q *peer) {
	w.engine.Lock()
	frames := q.in.number
	w.engine.Unlock()
	if frames == w.frames[q.rank] {
		return
	}
	w.frames[q.rank], w.silent[q.rank] = frames, 0
	q.paused.Store(0)
	if w.heard[q.rank] == 0 && !w.warned && w.shared.cfg.Warn != nil {
		w.warned = true
		w.shared.cfg.Warn(fmt.Sprintf("no datagram from rank %d has reached rank %d in %v, though its stream passes: its signs of life come through the stream", q.rank, w.rank, w.mute[q.rank].Round(time.Millisecond)))
	}
}

// noticePause records that this process was stopped. The beats and frames that arrived meanwhile
// do not show that a peer is still there.
func (w *watch) noticePause(pause time.Duration) {
	w.engine.Lock()
	defer w.engine.Unlock()
	for rank, q := range w.peers {
		if q != nil {
			w.heard[rank], w.frames[rank] = w.beats.Heard(q.rank), q.in.number
			q.paused.Store(int64(pause))
		}
	}
}

func (w *watch) bound(rank int) time.Duration {
	bound := w.lag.Extend(w.shared.cfg.Stall)
	if w.heard[rank] == 0 && w.frames[rank] == 0 {
		return max(bound, w.shared.cfg.Joining) // it may still connect to other ranks
	}
	return bound
}

// accuse fails the run because of q or, if all of several peers are silent, because of this rank.
func (w *watch) accuse(q *peer, allSilent bool) {
	silent := w.silent[q.rank].Round(time.Millisecond)
	switch {
	case w.heard[q.rank] == 0 && w.frames[q.rank] == 0:
		w.lost(q.rank, fmt.Errorf("it is connected, but no sign of life has come from it in %v: it is stopped, or its host is cut off", silent))
	case allSilent:
		err := dimmnet.Gone(w.errorf("rank %d has heard of no other rank for %v: its host is cut off", w.rank, silent))
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
