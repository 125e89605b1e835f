package reliable

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// wire holds the datagrams on their way to one end.
type wire struct {
	datagrams [][]byte
	times     []dimmnet.Time
}

// first returns the index of the earliest datagram, or -1.
func (w *wire) first() int {
	best := -1
	for i, at := range w.times {
		if best < 0 || at < w.times[best] {
			best = i
		}
	}
	return best
}

func (w *wire) take(i int) []byte {
	d, last := w.datagrams[i], len(w.times)-1
	w.datagrams[i], w.times[i] = w.datagrams[last], w.times[last]
	w.datagrams, w.times = w.datagrams[:last], w.times[:last]
	return d
}

// world is two Conns and a bad network between them.
type world struct {
	t               *testing.T
	r               *rand.Rand
	seed            uint64
	loss, duplicate float64
	delay           dimmnet.Time // largest delay of a datagram
	now             dimmnet.Time
	ends            [2]*Conn
	wires           [2]wire // to each end
	sent, got       [2]uint64
	count           uint64 // payloads that each end sends
}

// pump sends what an end has.
func (w *world) pump(end int) {
	c := w.ends[end]
	for w.sent[end] < w.count && w.r.IntN(8) > 0 {
		p := binary.LittleEndian.AppendUint64(nil, w.sent[end])
		if !c.Send(append(p, make([]byte, w.r.IntN(90))...)) {
			break
		}
		w.sent[end]++
	}
	to := &w.wires[1-end]
	for d := c.Next(w.now, nil); d != nil; d = c.Next(w.now, nil) {
		for copies := 1; copies > 0; copies-- {
			if w.r.Float64() < w.duplicate {
				copies++
			}
			if w.r.Float64() >= w.loss {
				to.datagrams = append(to.datagrams, d)
				to.times = append(to.times, w.now+ms/10+dimmnet.Time(w.r.Int64N(int64(w.delay)+1)))
			}
		}
	}
	if c.Err() != nil {
		w.t.Fatalf("seed %d: the connection failed at a loss of %.2f: %v", w.seed, w.loss, c.Err())
	}
}

// arrive delivers a datagram to an end, and checks the payloads that it returns.
func (w *world) arrive(end int, d []byte) {
	payloads, err := w.ends[end].Receive(w.now, d)
	if err != nil {
		w.t.Fatalf("seed %d: %v", w.seed, err)
	}
	for _, p := range payloads {
		if got := binary.LittleEndian.Uint64(p); got != w.got[end] {
			w.t.Fatalf("seed %d: received payload %d, want %d", w.seed, got, w.got[end])
		}
		w.got[end]++
	}
	if ahead := w.sent[1-end] - w.got[end]; ahead > uint64(w.ends[end].cfg.Window) {
		w.t.Fatalf("seed %d: %d payloads are ahead of a window of %d", w.seed, ahead, w.ends[end].cfg.Window)
	}
}

// step advances to the next event; it returns false if there is none.
func (w *world) step() bool {
	end, arrival, at := -1, -1, dimmnet.Time(0)
	for e := range w.ends {
		if i := w.wires[e].first(); i >= 0 && (end < 0 || w.wires[e].times[i] < at) {
			end, arrival, at = e, i, w.wires[e].times[i]
		}
		if t, ok := w.ends[e].Deadline(); ok && (end < 0 || t < at) {
			end, arrival, at = e, -1, t
		}
	}
	if end < 0 {
		return false
	}
	w.now = max(w.now, at)
	if arrival >= 0 {
		w.arrive(end, w.wires[end].take(arrival))
	}
	w.pump(end)
	return true
}

// run continues until all payloads have arrived and nothing happens any more.
func (w *world) run() {
	for range 1_000_000 {
		if w.step() {
			continue
		}
		if w.got[0] == w.count && w.got[1] == w.count {
			return
		}
		w.pump(0) // the network was quiet, but not all payloads have been offered
		w.pump(1)
	}
	w.t.Fatalf("seed %d: the transfer does not end: %d and %d payloads of %d arrived", w.seed, w.got[0], w.got[1], w.count)
}

// TestEverythingArrivesOnce sends both ways over networks with all kinds of faults.
func TestEverythingArrivesOnce(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		cfg := bounds()
		cfg.Window = 1 + r.IntN(MaxWindow)
		cfg.Tries = 100 // up to half of the datagrams are lost each way
		w := &world{t: t, r: r, seed: seed, loss: r.Float64() / 2, duplicate: r.Float64() / 2, delay: dimmnet.Time(r.Int64N(int64(30 * ms))),
			ends: [2]*Conn{New(cfg), New(cfg)}, count: 300 + uint64(r.IntN(300))}
		w.run()
	}
}

// TestLossIsSurvived: 30 tries suffice if a fifth is lost each way.
func TestLossIsSurvived(t *testing.T) {
	for seed := range uint64(10) {
		cfg := bounds()
		cfg.Window = MaxWindow
		w := &world{t: t, r: rand.New(rand.NewPCG(seed, 1)), seed: seed, loss: 0.2, ends: [2]*Conn{New(cfg), New(cfg)}, count: 3000}
		w.run()
		if w.now > 60*dimmnet.Second {
			t.Errorf("seed %d: %d payloads each way took %v, want at most a minute", seed, w.count, w.now)
		}
	}
}
