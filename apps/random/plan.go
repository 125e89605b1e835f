package random

import (
	"math"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/fagus"
)

// plan is what a seed determines for all ranks.
type plan struct {
	seed      uint64
	arrays    []int // size of each array in bytes
	variables []variable
	ends      []call // by round
	cycle     int    // the rounds in a cycle; 0: rounds do not recur
	deviates  int    // in a cycle, a rank deviates in one of so many rounds; 0: never
}

// variable guards the bytes from to from+size-1 of an array.
type variable struct {
	array, from, size int
	declared          int // the round before which its array is made
}

// call is the collective call that ends a round.
type call uint8

const (
	nothing call = iota
	update
	barrier
	fence
	reduce
	calls
)

// telling is how a tenure makes its writes known.
type telling uint8

const (
	detected telling = iota // Release finds them
	declared                // Request.Writing
	reported                // Request.Reporting and Node.Wrote
	tellings
)

// tenure is one Acquire and Release of a rank.
type tenure struct {
	look  []int // variables whose content the rank looks at before Acquire
	wants []want
	work  fagus.Time // of computing while the variables are held
}

type want struct {
	variable  int
	exclusive bool
	tells     telling
	writes    []write // only if exclusive
}

// write fills the bytes from to to-1 of a variable. If back is set, the old bytes are put back.
type write struct {
	from, to int
	fill     uint32
	back     bool
}

// into performs the write on the bytes of its variable.
func (w *write) into(b []byte) {
	if w.back {
		return
	}
	w.scribble(b)
}

func (w *write) scribble(b []byte) {
	x := w.fill
	for i := w.from; i < w.to; i++ {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
}

type generator struct{ *rand.Rand }

// generator returns a source of random numbers for one purpose.
func newGenerator(seed uint64, purpose ...int) generator {
	stream := uint64(1)
	for _, p := range purpose {
		stream = stream*1_000_003 + uint64(p) + 1
	}
	return generator{rand.New(rand.NewPCG(seed, stream))}
}

// between returns a number from lo to hi with a uniformly distributed logarithm.
func (g generator) between(lo, hi float64) int { return int(lo * math.Pow(hi/lo, g.Float64())) }

func newPlan(seed uint64, rounds, cycle int) *plan {
	g := newGenerator(seed)
	p := &plan{seed: seed, cycle: cycle, deviates: []int{0, 1000, 200, 50}[newGenerator(seed, -1).IntN(4)]}
	for range rounds {
		p.ends = append(p.ends, []call{nothing, nothing, update, update, barrier, fence, reduce}[g.IntN(7)])
	}
	for range 1 + g.IntN(4) { // arrays
		round := 0
		if len(p.arrays) > 0 && g.IntN(3) == 0 {
			round = g.IntN(rounds)
		}
		total := 0
		for range 1 + g.IntN(3) { // variables beside each other
			size := 0
			switch g.IntN(8) {
			case 0, 1:
				size = 1 + g.IntN(8)
			case 2:
				size = g.between(5_000, 300_000)
			default:
				size = g.between(8, 5000)
			}
			p.variables = append(p.variables, variable{len(p.arrays), total, size, round})
			total += size
		}
		p.arrays = append(p.arrays, total)
	}
	for round := cycle; cycle > 0 && round < rounds; round++ {
		p.ends[round] = p.ends[round-cycle]
	}
	return p
}

// tenures returns the tenures of a rank in a round. Rounds that recur write other bytes.
func (p *plan) tenures(rank, round int) (all []tenure) {
	g, again := newGenerator(p.seed, rank, round), uint32(0)
	if deviates := newGenerator(p.seed, rank, round, 1); p.cycle > 0 && (p.deviates == 0 || deviates.IntN(p.deviates) > 0) {
		g, again = newGenerator(p.seed, rank, round%p.cycle), uint32(round/p.cycle)
	}
	for range g.IntN(4) {
		t := p.tenure(g, round)
		for i := range t.wants {
			for j := range t.wants[i].writes {
				t.wants[i].writes[j].fill += again * 0x9e3779b9
			}
		}
		all = append(all, t)
	}
	return all
}

func (p *plan) tenure(g generator, round int) (t tenure) {
	for v := range p.variables {
		of := &p.variables[v]
		look, wanted, exclusive := g.IntN(3) == 0, g.IntN(2) == 0, g.IntN(2) == 0
		if of.declared > round {
			continue
		}
		if look {
			t.look = append(t.look, v)
		}
		if !wanted {
			continue
		}
		w := want{variable: v, exclusive: exclusive}
		if exclusive {
			w.tells = telling(g.IntN(int(tellings)))
			for range g.IntN(4) {
				w.writes = append(w.writes, g.write(of.size))
			}
		}
		t.wants = append(t.wants, w)
	}
	if g.IntN(2) == 0 {
		t.work = fagus.Time(g.between(1, 200)) * fagus.Microsecond
	}
	return t
}

func (g generator) write(size int) write {
	from := g.IntN(size)
	w := write{from: from, to: from + 1, fill: g.Uint32(), back: g.IntN(4) == 0}
	if g.IntN(2) == 0 {
		w.to += g.IntN(size - from)
	}
	return w
}
