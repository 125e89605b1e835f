package bench

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

type product struct {
	*Meter
	order   int
	whole   bool // true: compute C; false: only write constants to C
	a, b, c *fagus.Array[float64]
	fill    *fagus.SyncSet // at rank 0 A, B and C, to write the input; empty at other ranks
	work    *fagus.SyncSet // B, and this rank's rows of A and C
	lo, hi  int            // this rank has the elements lo to hi-1 of A and C
}

func (m *Meter) product(order int, whole bool) (func(uint64) error, error) {
	n := m.n
	p := &product{Meter: m, order: order, whole: whole}
	var guardB *fagus.SyncVar
	var err error
	if p.b, guardB, err = guarded[float64](m, ": B", order*order); err != nil {
		return nil, err
	}
	if p.a, err = fagus.NewArray[float64](n, m.name+": A", order*order); err != nil {
		return nil, err
	}
	if p.c, err = fagus.NewArray[float64](n, m.name+": C", order*order); err != nil {
		return nil, err
	}
	fill := []fagus.Request{fagus.Want(guardB, fagus.Exclusive).Writing(p.b.All())}
	work := []fagus.Request{fagus.Want(guardB, fagus.Shared)}
	for r := range min(n.Nodes(), order) {
		lo, hi := order*r/n.Nodes()*order, order*(r+1)/n.Nodes()*order
		if lo == hi {
			continue
		}
		rowsA, rowsC := p.a.Range(lo, hi), p.c.Range(lo, hi)
		guardA, err := n.Bind(fmt.Sprintf("%s: A.%d", m.name, r), rowsA)
		if err != nil {
			return nil, err
		}
		guardC, err := n.Bind(fmt.Sprintf("%s: C.%d", m.name, r), rowsC)
		if err != nil {
			return nil, err
		}
		// Rank 0 also acquires C, without changing it, so that Update moves C to rank 0.
		fill = append(fill, fagus.Want(guardA, fagus.Exclusive).Writing(rowsA), fagus.Want(guardC, fagus.Exclusive).Writing())
		if r == n.Rank() {
			work = append(work, fagus.Want(guardA, fagus.Shared), fagus.Want(guardC, fagus.Exclusive).Writing(rowsC))
			p.lo, p.hi = lo, hi
		}
	}
	p.fill, p.work = n.Set(), n.Set(work...)
	if n.Rank() == 0 {
		p.fill = n.Set(fill...)
	}
	return p.once, nil
}

// once performs one product. For Matmul, the time in which a rank writes its rows of C does not
// count: all ranks write equally many rows at the same time.
func (p *product) once(round uint64) error {
	if err := p.beside(func() error {
		if err := p.n.Acquire(p.fill); err != nil || p.n.Rank() != 0 {
			return err
		}
		set(p.a.Slice(), float64(round))
		set(p.b.Slice(), float64(round))
		return nil
	}); err != nil {
		return err
	}
	if err := p.n.Release(p.fill); err != nil {
		return err
	}
	if err := p.n.Barrier(); err != nil {
		return err
	}
	if err := p.n.Acquire(p.work); err != nil {
		return err
	}
	if err := p.rows(round); err != nil {
		return err
	}
	if err := p.n.Release(p.work); err != nil {
		return err
	}
	if err := p.n.Update(); err != nil || p.n.Rank() != 0 {
		return err
	}
	return p.beside(func() error { return p.check(round) })
}

func (p *product) rows(round uint64) error {
	if p.lo == p.hi {
		return nil
	}
	a, b := p.a.Slice()[p.lo:p.hi], p.b.Slice()
	if want := float64(round); a[len(a)-1] != want || b[len(b)-1] != want {
		return fmt.Errorf("bench: round %d: the last elements of A and B at rank %d are %g and %g, want %g", round, p.n.Rank(), a[len(a)-1], b[len(b)-1], want)
	}
	c := p.c.Slice()[p.lo:p.hi]
	if p.whole {
		multiply(c, a, b, p.order)
		return nil
	}
	return p.beside(func() error {
		set(c, p.element(round))
		return nil
	})
}

// element returns the expected value of each element of C. All elements of A and B are round.
func (p *product) element(round uint64) float64 {
	return float64(p.order) * float64(round) * float64(round)
}

// check checks one element of each row of C.
func (p *product) check(round uint64) error {
	for i := 0; i < len(p.c.Slice()); i += p.order {
		if got, want := p.c.Slice()[i], p.element(round); got != want {
			return fmt.Errorf("bench: round %d: row %d of C has %g, want %g", round, i/p.order, got, want)
		}
	}
	return nil
}

func set(elements []float64, x float64) {
	for i := range elements {
		elements[i] = x
	}
}
