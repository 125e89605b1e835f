package mpimatmul

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/gemm"
	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/mpi"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

const (
	tagA = iota
	tagC
)

// Result holds the times and the check of a rank's part.
type Result struct {
	Total   dimmnet.Time // time of the product, including distribution and collection
	Compute dimmnet.Time // time of the rank's own multiplication
	// Wrong counts, at rank 0, the elements of C that differ in bits from a product by one rank.
	Wrong int
}

// Run multiplies two generated matrices of order n. All ranks must call it.
func Run(h dimmnet.Host, c *mpi.Comm, n int) (r Result, err error) {
	if n < 1 {
		return r, fmt.Errorf("mpimatmul: multiply matrices of order %d: want at least 1", n)
	}
	b := make([]float64, n*n)
	var a, product []float64
	if c.Rank() == 0 {
		a, product = generated(n, 1), make([]float64, n*n)
		b = generated(n, 2)
	}
	if err := c.Barrier(); err != nil {
		return r, err
	}
	begin := h.Now()
	mine, err := distribute(c, n, a, b)
	if err != nil {
		return r, err
	}
	rows := len(mine) / n
	part := make([]float64, len(mine))
	started := h.Now()
	new(gemm.Product).Add(part, n, mine, n, rows, b, n, n, nil)
	compute, misses := matmul.Cost(rows, n, n, 8)
	h.Spend(compute)
	h.Charge(dimmnet.Miss, misses)
	r.Compute = h.Now() - started
	if err := collect(c, n, part, product); err != nil {
		return r, err
	}
	r.Total = h.Now() - begin
	if c.Rank() == 0 {
		want := make([]float64, n*n)
		new(gemm.Product).Add(want, n, a, n, n, b, n, n, nil)
		for i := range want {
			if product[i] != want[i] {
				r.Wrong++
			}
		}
	}
	return r, nil
}

// generated returns an n x n matrix of pseudo-random numbers in [-1, 1).
func generated(n int, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 0))
	x := make([]float64, n*n)
	for i := range x {
		x[i] = 2*random.Float64() - 1
	}
	return x
}

func distribute(c *mpi.Comm, n int, a, b []float64) (mine []float64, err error) {
	lo, hi := parts.Block(n, c.Size(), c.Rank())
	if c.Rank() > 0 {
		mine = make([]float64, (hi-lo)*n)
		if _, err := c.Recv(mpi.Raw(mine), 0, tagA); err != nil {
			return nil, err
		}
		return mine, c.Bcast(mpi.Raw(b), 0)
	}
	var sent []*mpi.Request
	for rank := 1; rank < c.Size(); rank++ {
		from, to := parts.Block(n, c.Size(), rank)
		r, err := c.Isend(mpi.Raw(a[from*n:to*n]), rank, tagA)
		if err != nil {
			return nil, err
		}
		sent = append(sent, r)
	}
	if _, err := mpi.Waitall(sent...); err != nil {
		return nil, err
	}
	return slices.Clone(a[lo*n : hi*n]), c.Bcast(mpi.Raw(b), 0)
}

func collect(c *mpi.Comm, n int, part, product []float64) error {
	if c.Rank() > 0 {
		return c.Send(mpi.Raw(part), 0, tagC)
	}
	copy(product, part)
	for rank := 1; rank < c.Size(); rank++ {
		from, to := parts.Block(n, c.Size(), rank)
		if _, err := c.Recv(mpi.Raw(product[from*n:to*n]), rank, tagC); err != nil {
			return err
		}
	}
	return nil
}
