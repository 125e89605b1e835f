package fagus_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// interval is the bytes from lo up to, but not including, hi of the array of a random program.
type interval struct{ lo, hi int }

// randomPart returns a random part of one of the given intervals.
func randomPart(random *rand.Rand, of []interval) interval {
	x := of[random.IntN(len(of))]
	lo := x.lo + random.IntN(x.hi-x.lo)
	return interval{lo, lo + 1 + random.IntN(x.hi-lo)}
}

// oracle knows what the last exclusive holder of each variable has written. The program of
// every rank compares it with what the rank sees.
type oracle struct {
	size  int
	vars  [][]interval // the bytes that each variable guards, in order; they may share words
	mu    sync.Mutex
	model [][]byte // the contents of each variable: its intervals, one after the other
	// lawful makes programs read only what they hold, or what Update brought.
	lawful bool
	// reduces makes ranks meet in Reduce instead of Barrier.
	reduces bool
	// rebinds is the number of times that ranks deal out all guarded bytes anew.
	rebinds int
	rebound int // how often model has been dealt out anew
}

func newOracle(seed uint64) *oracle {
	random := rand.New(rand.NewPCG(seed, 0))
	o := &oracle{size: 100 + random.IntN(30_000), vars: make([][]interval, 3+random.IntN(5))}
	for lo := 0; lo < o.size; {
		hi := min(o.size, lo+1+random.IntN([]int{3, 20, 300, 9000}[random.IntN(4)]))
		if v := random.IntN(len(o.vars) + 1); v < len(o.vars) { // otherwise no variable guards it
			o.vars[v] = append(o.vars[v], interval{lo, hi})
		}
		lo = hi
	}
	o.model = make([][]byte, len(o.vars))
	for v := range o.vars {
		o.model[v] = gather(make([]byte, o.size), o.vars[v])
	}
	return o
}

// gather returns the bytes of a in the given intervals.
func gather(a []byte, of []interval) (b []byte) {
	for _, x := range of {
		b = append(b, a[x.lo:x.hi]...)
	}
	return b
}

// rankProgram is the random program on one rank.
type rankProgram struct {
	*oracle
	vars   [][]interval // as oracle.vars, until a Rebind
	n      *fagus.Node
	random *rand.Rand
	a      *fagus.Array[byte]
	guards []*fagus.SyncVar // nil for a variable without intervals
	shadow [][]byte         // the expected contents of this rank's copy, by variable
	had    []bool           // by variable: acquired before, so that Update refreshes it
	reads  int              // number of calls of read
	rounds int              // number of Reduces
}

// program returns a program that acquires random variables with random access, writes random
// parts, declared or not, and calls Update and Barrier in between. It checks that what the rank
// holds, or Update has brought, agrees with the oracle, and that nothing else of the rank's copy
// has changed.
func (o *oracle) program(seed uint64) func(*fagus.Node) error {
	return func(n *fagus.Node) error {
		p := &rankProgram{oracle: o, n: n, random: rand.New(rand.NewPCG(seed, 1+uint64(n.Rank())))}
		if err := p.declare(); err != nil {
			return err
		}
		for number := range o.rebinds {
			if err := p.tenures(); err != nil {
				return err
			}
			for range p.random.IntN(4) { // so that copies are not current
				if err := p.tenure(); err != nil {
					return err
				}
			}
			if err := p.rebind(seed, number); err != nil {
				return err
			}
		}
		return p.tenures()
	}
}

// tenures makes tenures and two Updates. The number of tenures differs between ranks.
func (p *rankProgram) tenures() error {
	rounds := 5 + p.random.IntN(4)
	updateBefore := p.random.IntN(rounds)
	for round := range rounds {
		if round == updateBefore {
			if err := p.update(); err != nil {
				return err
			}
		}
		if err := p.tenure(); err != nil {
			return err
		}
	}
	return p.update()
}

// rebind deals out the bytes of the variables anew: random parts, or all but one byte each to the
// last. Then it checks all bytes.
func (p *rankProgram) rebind(seed uint64, number int) error {
	random := rand.New(rand.NewPCG(seed, 1000+uint64(number))) // the same on all ranks
	var bound []int                                            // variables that guard bytes
	var all []int                                              // the bytes
	for v, of := range p.vars {
		if len(of) > 0 {
			bound = append(bound, v)
		}
		for _, x := range of {
			for i := x.lo; i < x.hi; i++ {
				all = append(all, i)
			}
		}
	}
	slices.Sort(all)
	least, most := 0, []int{3, 300, 9000}[random.IntN(3)]
	next := make([][]interval, len(p.vars))
	for at := 0; at < len(all); {
		take := 1 + random.IntN(most)
		if least < len(bound) { // so that each has a byte
			take = 1
		}
		end := at + 1
		for end < len(all) && end-at < take && all[end] == all[end-1]+1 {
			end++
		}
		v := bound[min(least, len(bound)-1)]
		if least++; least > len(bound) && random.IntN(4) > 0 {
			v = bound[random.IntN(len(bound))]
		}
		next[v] = append(next[v], interval{all[at], all[end-1] + 1})
		at = end
	}
	var bindings []fagus.Binding
	var wants []fagus.Request
	for _, v := range bound {
		var ranges []fagus.Range
		for _, x := range next[v] {
			ranges = append(ranges, p.a.Range(x.lo, x.hi))
		}
		bindings = append(bindings, p.guards[v].To(ranges...))
		wants = append(wants, p.guards[v].Read().Unordered())
	}
	if err := p.n.Rebind(bindings...); err != nil {
		return err
	}
	p.deal(number, next)
	set := p.n.Set(wants...)
	if err := p.n.Acquire(set); err != nil {
		return err
	}
	for _, v := range bound {
		p.had[v] = true
	}
	if err := p.check("after Rebind", func(v int) bool { return p.had[v] }); err != nil {
		return err
	}
	return p.n.Release(set)
}

// deal makes next the intervals of the variables, and the first rank deals out the model.
func (p *rankProgram) deal(number int, next [][]interval) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rebound == number {
		p.rebound++
		a := make([]byte, p.size)
		for v, of := range p.vars {
			model := p.model[v]
			for _, x := range of {
				model = model[copy(a[x.lo:x.hi], model):]
			}
		}
		for v := range next {
			p.model[v] = gather(a, next[v])
		}
	}
	p.vars = next
}

func (p *rankProgram) declare() (err error) {
	p.vars = p.oracle.vars
	if p.a, err = fagus.NewArray[byte](p.n, "a", p.size); err != nil {
		return err
	}
	p.guards, p.had = make([]*fagus.SyncVar, len(p.vars)), make([]bool, len(p.vars))
	for v, of := range p.vars {
		p.shadow = append(p.shadow, gather(make([]byte, p.size), of))
		if len(of) == 0 {
			continue
		}
		var ranges []fagus.Range
		for _, x := range of {
			ranges = append(ranges, p.a.Range(x.lo, x.hi))
		}
		if p.guards[v], err = p.n.Bind(fmt.Sprintf("v%d", v), ranges...); err != nil {
			return err
		}
	}
	return nil
}

// update calls Update and checks the result. It then waits for all ranks, so that no rank writes
// again before all have checked.
func (p *rankProgram) update() error {
	if err := p.n.Update(); err != nil {
		return err
	}
	if err := p.check("after Update", func(v int) bool { return p.had[v] }); err != nil {
		return err
	}
	if p.reduces {
		return p.reduce()
	}
	return p.n.Barrier()
}

// reduce calls Reduce, and compares with the result that it computes by itself.
func (p *rankProgram) reduce() error {
	p.rounds++
	word := func(rank int) uint64 { return uint64(p.rounds*100+rank+1) * 0x9e3779b97f4a7c15 }
	combine := func(a, b uint64) uint64 { return a*31 + b } // depends on the order
	want := word(0)
	for rank := 1; rank < p.n.Nodes(); rank++ {
		want = combine(want, word(rank))
	}
	got, err := fagus.Reduce(p.n, word(p.n.Rank()), combine)
	if err == nil && got != want {
		err = fmt.Errorf("Reduce %d: %#x, want %#x", p.rounds, got, want)
	}
	return err
}

// check checks this rank's copy of all variables. Those for which current is true must agree with
// the oracle.
func (p *rankProgram) check(when string, current func(v int) bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for v, of := range p.vars {
		if p.lawful && !current(v) {
			continue
		}
		got := p.read(of)
		if current(v) {
			if !bytes.Equal(got, p.model[v]) {
				return fmt.Errorf("%s: v%d is not current", when, v)
			}
			p.shadow[v] = got
		} else if !bytes.Equal(got, p.shadow[v]) {
			return fmt.Errorf("%s: v%d has changed without being acquired or updated", when, v)
		}
	}
	return nil
}

// read returns the bytes of this rank's copy in the given intervals, by Slice and Part in turn.
func (p *rankProgram) read(of []interval) (b []byte) {
	if p.reads++; p.reads%2 == 0 {
		return gather(p.a.Slice(), of)
	}
	for _, x := range of {
		b = append(b, p.a.Part(x.lo, x.hi)...)
	}
	return b
}

// tenure acquires random variables with random access, checks, writes and releases.
func (p *rankProgram) tenure() error {
	held := make([]fagus.Access, len(p.vars))
	declared := make([][]interval, len(p.vars))
	for v, guard := range p.guards {
		if guard == nil || p.random.IntN(2) == 0 {
			continue
		}
		held[v] = []fagus.Access{fagus.Shared, fagus.Exclusive}[p.random.IntN(2)]
		if held[v] == fagus.Exclusive && p.random.IntN(2) == 0 {
			declared[v] = []interval{}
			for range p.random.IntN(4) {
				declared[v] = append(declared[v], randomPart(p.random, p.vars[v]))
			}
		}
	}
	return p.hold(held, declared)
}

// hold acquires variables with the given access (0: none), checks, writes and releases. declared
// has the bytes that it declares to write, by variable; nil without a declaration.
func (p *rankProgram) hold(held []fagus.Access, declared [][]interval) error {
	var wants []fagus.Request
	for v, access := range held {
		if access == 0 {
			continue
		}
		want := fagus.Want(p.guards[v], access).Unordered()
		if declared[v] != nil {
			var ranges []fagus.Range
			for _, x := range declared[v] {
				ranges = append(ranges, p.a.Range(x.lo, x.hi))
			}
			want = want.Writing(ranges...)
		}
		wants = append(wants, want)
	}
	set := p.n.Set(wants...)
	if err := p.n.Acquire(set); err != nil {
		return err
	}
	if err := p.check("after Acquire", func(v int) bool { return held[v] != 0 }); err != nil {
		return err
	}
	p.n.Spend(fagus.Time(p.random.IntN(40)) * fagus.Microsecond)
	for v, access := range held {
		p.had[v] = p.had[v] || access != 0
		if access == fagus.Exclusive {
			p.write(v, declared[v])
		}
	}
	return p.n.Release(set)
}

// write changes bytes in the declared parts of a variable, or in random parts if parts is nil.
func (p *rankProgram) write(v int, parts []interval) {
	if parts == nil {
		for range p.random.IntN(5) {
			parts = append(parts, randomPart(p.random, p.vars[v]))
		}
	}
	for i, x := range parts {
		to := p.a.Slice()[x.lo:x.hi]
		if i%2 == 0 {
			to = p.a.Part(x.lo, x.hi)
		}
		for i := range to {
			if p.random.IntN(3) > 0 {
				to[i] = byte(p.random.Uint32())
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shadow[v] = gather(p.a.Slice(), p.vars[v])
	p.model[v] = p.shadow[v]
}

// runRandom runs the random program of seed on net.
func runRandom(t *testing.T, net dimmnet.Network, nodes int, seed uint64) fagus.Report {
	t.Helper()
	return runRandomBy(t, fagus.Auto, net, nodes, seed)
}

// runRandomBy runs the random program of seed with a given transfer method.
func runRandomBy(t *testing.T, by fagus.Transfer, net dimmnet.Network, nodes int, seed uint64) fagus.Report {
	t.Helper()
	return runRandomWith(t, fagus.Config{Nodes: nodes, Net: net, Transfer: by}, seed)
}

// runRandomWith runs the random program of seed with a given configuration. If the run fails, it
// fails the test with the seed.
func runRandomWith(t *testing.T, cfg fagus.Config, seed uint64) fagus.Report {
	t.Helper()
	report, err := runFor(t, cfg, newOracle(seed).program(seed))
	if err != nil {
		t.Fatalf("seed %d, %d nodes, transfer %v, detection %v: %v", seed, cfg.Nodes, cfg.Transfer, cfg.WriteDetection, err)
	}
	return report
}

func TestRandomProgramsOnGoroutines(t *testing.T) {
	longtest.Third(t)
	for seed := range uint64(60) {
		nodes := 1 + int(seed%6)
		runRandom(t, goroutines(), nodes, seed)
		// This LLCM makes slots of the smallest size.
		runRandom(t, inproc.New(inproc.Config{LLCM: 400 * nodes}), nodes, seed)
	}
}

func TestRandomProgramsUnderRandomDelays(t *testing.T) {
	for seed := uint64(1); seed <= cases(200, 12); seed++ {
		runRandom(t, newSim(t, sim.Config{Seed: seed, MaxDelay: dimmnet.Millisecond}), 2+int(seed%7), seed)
	}
}
