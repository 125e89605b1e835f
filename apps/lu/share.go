package lu

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus/parts"
)

// share is what one of some ranks has of the matrix and of its factors. It knows nothing of how panels move.
type share struct {
	Config
	ranks, rank int
	begin       []int     // of each panel, and their end
	panels      []float64 // packed: of panel k the rows from k*Block on, of width(k) elements
	swapped     []int32   // by row: the one that it was swapped with

	// mine are this rank's columns of A, which become U, row by row. All rows are there.
	mine    []float64
	columns int
}

// newShare is one without panels, for which there must be begin[Steps()] elements, and N swaps.
func newShare(cfg Config, ranks, rank int) share {
	f := share{Config: cfg, ranks: ranks, rank: rank, begin: make([]int, cfg.Steps()+1)}
	for k := range cfg.Steps() {
		f.begin[k+1] = f.begin[k] + f.height(k)*f.width(k)
	}
	f.columns = f.first(f.Steps())
	f.mine = f.input()
	return f
}

// width and height are those of panel k.
func (f *share) width(k int) int  { return min(f.Block, f.N-k*f.Block) }
func (f *share) height(k int) int { return f.N - k*f.Block }

// panel is panel k, and its swaps.
func (f *share) panel(k int) (elements []float64, swapped []int32) {
	return f.panels[f.begin[k]:f.begin[k+1]], f.swapped[k*f.Block:][:f.width(k)]
}

// owns says whether panel k is this rank's.
func (f *share) owns(k int) bool { return k < f.Steps() && k%f.ranks == f.rank }

// first is the first of this rank's columns, as it counts them, that are in block k or after it.
func (f *share) first(k int) (columns int) {
	for _, own := range parts.Cyclic(k, f.ranks, f.rank) {
		columns += f.width(own)
	}
	return columns
}

// input are this rank's columns of A, whose elements are in [-1, 1): any rank can make any of them.
func (f *share) input() []float64 {
	a := make([]float64, f.N*f.columns)
	for _, k := range parts.Cyclic(f.Steps(), f.ranks, f.rank) {
		first, width := f.first(k), f.width(k)
		for i := range f.N {
			row := a[i*f.columns+first:][:width]
			for c := range row {
				random := mix(f.Seed + uint64(i*f.N+k*f.Block+c+1)*0x9e3779b97f4a7c15)
				row[c] = float64(int64(random)>>11) / (1 << 52)
			}
		}
	}
	return a
}

// step applies panel k, unless that is -1, and makes the next one if it is this rank's. It returns how many
// operations that took.
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

// apply does to this rank's columns after block k what was done to those of panel k. It returns how many
// operations that took.
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

// factorPanel makes panel k from this rank's columns, in which it leaves U. It returns how many operations
// that took.
func (f *share) factorPanel(k int) (operations int, err error) {
	panel, swapped := f.panel(k)
	row, width := k*f.Block, f.width(k)
	columns := f.mine[row*f.columns+f.first(k):]
	for i := range f.height(k) {
		copy(panel[i*width:][:width], columns[i*f.columns:])
	}
	pivots := make([]int, width)
	if column := factorColumns(panel, width, 0, width, pivots); column >= 0 {
		return 0, fmt.Errorf("lu: column %d is zero from the diagonal on: the matrix is singular", row+column)
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

// spoil makes an element of U in row 0 wrong.
func (f *share) spoil() { f.mine[f.columns-1]++ }

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014): a bijection that spreads all bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
