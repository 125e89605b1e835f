package lu

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// share is a rank's part of the matrix and of its factors. It does not know how panels move.
type share struct {
	Config
	ranks, rank int
	begin       []int     // by panel: its first index in panels; at the end the length of panels
	panels      []float64 // panel k has the rows from k*Block on, with width(k) elements each
	swapped     []int32   // by row: the row that it was swapped with

	// mine has this rank's columns of A, row by row; they become U.
	mine    []float64
	columns int
}

// newShare returns a share. The caller sets panels (begin[Steps()] elements) and swapped (N).
func newShare(cfg Config, ranks, rank int) share {
	f := share{Config: cfg, ranks: ranks, rank: rank, begin: make([]int, cfg.Steps()+1)}
	for k := range cfg.Steps() {
		f.begin[k+1] = f.begin[k] + f.height(k)*f.width(k)
	}
	f.columns = f.first(f.Steps())
	f.mine = f.input()
	return f
}

func (f *share) width(k int) int  { return min(f.Block, f.N-k*f.Block) }
func (f *share) height(k int) int { return f.N - k*f.Block }

func (f *share) panel(k int) (elements []float64, swapped []int32) {
	return f.panels[f.begin[k]:f.begin[k+1]], f.swapped[k*f.Block:][:f.width(k)]
}

func (f *share) owns(k int) bool { return k < f.Steps() && k%f.ranks == f.rank }

// first returns the number of this rank's columns that precede block k.
func (f *share) first(k int) (columns int) {
	for _, own := range parts.Cyclic(k, f.ranks, f.rank) {
		columns += f.width(own)
	}
	return columns
}

// input returns this rank's columns of A, whose elements are in [-1, 1). Each element depends
// only on the seed and its indices, so any rank can generate it.
func (f *share) input() []float64 {
	a := make([]float64, f.N*f.columns)
	for _, k := range parts.Cyclic(f.Steps(), f.ranks, f.rank) {
		first, width := f.first(k), f.width(k)
		for i := range f.N {
			row := a[i*f.columns+first:][:width]
			for c := range row {
				random := verify.Mix(f.Seed + uint64(i*f.N+k*f.Block+c+1)*0x9e3779b97f4a7c15)
				row[c] = float64(int64(random)>>11) / (1 << 52)
			}
		}
	}
	return a
}

// step applies panel k, unless k is -1, and factors the next panel if this rank owns it.
func (f *share) step(k int) (operations int, err error) {
	if k >= 0 {
		operations = f.apply(k)
	}
	if !f.owns(k + 1) {
		return operations, nil
	}
	more, err := f.factorPanel(k + 1)
	return operations + more, err
}

// apply applies the swaps and the elimination of panel k to this rank's columns after block k.
func (f *share) apply(k int) (operations int) {
	first := f.first(k + 1)
	columns := f.columns - first
	if columns == 0 {
		return 0
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
	return width * (2*below + width) * columns
}

// factorPanel computes panel k from this rank's columns, and leaves U in them.
func (f *share) factorPanel(k int) (operations int, err error) {
	panel, swapped := f.panel(k)
	row, width := k*f.Block, f.width(k)
	columns := f.mine[row*f.columns+f.first(k):]
	for i := range f.height(k) {
		copy(panel[i*width:][:width], columns[i*f.columns:])
	}
	pivots := make([]int, width)
	if column := factorColumns(panel, width, 0, width, pivots); column >= 0 {
		return 0, fmt.Errorf("lu: matrix is singular: column %d is zero from the diagonal on", row+column)
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
	return f.height(k) * width * width, nil
}

func (f *share) spoil() { f.mine[f.columns-1]++ }
