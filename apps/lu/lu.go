package lu

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Limit is how large the backward error may be.
const Limit = 16

// The most of everything.
const (
	maxN     = 1 << 14
	maxBlock = 256
)

// Config describes a run.
type Config struct {
	N     int    // rows and columns
	Block int    // columns of a panel
	Seed  uint64 // is where the matrix comes from
	// Progress, if not nil, is called at every rank after each of the Steps with 1.
	Progress func(steps int)
	// Spoil makes one number of the last rank that has any wrong: for those who want to see that it is found.
	Spoil bool
}

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	switch {
	case c.N < 1 || c.N > maxN:
		return fmt.Errorf("lu: a matrix of %d x %d: want 1 to %d", c.N, c.N, maxN)
	case c.Block < 1 || c.Block > maxBlock:
		return fmt.Errorf("lu: blocks of %d columns: want 1 to %d", c.Block, maxBlock)
	}
	return nil
}

// Steps is how many panels there are.
func (c *Config) Steps() int { return (c.N + c.Block - 1) / c.Block }

// Operations are those that factoring takes: 2/3 n^3 floating-point additions and multiplications.
func (c *Config) Operations() float64 { return 2. / 3 * float64(c.N) * float64(c.N) * float64(c.N) }

// Result is what a rank has in the end.
type Result struct {
	// Error is the backward error, of all ranks.
	Error float64
	// Bits is a hash of all factors and swaps, the same at all ranks.
	Bits uint64
	// Time is what factoring took this rank.
	Time fagus.Time
}

// operationTime is twice what the unit of a Pentium III at 950 MHz takes for an addition or a
// multiplication (apps/matmul): panels are narrow, and have to wait for memory.
const operationTime = 2 * fagus.Nanosecond

// factors is the program's data.
type factors struct {
	Config
	node    *fagus.Node
	panels  *fagus.Array[float64] // packed: of panel k the rows from k*Block on, of width(k) elements
	swapped *fagus.Array[int32]   // by row: the one that it was swapped with
	begin   []int                 // of each panel
	guards  []*fagus.SyncVar      // of each panel and its swaps

	// mine are this rank's columns of A, which become U, row by row. All rows are there.
	mine    []float64
	columns int
}

// Run factors. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	f := &factors{Config: cfg, node: n}
	if err := f.declare(); err != nil {
		return Result{}, err
	}
	f.columns = f.first(f.Steps())
	f.mine = f.input()
	var r Result
	var err error
	if r.Time, err = parts.Timed(n, f.factor); err != nil {
		return r, err
	}
	if last := min(n.Nodes(), f.Steps()) - 1; cfg.Spoil && n.Rank() == last {
		f.mine[f.columns-1]++ // U, row 0
	}
	r.Error, r.Bits, err = f.verify()
	return r, err
}

// declare makes the arrays and binds the variables, the same at every rank.
func (f *factors) declare() (err error) {
	elements := 0
	for k := range f.Steps() {
		f.begin = append(f.begin, elements)
		elements += f.height(k) * f.width(k)
	}
	f.begin = append(f.begin, elements)
	if f.panels, err = fagus.NewArray[float64](f.node, "panels", elements); err != nil {
		return err
	}
	if f.swapped, err = fagus.NewArray[int32](f.node, "swapped", f.N); err != nil {
		return err
	}
	f.guards = make([]*fagus.SyncVar, f.Steps())
	for k := range f.guards {
		if f.guards[k], err = f.node.Bind(fmt.Sprintf("panel.%d", k), f.bound(k)...); err != nil {
			return err
		}
	}
	return nil
}

// bound is what the variable of panel k guards.
func (f *factors) bound(k int) []fagus.Range {
	row := k * f.Block
	return []fagus.Range{f.panels.Range(f.begin[k], f.begin[k+1]), f.swapped.Range(row, row+f.width(k))}
}

// width and height are those of panel k.
func (f *factors) width(k int) int  { return min(f.Block, f.N-k*f.Block) }
func (f *factors) height(k int) int { return f.N - k*f.Block }

// panel is panel k, and its swaps.
func (f *factors) panel(k int) (elements []float64, swapped []int32) {
	return f.panels.Slice()[f.begin[k]:f.begin[k+1]], f.swapped.Slice()[k*f.Block:][:f.width(k)]
}

// owns says whether panel k is this rank's.
func (f *factors) owns(k int) bool { return k < f.Steps() && k%f.node.Nodes() == f.node.Rank() }

// first is the first of this rank's columns, as it counts them, that are in block k or after it.
func (f *factors) first(k int) (columns int) {
	for _, own := range parts.Cyclic(k, f.node.Nodes(), f.node.Rank()) {
		columns += f.width(own)
	}
	return columns
}

func (f *factors) factor() error {
	n := f.node
	for k := -1; k < f.Steps()-1; k++ { // -1: there is nothing to apply yet
		var wants []fagus.Request
		if k >= 0 && f.first(k+1) < f.columns {
			wants = append(wants, fagus.Want(f.guards[k], fagus.Shared))
		}
		if f.owns(k + 1) {
			wants = append(wants, fagus.Want(f.guards[k+1], fagus.Exclusive).Writing(f.bound(k+1)...))
		}
		if err := n.During(n.Set(wants...), func() error {
			if k >= 0 {
				f.apply(k)
			}
			if f.owns(k + 1) {
				return f.factorPanel(k + 1)
			}
			return nil
		}); err != nil {
			return err
		}
		if f.Progress != nil {
			f.Progress(1)
		}
		if err := n.Barrier(); err != nil { // the next panel is there
			return err
		}
	}
	return nil
}

// apply does to this rank's columns after block k what was done to those of panel k.
func (f *factors) apply(k int) {
	first := f.first(k + 1)
	columns := f.columns - first
	if columns == 0 {
		return
	}
	panel, swapped := f.panel(k)
	width, below := f.width(k), f.height(k)-f.width(k)
	rest := f.mine[k*f.Block*f.columns+first:] // from the panel's first row on
	for i, with := range swapped {
		swap(rest, f.columns, i, int(with)-k*f.Block, columns)
	}
	solve(panel, width, rest, f.columns, width, columns)
	if below > 0 {
		subtract(rest[width*f.columns:], f.columns, panel[width*width:], width, below, rest, f.columns, width, columns)
	}
	f.node.Spend(fagus.Time(width*(2*below+width)*columns) * operationTime)
}

// factorPanel makes panel k from this rank's columns, in which it leaves U.
func (f *factors) factorPanel(k int) error {
	panel, swapped := f.panel(k)
	row, width := k*f.Block, f.width(k)
	columns := f.mine[row*f.columns+f.first(k):]
	for i := range f.height(k) {
		copy(panel[i*width:][:width], columns[i*f.columns:])
	}
	pivots := make([]int, width)
	if column := factorColumns(panel, width, 0, width, pivots); column >= 0 {
		return fmt.Errorf("lu: column %d is zero from the diagonal on: the matrix is singular", row+column)
	}
	for i, with := range pivots {
		swapped[i] = int32(row + with)
	}
	for i := range f.height(k) {
		to := columns[i*f.columns:][:width]
		clear(to)
		if i < width {
			copy(to[i:], panel[i*width+i:(i+1)*width])
		}
	}
	f.node.Spend(fagus.Time(f.height(k)*width*width) * operationTime)
	return nil
}
