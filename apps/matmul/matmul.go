package matmul

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Sync selects what a sync variable is bound to.
type Sync string

const (
	Row   Sync = "row"   // one variable per row
	Rank  Sync = "rank"  // one variable for all rows of a rank
	Paper Sync = "paper" // Rank for A, and Row for C: the paper's remarks fit this best
)

// Matrix is a factor or a product, row-major.
type Matrix = matrix.Dense

// Config describes a product. A is M x K, B is K x N.
type Config struct {
	M, K, N int
	// A and B are the factors. If one is nil it is filled with random numbers in [-1, 1) from
	// Seed. Only rank 0 reads them.
	A, B *Matrix
	Seed uint64
	// Float32 selects 4-byte numbers instead of 8-byte ones.
	Float32 bool
	// Sync is Row if empty.
	Sync Sync
	// Progress, if not nil, is called at every rank with the number of rows that it has just
	// finished.
	Progress func(rows int)
}

// Result is the outcome at rank 0. At the other ranks only Time is set.
type Result struct {
	C     *matrix.Dense
	Check Check
	// Time is the duration of the product at this rank, from the complete input to the complete C
	// at rank 0.
	Time fagus.Time
}

// Square describes the product of two generated n x n matrices.
func Square(n int) Config { return Config{M: n, K: n, N: n} }

// maxElements limits a matrix to 32 TiB of float64 in the address space.
const maxElements = 1 << 42

// Validate reports an error if the sizes are out of range or do not match.
func (c *Config) Validate() error {
	if c.M < 1 || c.K < 1 || c.N < 1 {
		return fmt.Errorf("matmul: %d x %d times %d x %d: want sizes of at least 1", c.M, c.K, c.K, c.N)
	}
	if c.M > maxElements/c.K || c.K > maxElements/c.N || c.M > maxElements/c.N {
		return fmt.Errorf("matmul: %d x %d times %d x %d: want matrices of at most %d elements", c.M, c.K, c.K, c.N, maxElements)
	}
	if a := c.A; a != nil && (a.Rows != c.M || a.Cols != c.K) {
		return fmt.Errorf("matmul: A is %d x %d: want %d x %d", a.Rows, a.Cols, c.M, c.K)
	}
	if b := c.B; b != nil && (b.Rows != c.K || b.Cols != c.N) {
		return fmt.Errorf("matmul: B is %d x %d: want %d x %d", b.Rows, b.Cols, c.K, c.N)
	}
	if c.Sync != "" && c.Sync != Row && c.Sync != Rank && c.Sync != Paper {
		return fmt.Errorf("matmul: sync %q: want %q, %q or %q", c.Sync, Row, Rank, Paper)
	}
	return nil
}

// Run multiplies the matrices. Every rank calls it with the same sizes.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	if cfg.Float32 {
		return run[float32](n, cfg)
	}
	return run[float64](n, cfg)
}

type product[T Float] struct {
	Config
	node    *fagus.Node
	a, b, c *fagus.Array[T]
	guardB  *fagus.SyncVar
	guardA  []*fagus.SyncVar // by guard: the variable of its rows of A
	guardC  []*fagus.SyncVar
}

func run[T Float](n *fagus.Node, cfg Config) (Result, error) {
	p := product[T]{Config: cfg, node: n}
	if err := p.declare(); err != nil {
		return Result{}, err
	}
	if err := p.fill(n.Resume()); err != nil {
		return Result{}, err
	}
	// The Barrier of Timed keeps other ranks from acquiring the input before it is complete. In
	// threaded mode an Acquire does not wait for ranks that have not acquired yet.
	took, err := parts.Timed(n, func() error {
		for first, end := range n.Rounds(p.M) {
			if err := p.multiply(first, end); err != nil {
				return err
			}
		}
		return n.Update()
	})
	if err != nil {
		return Result{}, err
	}
	if n.Rank() != 0 {
		return Result{Time: took}, nil
	}
	return result(&cfg, p.c.Slice(), p.a.Slice(), p.b.Slice(), took)
}

func result[T Float](cfg *Config, c, a, b []T, took fagus.Time) (Result, error) {
	check, err := verify(c, a, b, cfg.M, cfg.K, cfg.N, cfg.Seed)
	return Result{C: dense(c, cfg.M, cfg.N), Check: check, Time: took}, err
}

func (p *product[T]) declare() (err error) {
	if p.a, err = fagus.NewArray[T](p.node, "A", p.M*p.K); err != nil {
		return err
	}
	if p.b, err = fagus.NewArray[T](p.node, "B", p.K*p.N); err != nil {
		return err
	}
	if p.c, err = fagus.NewArray[T](p.node, "C", p.M*p.N); err != nil {
		return err
	}
	if p.guardB, err = p.node.Bind("B", p.b.All()); err != nil {
		return err
	}
	guardsA, guardsC := p.M, p.M
	if p.Sync == Rank || p.Sync == Paper {
		guardsA = min(p.node.Nodes(), p.M)
	}
	if p.Sync == Rank {
		guardsC = guardsA
	}
	for g := range guardsC {
		if g < guardsA {
			if err := p.bind(&p.guardA, "A", p.rows(p.a, g, guardsA, p.K)); err != nil {
				return err
			}
		}
		if err := p.bind(&p.guardC, "C", p.rows(p.c, g, guardsC, p.N)); err != nil {
			return err
		}
	}
	return nil
}

// bind binds the next guard of a matrix to rows. Row i is bound to guard i mod the number of
// guards, and rank r acquires the guards r, r + Nodes, and so on.
func (p *product[T]) bind(guards *[]*fagus.SyncVar, name string, rows []fagus.Range) error {
	v, err := p.node.Bind(fmt.Sprintf("%s.%d", name, len(*guards)), rows...)
	*guards = append(*guards, v)
	return err
}

// rows returns the rows of a, with the given number of columns, that are bound to one of guards.
func (p *product[T]) rows(a *fagus.Array[T], guard, guards, columns int) (rows []fagus.Range) {
	for i := guard; i < p.M; i += guards {
		rows = append(rows, a.Range(i*columns, (i+1)*columns))
	}
	return rows
}

// own returns requests for what this rank reads and writes: all rows of its guards.
func (p *product[T]) own() []fagus.Request {
	n := p.node
	wants := []fagus.Request{fagus.Want(p.guardB, fagus.Shared)}
	for g := n.Rank(); g < len(p.guardA); g += n.Nodes() {
		wants = append(wants, fagus.Want(p.guardA[g], fagus.Shared))
	}
	for g := n.Rank(); g < len(p.guardC); g += n.Nodes() {
		wants = append(wants, fagus.Want(p.guardC[g], fagus.Exclusive).Writing(p.rows(p.c, g, len(p.guardC), p.N)...))
	}
	return wants
}

// fill writes the input at rank 0. Rank 0 also holds C, without changing it, so that Update will
// move C there. The other ranks take part with an empty set. A Barrier must follow. In a run that
// has resumed, the input is there.
func (p *product[T]) fill(resumed bool) error {
	set := p.node.Set()
	if p.node.Rank() == 0 {
		wants := []fagus.Request{fagus.Want(p.guardB, fagus.Exclusive).Writing(p.b.All())}
		for g, v := range p.guardA {
			wants = append(wants, fagus.Want(v, fagus.Exclusive).Writing(p.rows(p.a, g, len(p.guardA), p.K)...))
		}
		for _, v := range p.guardC {
			wants = append(wants, fagus.Want(v, fagus.Exclusive).Writing())
		}
		set = p.node.Set(wants...)
	}
	if err := p.node.Acquire(set); err != nil {
		return err
	}
	if p.node.Rank() == 0 && !resumed {
		input(p.a.Slice(), p.A, p.Seed, 0)
		input(p.b.Slice(), p.B, p.Seed, 1)
	}
	return p.node.Release(set)
}

// spendRows is how many rows a rank computes before it spends their time on a simulated machine.
// Then its helper threads may get the processor.
const spendRows = 512

// multiply computes the rows of C from first to end-1 that are this rank's.
func (p *product[T]) multiply(first, end int) error {
	n := p.node
	rows := parts.CyclicFrom(first, end, n.Nodes(), n.Rank())
	set := n.Set()
	if len(rows) > 0 {
		set = n.Set(p.own()...)
	}
	if err := n.Acquire(set); err != nil {
		return err
	}
	var spent fagus.Time
	paid, missed, shown := 0, 0, 0
	err := times(p.c.Slice(), p.a.Slice(), p.b.Slice(), p.K, p.N, rows, n.Nodes(), func(done int) error {
		if done-paid >= spendRows || done == len(rows) {
			cost, misses := Cost(done, p.K, p.N, elementBytes[T]())
			n.Spend(cost - spent)
			n.SpendMisses(misses - missed)
			paid, spent, missed = done, cost, misses
		}
		n.DefaultProgress(done, len(rows))
		if p.Progress != nil && done > shown {
			p.Progress(done - shown)
			shown = done
		}
		return n.Err()
	})
	if err != nil {
		return err
	}
	return n.Release(set)
}
