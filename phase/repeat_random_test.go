package phase

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/syncvar"
)

// recurring is a random program whose steps recur, over a tree, and what is true of its variables.
type recurring struct {
	seed    uint64
	nodes   int
	sizes   []int // bytes of each variable
	steps   []recurringStep
	later   []recurringStep // in place of steps, from the middle on
	rounds  int
	dense   bool    // most ranks want to read most variables
	deviate float64 // the probability that a rank deviates in a step
	shared  bool    // the engines share a Replica, as in one process
	whole   int     // Config.Whole of ranks that read each other's memory; 0: they do not

	// The simulator runs one rank at a time.
	memory  [][][]byte        // by variable and rank: its bytes
	truth   [][]byte          // by variable: its content after the tenures so far
	tenures []syncvar.Version // by variable: the number of exclusive tenures so far
	owners  []dimmnet.Rank    // by variable: the rank of the last one
	table   string            // of a rank at the end
	counts  Counts            // of rank 0
}

type recurringStep struct {
	wants []syncvar.List // by rank
	meet  syncvar.Call   // the call behind it; Acquire: none
}

func newRecurring(seed uint64) *recurring {
	random := rand.New(rand.NewPCG(seed, 0))
	c := &recurring{seed: seed, nodes: 2 + random.IntN(5), rounds: 8 + random.IntN(20), shared: random.IntN(2) == 0}
	if random.IntN(3) == 0 {
		c.nodes = 10 + random.IntN(4)
	}
	for range 1 + random.IntN(6) {
		c.sizes = append(c.sizes, 8*(1+random.IntN(80)))
	}
	if c.dense = random.IntN(8) == 0; c.dense { // some phases cannot move all data
		for range 60 {
			c.sizes = append(c.sizes, 8)
		}
	}
	for range 1 + random.IntN(5) {
		c.steps = append(c.steps, c.step(random))
	}
	if random.IntN(2) == 0 { // the past suggests several steps
		c.steps = append(c.steps, c.steps[0], c.steps[0])
	}
	for _, s := range c.steps {
		c.later = append(c.later, s.other(random))
	}
	c.deviate = []float64{0, 0.002, 0.02}[random.IntN(3)]
	if seed%3 == 0 {
		c.whole = 8 * int(1+seed/3%80)
	}
	for _, size := range c.sizes {
		memory := make([][]byte, c.nodes)
		for r := range memory {
			memory[r] = make([]byte, size)
		}
		c.memory = append(c.memory, memory)
		c.truth, c.tenures, c.owners = append(c.truth, make([]byte, size)), append(c.tenures, 0), append(c.owners, 0)
	}
	return c
}

// step returns a random step, in which few ranks want what another rank wants.
func (c *recurring) step(random *rand.Rand) recurringStep {
	s := recurringStep{meet: []syncvar.Call{syncvar.Acquire, syncvar.Acquire, syncvar.Update, syncvar.Barrier, syncvar.Reduce}[random.IntN(5)]}
	for range c.nodes {
		s.wants = append(s.wants, c.wants(random))
	}
	return s
}

// other returns a step in which the same ranks read what they wrote.
func (s recurringStep) other(random *rand.Rand) recurringStep {
	wants := slices.Clone(s.wants)
	for r := range wants {
		if l := &wants[r]; random.IntN(3) == 0 {
			l.Shared = slices.Sorted(slices.Values(slices.Concat(l.Shared, l.Exclusive)))
			l.Exclusive = nil
		}
	}
	return recurringStep{wants, s.meet}
}

func (c *recurring) wants(random *rand.Rand) (l syncvar.List) {
	readers := c.nodes
	if c.dense {
		readers = 5 * c.nodes / 2
	}
	for id := range c.sizes {
		switch n := random.IntN(3 * c.nodes); {
		case n < 2:
			l.Exclusive = append(l.Exclusive, syncvar.ID(id))
		case n < 2+readers:
			l.Shared = append(l.Shared, syncvar.ID(id))
		}
	}
	return l
}

// recurringRank is one rank of the program.
type recurringRank struct {
	*recurring
	rank   dimmnet.Rank
	engine *Engine
	space  *consistency.Space
	parts  [][]byte // each variable's bytes
	clean  []syncvar.ID
	copies []bool // by variable: the rank has had it
}

func (c *recurring) run(replica Replica) (err error) {
	random := rand.New(rand.NewPCG(c.seed, 1))
	preset, err := presets.Load(presets.Default)
	if err != nil {
		return err
	}
	preset.Limits.LLCM, preset.Limits.Bulk = 32<<10, 64<<10
	if c.dense || random.IntN(3) == 0 { // some data take several messages, some grants do not stand
		preset.Limits.LLCM, preset.Limits.Bulk = 2304, 256+8*random.IntN(100)
	}
	cfg := sim.Config{Preset: &preset, Seed: c.seed + 1, MaxDelay: 1, Limit: dimmnet.Second}
	if random.IntN(2) == 0 {
		cfg.MaxDelay = 50 * dimmnet.Microsecond
	}
	net, err := sim.New(cfg)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return net.Run(ctx, c.nodes, func(h dimmnet.Host) error { return c.program(h, replica) })
}

func (c *recurring) program(h dimmnet.Host, replica Replica) error {
	r := &recurringRank{recurring: c, rank: h.Port().Rank(), space: consistency.NewSpace(), copies: make([]bool, len(c.sizes))}
	if !c.shared {
		replica = nil
	}
	for id, size := range c.sizes {
		mem := c.memory[id][r.rank]
		base, err := r.space.AddRegion(fmt.Sprint("a", id), "bytes", 1, mem)
		if err != nil {
			return err
		}
		if c.whole > 0 {
			r.space.SetViews(base, c.memory[id])
		}
		if _, err := r.space.Bind(fmt.Sprint(id), []consistency.Range{{Lo: base, Hi: base + consistency.Addr(size)}}); err != nil {
			return err
		}
		r.parts = append(r.parts, mem)
	}
	cfg := Config{Transfer: Push, Lists: ListsTree, Replica: replica}
	if c.whole > 0 {
		cfg.Transfer, cfg.Views, cfg.Whole = Auto, true, c.whole
	}
	var err error
	if r.engine, err = New(h.Port(), r.space, cfg); err != nil {
		return err
	}
	common := rand.New(rand.NewPCG(c.seed, 2)) // the same on all ranks
	for n := range c.rounds * len(c.steps) {
		s := &c.steps[n%len(c.steps)]
		if n >= c.rounds*len(c.steps)/2 {
			s = &c.later[n%len(c.steps)]
		}
		wants, idle := s.wants[r.rank], common.IntN(30) == 0
		if common.Float64() < c.deviate {
			if other := c.wants(common); common.IntN(c.nodes) == int(r.rank) {
				wants = other
			}
		}
		if n == c.rounds*len(c.steps)-2 {
			break // it ends within a cycle
		}
		if err := r.tenure(wants, byte(n), idle); err != nil {
			return fmt.Errorf("step %d: %w", n, err)
		}
		if err := r.meet(s.meet, uint64(n)); err != nil {
			return fmt.Errorf("step %d, call %v: %w", n, s.meet, err)
		}
	}
	return r.end()
}

// call is Engine.Call with a report of what the rank left unchanged in its last tenure.
func (r *recurringRank) call(l *syncvar.List) error {
	l.Clean, r.clean = r.clean, nil
	return r.engine.Call(l)
}

// tenure acquires what wants names, and releases it. If idle is set, the rank writes nothing.
func (r *recurringRank) tenure(wants syncvar.List, stamp byte, idle bool) error {
	l := syncvar.List{Call: syncvar.Acquire, Shared: wants.Shared, Exclusive: wants.Exclusive}
	if err := r.call(&l); err != nil {
		return err
	}
	for _, ids := range [...][]syncvar.ID{l.Shared, l.Exclusive} {
		for _, id := range ids {
			if err := r.compare(id); err != nil {
				return err
			}
		}
	}
	if !r.shared && r.rank == 0 {
		r.engine.Table() // follows every phase; the tables of other ranks skip whole cycles
	}
	for _, id := range l.Exclusive {
		r.tenures[id]++
		r.owners[id] = r.rank
		if v := r.engine.Version(id); v != r.tenures[id] {
			return fmt.Errorf("rank %d has version %d of variable %d, want %d", r.rank, v, id, r.tenures[id])
		}
		r.space.BeginWrite(id, nil)
		for at := int(stamp) % 8; at < len(r.parts[id]) && !idle; at += 1 + int(id)*7 {
			r.parts[id][at] += stamp | 1
			r.truth[id][at] = r.parts[id][at]
		}
		if !r.space.EndWrite(id, r.tenures[id]) {
			r.clean = append(r.clean, id)
		}
	}
	return nil
}

func (r *recurringRank) compare(id syncvar.ID) error {
	r.copies[id] = true
	if !bytes.Equal(r.parts[id], r.truth[id]) {
		return fmt.Errorf("rank %d: variable %d is %x, want %x", r.rank, id, r.parts[id], r.truth[id])
	}
	return nil
}

// meet makes a call in which all ranks meet.
func (r *recurringRank) meet(call syncvar.Call, n uint64) error {
	switch call {
	case syncvar.Acquire:
		return nil
	case syncvar.Reduce:
		r.engine.Release(r.clean, nil)
		r.clean = nil
		sum, err := r.engine.Reduce([]uint64{n, uint64(r.rank)}, Fold{AnyOrder: n%2 == 0, Of: sumPairs})
		if want := uint64(r.nodes * (r.nodes - 1) / 2); err == nil && (sum[0] != n*uint64(r.nodes) || sum[1] != want) {
			err = fmt.Errorf("rank %d: the sum is %d, want [%d %d]", r.rank, sum, n*uint64(r.nodes), want)
		}
		return err
	}
	if err := r.call(&syncvar.List{Call: call}); err != nil || call != syncvar.Update {
		return err
	}
	for id, has := range r.copies {
		if has {
			if err := r.compare(syncvar.ID(id)); err != nil {
				return err
			}
		}
	}
	return nil
}

func sumPairs(vectors []uint64) []uint64 {
	for i := 2; i < len(vectors); i += 2 {
		vectors[0] += vectors[i]
		vectors[1] += vectors[i+1]
	}
	return vectors[:2]
}

// end compares the table, and all contents.
func (r *recurringRank) end() error {
	if err := r.call(&syncvar.List{Call: syncvar.Barrier}); err != nil {
		return err
	}
	table := r.engine.Table().String()
	if r.table == "" {
		r.recurring.table = table
	}
	if table != r.table {
		return fmt.Errorf("rank %d has the table\n%s, another rank\n%s", r.rank, table, r.table)
	}
	var all syncvar.List
	for id := range r.sizes {
		s := r.engine.Table().State(syncvar.ID(id))
		if s.Version != r.recurring.tenures[id] || s.Owner != r.owners[id] {
			return fmt.Errorf("rank %d: variable %d has version %d and owner %d, want %d and %d", r.rank, id, s.Version, s.Owner, r.recurring.tenures[id], r.owners[id])
		}
		all.Shared = append(all.Shared, syncvar.ID(id))
	}
	if err := r.tenure(all, 0, true); err != nil {
		return err
	}
	if r.rank == 0 {
		r.counts = r.engine.Counts()
	}
	return r.engine.Call(&syncvar.List{Call: syncvar.End})
}

// TestRepeat: in programs whose steps recur, each tenure sees what earlier ones wrote, and
// versions count the tenures, whether phases repeat or not.
func TestRepeat(t *testing.T) {
	longtest.Third(t)
	longtest.OneThread(t)
	var phases, repeated uint64
	for seed := range longtest.Cases(uint64(300), 100) {
		c := newRecurring(seed)
		if err := c.run(NewReplica()); err != nil {
			t.Fatalf("seed %d, %d nodes, %d variables, cycles of %d steps, one replica %v: %v", seed, c.nodes, len(c.sizes), len(c.steps), c.shared, err)
		}
		phases, repeated = phases+c.counts.Phases, repeated+c.counts.Repeated
	}
	if t.Logf("%d of %d phases repeat", repeated, phases); repeated < phases/4 {
		t.Errorf("%d of %d phases repeat, want a quarter", repeated, phases)
	}
}
