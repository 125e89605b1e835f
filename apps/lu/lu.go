package lu

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Limit is the largest accepted backward error.
const Limit = 16

// Upper limits of the configuration.
const (
	maxN     = 1 << 14
	maxBlock = 256
)

// Config describes a run.
type Config struct {
	N     int    // rows and columns
	Block int    // columns of a panel
	Seed  uint64 // of the random matrix
	// Progress counts Steps at every rank. Spoil corrupts a number of the last rank that has
	// data.
	verify.Options
}

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	switch {
	case c.N < 1 || c.N > maxN:
		return fmt.Errorf("lu: %d x %d matrix: want 1 to %d rows", c.N, c.N, maxN)
	case c.Block < 1 || c.Block > maxBlock:
		return fmt.Errorf("lu: blocks of %d columns: want 1 to %d", c.Block, maxBlock)
	}
	return nil
}

// Steps returns the number of panels.
func (c *Config) Steps() int { return (c.N + c.Block - 1) / c.Block }

// operations returns the floating-point additions and multiplications from a step on: 2/3 n^3 for
// all steps. Later steps begin with a panel that is factored but not applied yet.
func (c *Config) operations(begun int) float64 {
	n, width := float64(c.N-max(0, begun-1)*c.Block), 0.0
	if begun > 0 {
		width = min(n, float64(c.Block))
	}
	return 2./3*n*n*n - width*width*(n-width/3)
}

// Result is the outcome at one rank.
type Result struct {
	// Error is the backward error over all ranks.
	Error float64
	// Bits is a hash of all factors and swaps, the same at all ranks.
	Bits uint64
	// Time is the duration of the factorization at this rank.
	Time fagus.Time
	// Operations are the floating-point additions and multiplications of all ranks in it.
	Operations float64
}

// operationTime is twice what the floating-point unit of a Pentium III at 950 MHz takes for an
// addition or a multiplication (see apps/matmul): panels are narrow, and wait for memory.
const operationTime = 2 * fagus.Nanosecond

type factors struct {
	share
	node       *fagus.Node
	panelArray *fagus.Array[float64]
	swapsArray *fagus.Array[int32]
	guards     []*fagus.SyncVar // by panel: its variable
}

// Run factors the matrix. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	f := &factors{share: newShare(cfg, n.Nodes(), n.Rank()), node: n}
	if err := f.declare(); err != nil {
		return Result{}, err
	}
	parts.KeepColumns(n, "columns", &f.mine, f.N, f.N, f.Block)
	n.Resume()
	r := Result{Operations: f.operations(n.Begun())}
	var err error
	if r.Time, err = parts.Timed(n, f.factor); err != nil {
		return r, err
	}
	if last := min(n.Nodes(), f.Steps()) - 1; n.Rank() == last {
		cfg.Plant(f.spoil)
	}
	r.Error, r.Bits, err = f.verify()
	return r, err
}

func (f *factors) declare() (err error) {
	if f.panelArray, err = fagus.NewArray[float64](f.node, "panels", f.begin[f.Steps()]); err != nil {
		return err
	}
	if f.swapsArray, err = fagus.NewArray[int32](f.node, "swapped", f.N); err != nil {
		return err
	}
	f.panels, f.swapped = f.panelArray.Slice(), f.swapsArray.Slice()
	f.guards = make([]*fagus.SyncVar, f.Steps())
	for k := range f.guards {
		if f.guards[k], err = f.node.Bind(fmt.Sprintf("panel.%d", k), f.bound(k)...); err != nil {
			return err
		}
	}
	return nil
}

func (f *factors) bound(k int) []fagus.Range {
	row := k * f.Block
	return []fagus.Range{f.panelArray.Range(f.begin[k], f.begin[k+1]), f.swapsArray.Range(row, row+f.width(k))}
}

func (f *factors) factor() error {
	n := f.node
	for i := range n.Steps(f.Steps()) {
		k := i - 1 // -1: no panel to apply yet
		var wants []fagus.Request
		if k >= 0 && f.first(k+1) < f.columns {
			wants = append(wants, fagus.Want(f.guards[k], fagus.Shared))
		}
		if f.owns(k + 1) {
			wants = append(wants, fagus.Want(f.guards[k+1], fagus.Exclusive).Writing(f.bound(k+1)...))
		}
		if err := n.During(n.Set(wants...), func() error {
			operations, err := f.step(k)
			n.Spend(fagus.Time(operations) * operationTime)
			return err
		}); err != nil {
			return err
		}
		f.Advance(1)
		if err := n.Fence(); err != nil { // the next panel is complete
			return err
		}
	}
	return nil
}
