package conjugate

import (
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// vector is the shared vector that is multiplied. Rows with the same readers share a variable.
type vector struct {
	*fagus.Array[float64]
	node                       *fagus.Node
	a                          *matrix.Sparse
	lo, hi                     int // this rank has the rows lo to hi-1
	toWrite, toRead, toReadAll *fagus.SyncSet
}

// Run solves the system. Every rank calls it with the same Config. If the matrix is not positive
// definite every rank returns the same IndefiniteError.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	a, b := cfg.system()
	v, err := newVector(n, a)
	if err != nil {
		return Result{}, err
	}
	sums, err := parts.NewExactSums(n, "sums", 2)
	if err != nil {
		return Result{}, err
	}
	if n.Rank() != 0 {
		cfg.Progress = nil
	}
	s := newSolver(cfg, a, b, v.lo, v.hi)
	s.p, s.write, s.multiply = v.Slice()[v.lo:v.hi], v.publish, v.times
	s.sum = func(of *[2]parts.Exact) error { return sums.Add(of[:]) }
	fagus.Keep(n, "x", &s.x, v.lo, a.Rows)
	fagus.Keep(n, "r", &s.r, v.lo, a.Rows)
	n.Resume(&s.iterations, &s.residuals, &s.rz)
	s.begun = [2]int{s.iterations, len(s.residuals)}
	s.cut = n.Checkpoint
	took, err := parts.Timed(n, s.solve)
	if err != nil {
		return Result{}, err
	}
	if v.lo < v.hi && v.hi == a.Rows {
		cfg.Plant(func() { s.spoil(s.x) })
	}
	if err := v.publish(func() { copy(s.p, s.x) }); err != nil {
		return Result{}, err
	}
	r := Result{}
	r.Time = took
	if n.Rank() == 0 {
		err = n.During(v.toReadAll, func() error {
			r = s.result(took, a, b, slices.Clone(v.Slice()))
			return nil
		})
	}
	return r, err
}

func newVector(n *fagus.Node, a *matrix.Sparse) (*vector, error) {
	v := &vector{node: n, a: a}
	ends := cuts(a, n.Nodes())
	v.lo, v.hi = ends[n.Rank()], ends[n.Rank()+1]
	var err error
	if v.Array, err = fagus.NewArray[float64](n, "vector", a.Rows); err != nil {
		return nil, err
	}
	var write, read, all []fagus.Request
	for _, s := range shares(a, ends) {
		var ranges []fagus.Range
		for _, rows := range s.rows {
			ranges = append(ranges, v.Range(rows[0], rows[1]))
		}
		guard, err := n.Bind(s.name(), ranges...)
		if err != nil {
			return nil, err
		}
		if s.owner == n.Rank() {
			write = append(write, fagus.Want(guard, fagus.Exclusive).Writing(ranges...))
		}
		if s.owner == n.Rank() || slices.Contains(s.readers, n.Rank()) {
			read = append(read, fagus.Want(guard, fagus.Shared))
		}
		all = append(all, fagus.Want(guard, fagus.Shared))
	}
	v.toWrite, v.toRead, v.toReadAll = n.Set(write...), n.Set(read...), n.Set(all...)
	return v, nil
}

// publish calls f, which writes this rank's part of the vector. A rank that reads afterwards reads
// the parts of all ranks.
func (v *vector) publish(f func()) error {
	if err := v.toWrite.Do(f); err != nil {
		return err
	}
	return v.node.Fence()
}

// chunkRows is the number of rows between two checks of Node.Err.
const chunkRows = 1 << 16

// times computes this rank's rows of the product of the matrix and v, and calls f, which may read
// this rank's part of v. The caller must compute a sum over all ranks before it publishes again:
// the sum keeps a rank from overwriting the vector while another rank reads it.
func (v *vector) times(product []float64, f func()) error {
	return v.node.During(v.toRead, func() error {
		for lo := 0; lo < len(product); lo += chunkRows {
			if err := v.node.Err(); err != nil {
				return err
			}
			times(v.a, v.lo+lo, v.Slice(), product[lo:min(lo+chunkRows, len(product))])
		}
		f()
		elements := v.a.Starts[v.hi] - v.a.Starts[v.lo]
		// including the vector operations of the step
		v.node.Spend(fagus.Time(operations(elements, len(product))) * npb.OperationTime)
		return nil
	})
}

// spoil changes the last element of x so that its row changes by more than the right side.
func (s *solver) spoil(x []float64) { x[len(x)-1] += (1 + s.length) * s.scale[len(x)-1] }
