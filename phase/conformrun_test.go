package phase

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// posted is the destination of a packet in flight.
type posted struct {
	off   dimmnet.Offset
	bytes int
}

// recording is one run of a random program, and its trace.
type recording struct {
	nodes  int
	sizes  []int // bytes of each variable
	rounds int
	seed   uint64

	layout ringbuf.Layout
	starts []consistency.Addr // by variable: its first address
	moves  []move
	flight [][][]posted // [from][to]
	err    error        // set by the first packet that lands out of order
}

// randomRecording runs the random program of a seed and records it.
func randomRecording(seed uint64) (*recording, error) {
	random := rand.New(rand.NewPCG(seed, 0))
	c := &recording{nodes: 2 + random.IntN(2), rounds: 1 + random.IntN(2), seed: seed}
	for range 1 + random.IntN(3) {
		c.sizes = append(c.sizes, 8*(1+random.IntN(40)))
	}
	for range c.nodes {
		c.flight = append(c.flight, make([][]posted, c.nodes))
	}
	preset, err := presets.Load(presets.Default)
	if err != nil {
		return nil, err
	}
	// Rings of 2 to 4 slots of 64 bytes: most variables need more slots.
	preset.Limits.Block = 40
	preset.Limits.LLCM = (c.nodes - 1) * ((2+random.IntN(3))*(ringbuf.HeaderBytes+ringbuf.MinSlotBytes) + 16)
	net, err := sim.New(sim.Config{Preset: &preset, Seed: seed + 1, MaxDelay: 20 * dimmnet.Microsecond, Trace: c.landed})
	if err != nil {
		return nil, err
	}
	if err := net.Run(context.Background(), c.nodes, c.program); err != nil {
		return nil, err
	}
	return c, c.err
}

// program is the program of each rank: some random acquires, some Fences in between, and a meeting,
// several times.
func (c *recording) program(h dimmnet.Host) error {
	space := consistency.NewSpace()
	mem := make([]byte, 1024)
	base, err := space.AddRegion("array", "1024 bytes", 1, mem)
	if err != nil {
		return err
	}
	port := &recordingPort{Port: h.Port(), rec: c}
	e, err := New(port, space, Config{Transfer: Rings})
	if err != nil {
		return err
	}
	c.layout, c.starts = e.Layout(), nil
	parts := make([][]byte, len(c.sizes))
	at := 0
	for id, size := range c.sizes {
		lo := base + consistency.Addr(at)
		if _, err := space.Bind(fmt.Sprint(id), []consistency.Range{{Lo: lo, Hi: lo + consistency.Addr(size)}}); err != nil {
			return err
		}
		c.starts = append(c.starts, lo)
		parts[id], at = mem[at:at+size], at+size
	}
	r := &recordingRank{host: h, rec: c, engine: e, space: space, parts: parts}
	random, fences := rand.New(rand.NewPCG(c.seed, 1+uint64(h.Port().Rank()))), rand.New(rand.NewPCG(c.seed, 100))
	for round := range c.rounds {
		acquires, left := 1+random.IntN(4), fences.IntN(3) // all ranks call as many Fences
		for acquires+left > 0 {
			if random.IntN(acquires+left) < left {
				left--
				if err := r.fence(); err != nil {
					return err
				}
				continue
			}
			acquires--
			if err := r.acquire(random); err != nil {
				return err
			}
		}
		meeting := []syncvar.Call{syncvar.Barrier, syncvar.Reduce}[round%2]
		if err := r.call(syncvar.List{Call: meeting}); err != nil {
			return err
		}
	}
	return r.call(syncvar.List{Call: syncvar.End})
}

// recordingRank is one rank of the program. It steps its engine and records the changes of the
// engine's state.
type recordingRank struct {
	host   dimmnet.Host
	rec    *recording
	engine *Engine
	space  *consistency.Space
	parts  [][]byte // each variable's bytes
	fenced bool     // Fence was called since the last call
}

// fence does what fagus.Node.Fence does.
func (r *recordingRank) fence() error {
	if r.fenced {
		if err := r.call(syncvar.List{Call: syncvar.Acquire}); err != nil {
			return err
		}
	}
	r.fenced = true
	return nil
}

// acquire holds a random set of variables for a while, and writes to the exclusive variables.
func (r *recordingRank) acquire(random *rand.Rand) error {
	l := syncvar.List{Call: syncvar.Acquire}
	for id := range r.parts {
		switch random.IntN(3) {
		case 0:
			l.Shared = append(l.Shared, syncvar.ID(id))
		case 1:
			l.Exclusive = append(l.Exclusive, syncvar.ID(id))
		}
	}
	if err := r.call(l); err != nil {
		return err
	}
	r.host.Spend(dimmnet.Time(random.IntN(30)) * dimmnet.Microsecond)
	for _, id := range l.Exclusive {
		version := r.engine.Table().State(id).Version
		r.space.BeginWrite(id, nil)
		for i := range r.parts[id] {
			r.parts[id][i] = stamp(uint64(version))
		}
		r.space.EndWrite(id, version)
	}
	return nil
}

// call takes the rank through phases as Engine.Call does, and records their begin.
func (r *recordingRank) call(l syncvar.List) error {
	rank := r.host.Port().Rank()
	l.Since, l.Fenced, r.fenced = r.engine.mover.Phase, r.fenced, false
	for {
		l.Phase = r.engine.mover.Phase
		list := l
		r.rec.moves = append(r.rec.moves, move{action: begin, from: rank, list: &list})
		if err := r.engine.Begin(l); err != nil {
			return err
		}
		if err := dimmnet.Drive(r.engine.mover.Port, r, r.engine.Done); err != nil {
			return err
		}
		if r.engine.Finished(l.Call) {
			return nil
		}
		r.engine.again(&l)
	}
}

// Step steps the engine and records changes of its state.
func (r *recordingRank) Step() (progress bool, err error) {
	before, rank := r.engine.state, r.host.Port().Rank()
	progress, err = r.engine.Step()
	switch {
	case err != nil || r.engine.state == before:
	case before == gather:
		r.rec.moves = append(r.rec.moves, move{action: plan, from: rank})
	default:
		m := move{action: done, from: rank, granted: r.engine.outcome.Granted[rank], stamps: make(map[syncvar.ID]byte)}
		for id, part := range r.parts {
			// All bytes of a copy must be of one version.
			if i := slices.IndexFunc(part, func(b byte) bool { return b != part[0] }); i >= 0 {
				return false, fmt.Errorf("variable %d has %d in byte 0 and %d in byte %d", id, part[0], part[i], i)
			}
			m.stamps[syncvar.ID(id)] = part[0]
		}
		r.rec.moves = append(r.rec.moves, m)
	}
	return progress, err
}

// landed is called by the simulator for every packet that lands.
func (c *recording) landed(r sim.Record) {
	if r.Note != "" {
		return
	}
	flight := &c.flight[r.From][r.Rank]
	if len(*flight) == 0 || (*flight)[0] != (posted{r.Off, r.Bytes}) {
		c.err = fmt.Errorf("%d bytes from rank %d landed at offset %d of rank %d, posted are %v", r.Bytes, r.From, r.Off, r.Rank, *flight)
		return
	}
	*flight = (*flight)[1:]
	switch area, slot := c.area(r.Off); area {
	case areaSent:
		c.moves = append(c.moves, move{action: landSent, from: r.From, to: r.Rank, slot: slot})
	case areaReceived:
		c.moves = append(c.moves, move{action: landFree, from: r.Rank, to: r.From, slot: slot})
	}
}

// TestConform checks the traces of random programs with the automaton, which is the model
// docs/internals/model/phase.pml extended to more variables and frames.
func TestConform(t *testing.T) {
	runs := 1000
	if testing.Short() {
		runs = 100
	}
	var moves, waits, fenced int
	for seed := range uint64(runs) {
		c, err := randomRecording(seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if at, err := c.replay(c.moves); err != nil {
			t.Fatalf("seed %d: event %d of %d, %+v: %v", seed, at, len(c.moves), c.moves[at], err)
		}
		for _, m := range c.moves {
			if m.action == begin && m.list.Since < m.list.Phase {
				waits++
				if m.list.Fenced {
					fenced++
				}
			}
		}
		moves += len(c.moves)
	}
	if waits == fenced || fenced == 0 {
		t.Errorf("ranks had to wait %d times for a variable, and %d times behind a Fence", waits-fenced, fenced)
	}
	t.Logf("%d runs, %d events, %d phases of waiting, %d of them behind a Fence", runs, moves, waits, fenced)
}

// replay steps an automaton through moves. It returns the index of the move that the automaton
// refuses.
func (c *recording) replay(moves []move) (at int, err error) {
	a := newAutomaton(c.nodes, c.layout.Slots, c.sizes)
	for i := range moves {
		if err := a.step(&moves[i]); err != nil {
			return i, err
		}
	}
	return len(moves) - 1, a.rest()
}
