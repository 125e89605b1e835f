package bench

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// product is a product of matrices C = A x B.
type product struct {
	*Meter
	order   int
	whole   bool // computes, instead of only writing C
	a, b, c *fagus.Array[float64]
	fill    *fagus.SyncSet // all that rank 0 writes in the beginning; elsewhere nothing
	work    *fagus.SyncSet // B, and this rank's rows of A and C
	lo, hi  int            // elements of A and C that are this rank's
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
		// Rank 0 has C as well, without changing it: so Update will bring it there.
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

// once is one product. The time in which rank 0 writes its rows of C does not count if they are not
// computed: others write theirs meanwhile, and have as many.
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

// rows makes the rank's rows of C.
func (p *product) rows(round uint64) error {
	if p.lo == p.hi {
		return nil
	}
	a, b := p.a.Slice()[p.lo:p.hi], p.b.Slice()
	if want := float64(round); a[len(a)-1] != want || b[len(b)-1] != want {
		return fmt.Errorf("bench: round %d: rank %d has A and B of %g and %g", round, p.n.Rank(), a[len(a)-1], b[len(b)-1])
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

// element is what each of C is, since those of A and B are the number of the round.
func (p *product) element(round uint64) float64 {
	return float64(p.order) * float64(round) * float64(round)
}

// check looks at each row of C.
func (p *product) check(round uint64) error {
	for i := 0; i < len(p.c.Slice()); i += p.order {
		if got, want := p.c.Slice()[i], p.element(round); got != want {
			return fmt.Errorf("bench: round %d: row %d of C has %g, want %g", round, i/p.order, got, want)
		}
	}
	return nil
}

// set makes all elements x.
func set(elements []float64, x float64) {
	for i := range elements {
		elements[i] = x
	}
}
