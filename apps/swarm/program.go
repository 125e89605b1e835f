package swarm

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
)

// program runs a case on every rank, and computes the expected contents.
type program struct {
	c     *Case
	errs  []error // indexed by rank: the error with which the rank ended
	ended []bool  // indexed by rank: whether the rank has finished

	// mu is needed only if a run leaves a thread behind; otherwise one goroutine runs all ranks.
	mu      sync.Mutex
	order   []granted // the tenures in the order in which they were granted
	checked int       // number of bytes compared with their expected values
	wrong   *Failure  // the first failure
}

// granted is a tenure, and in which cycle of the rounds it was granted.
type granted struct {
	*Tenure
	cycle int
}

func newProgram(c *Case) *program {
	return &program{c: c, errs: make([]error, c.Nodes), ended: make([]bool, c.Nodes)}
}

func (p *program) run(n *fagus.Node) error {
	err := p.rounds(n)
	p.errs[n.Rank()], p.ended[n.Rank()] = err, err == nil
	return err
}

func (p *program) rounds(n *fagus.Node) error {
	arrays, guards, err := p.declare(n)
	if err != nil {
		return err
	}
	turns, err := newTurns(n, p.c)
	if err != nil {
		return err
	}
	for step := range p.c.steps() {
		tenures, end := p.c.at(step, dimmnet.Rank(n.Rank()))
		for j := range tenures {
			if err := p.tenure(n, arrays, guards, granted{&tenures[j], step / len(p.c.Rounds)}); err != nil {
				return err
			}
		}
		switch end {
		case Update:
			err = n.Update()
		case Barrier:
			err = n.Barrier()
		case Reduce:
			err = p.reduce(n, step)
		case Turns:
			err = turns.take(n, step)
		}
		if err != nil {
			return err
		}
	}
	return p.end(n, arrays, guards)
}

func (p *program) declare(n *fagus.Node) (arrays []*fagus.Array[byte], guards []*fagus.SyncVar, err error) {
	for v, size := range p.c.Variables {
		a, err := fagus.NewArray[byte](n, fmt.Sprintf("a%d", v), size)
		if err != nil {
			return nil, nil, err
		}
		guard, err := n.Bind(fmt.Sprintf("v%d", v), a.All())
		if err != nil {
			return nil, nil, err
		}
		arrays, guards = append(arrays, a), append(guards, guard)
	}
	return arrays, guards, nil
}

func (p *program) tenure(n *fagus.Node, arrays []*fagus.Array[byte], guards []*fagus.SyncVar, t granted) error {
	for _, v := range t.Look {
		guards[v].Observe()
	}
	var wants []fagus.Request
	for _, w := range t.Wants {
		want := fagus.Want(guards[w.Variable], fagus.Shared)
		if w.Exclusive {
			want = fagus.Want(guards[w.Variable], fagus.Exclusive)
		}
		if w.Exclusive && w.Declared {
			var ranges []fagus.Range
			for _, x := range w.Writes {
				ranges = append(ranges, arrays[w.Variable].Range(x.From, x.To))
			}
			want = want.Writing(ranges...)
		}
		wants = append(wants, want)
	}
	set := n.Set(wants...)
	if err := n.Acquire(set); err != nil {
		return err
	}
	n.Spend(t.Compute / 2)
	p.granted(t)
	for _, w := range t.Wants {
		for _, x := range w.Writes {
			x.into(arrays[w.Variable].Slice(), t.cycle)
		}
	}
	n.Spend(t.Compute - t.Compute/2)
	return n.Release(set)
}

// turns is the variable of Turns: the number of turns that ranks have taken.
type turns struct {
	taken *fagus.Guarded[int64]
	set   *fagus.SyncSet
	times int // the number of rounds that ended with Turns
}

// newTurns declares nothing if no round of the case ends with Turns.
func newTurns(n *fagus.Node, c *Case) (t turns, err error) {
	if slices.ContainsFunc(c.Rounds, func(r Round) bool { return r.End == Turns }) {
		t.taken = fagus.NewGuarded[int64](n, "turns", 1)
		t.set = n.Set(t.taken.Write())
	}
	return t, n.Err()
}

// take takes the turn of a rank, in an order that depends on the step.
func (t *turns) take(n *fagus.Node, step int) error {
	turn := int64(t.times*n.Nodes() + (n.Rank()+step)%n.Nodes())
	t.times++
	return t.set.DoWhen(
		func() bool { return t.taken.Slice()[0] == turn },
		func() { t.taken.Slice()[0]++ })
}

// reduce ends a round with a Reduce.
func (p *program) reduce(n *fagus.Node, round int) error {
	got, want, err := verify.Reduction(n, round)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.checked += 8; got != want && p.wrong == nil {
		p.wrong = &Failure{failContent, fmt.Sprintf("rank %d in round %d: Reduce returns %d, want %d", n.Rank(), round, got, want)}
	}
	return nil
}

// granted appends t to the order of tenures. Two tenures that write the same variable exclude each
// other, so the order of calls is their order, whatever the ranks' clocks show.
func (p *program) granted(t granted) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.order = append(p.order, t)
}

// end acquires all variables after all writes, and compares their contents with contents.
func (p *program) end(n *fagus.Node, arrays []*fagus.Array[byte], guards []*fagus.SyncVar) error {
	if err := n.Barrier(); err != nil {
		return err
	}
	var wants []fagus.Request
	for _, guard := range guards {
		wants = append(wants, fagus.Want(guard, fagus.Shared))
	}
	set := n.Set(wants...)
	if err := n.Acquire(set); err != nil {
		return err
	}
	p.compare(n.Rank(), arrays)
	return n.Release(set)
}

func (p *program) compare(rank int, arrays []*fagus.Array[byte]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for v, want := range p.contents() {
		got := arrays[v].Slice()
		p.checked += len(got)
		if bytes.Equal(got, want) || p.wrong != nil {
			continue
		}
		at := 0
		for got[at] == want[at] {
			at++
		}
		p.wrong = &Failure{failContent, fmt.Sprintf("rank %d at the end: byte %d of v%d is %#x, want %#x", rank, at, v, got[at], want[at])}
	}
}

// contents returns the expected contents of the variables after the writes of all tenures.
func (p *program) contents() [][]byte {
	all := make([][]byte, len(p.c.Variables))
	for v, size := range p.c.Variables {
		all[v] = make([]byte, size)
	}
	for _, t := range p.order {
		for _, w := range t.Wants {
			for _, x := range w.Writes {
				x.into(all[w.Variable], t.cycle)
			}
		}
	}
	return all
}
