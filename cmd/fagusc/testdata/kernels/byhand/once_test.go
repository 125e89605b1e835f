package byhand

import (
	"math"

	"github.com/fagus-dsm/fagus/cmd/fagusc/testdata/kernels"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Matmul is [kernels.Matmul]. A rank gets its block of the rows of a, and all of b.
func Matmul(node *fagus.Node, a, b, c []float64, n int) error {
	j := newJob(node, "Matmul")
	sa, sb, sc := share(j, "a", a), share(j, "b", b), share(j, "c", c)
	return j.run(func(rank int) (reads, writes []piece) {
		lo, hi := parts.Block(n, node.Nodes(), rank)
		if lo == hi {
			return nil, nil
		}
		return []piece{sa.part(lo*n, hi*n), sb.part(0, n*n)}, []piece{sc.part(lo*n, hi*n)}
	}, func() {
		lo, hi := parts.Block(n, node.Nodes(), node.Rank())
		a, b, c := sa.here(), sb.here(), sc.here()
		for i := lo; i < hi; i++ {
			row := c[i*n:][:n]
			clear(row)
			for k, x := range a[i*n:][:n] {
				for j, y := range b[k*n:][:n] {
					row[j] += x * y
				}
			}
		}
	}, nil)
}

// Transpose is [kernels.Transpose]. A rank gets its block of the rows of a, which are columns of
// b. It stores them by rows of b, so that they form one range; rank 0 copies them to their final
// positions.
func Transpose(node *fagus.Node, a, b []float64, n int) error {
	j := newJob(node, "Transpose")
	sa, tiles := share(j, "a", a), scratch[float64](j, "tiles", n*n)
	block := func(rank int) (lo, hi int) { return parts.Block(n, node.Nodes(), rank) }
	return j.run(func(rank int) (reads, writes []piece) {
		lo, hi := block(rank)
		return []piece{sa.part(lo*n, hi*n)}, []piece{tiles.part(lo*n, hi*n)}
	}, func() {
		to, apart, a := b, n, sa.here() // apart is the distance of two rows of to, in elements
		lo, hi := block(node.Rank())
		if node.Rank() > 0 {
			to, apart = tiles.Slice()[lo*n:], hi-lo
		}
		for j := range n {
			row := to[j*apart:]
			for i := lo; i < hi; i++ {
				row[i-lo] = a[i*n+j]
			}
		}
	}, func(rank int) {
		lo, hi := block(rank)
		tile := tiles.Slice()[lo*n : hi*n]
		for j := range n {
			copy(b[j*n+lo:j*n+hi], tile[j*(hi-lo):])
		}
	})
}

// Heat is [kernels.Heat]. A rank gets its planes and one more on each side. From a plane it
// returns one range, from the first to the last interior point. Leaving out the two border points
// between rows would save less than the additional ranges cost.
func Heat(node *fagus.Node, to, from []float64, nx, ny, nz int, c float64) error {
	if min(nx, ny, nz) < 3 {
		return nil // no interior points
	}
	j := newJob(node, "Heat")
	sto, sfrom := share(j, "to", to), share(j, "from", from)
	plane := ny * nz
	edge := nz + 1 // points before the first interior point of a plane, and after the last
	block := func(rank int) (lo, hi int) {
		lo, hi = parts.Block(nx-2, node.Nodes(), rank)
		return lo + 1, hi + 1
	}
	return j.run(func(rank int) (reads, writes []piece) {
		lo, hi := block(rank)
		if lo == hi {
			return nil, nil
		}
		for x := lo; x < hi; x++ {
			writes = append(writes, sto.part(x*plane+edge, (x+1)*plane-edge))
		}
		return []piece{sfrom.part((lo-1)*plane+edge, (hi+1)*plane-edge)}, writes
	}, func() {
		lo, hi := block(node.Rank())
		to, from := sto.here()[(lo-1)*plane:], sfrom.here()[(lo-1)*plane:]
		kernels.Heat(to, from, hi-lo+2, ny, nz, c)
	}, func(rank int) {
		lo, hi := block(rank)
		for x := lo; x < hi; x++ {
			for y := 1; y < ny-1; y++ {
				at := (x*ny + y) * nz
				sto.out(at+1, at+nz-1)
			}
		}
	})
}

// Gather is [kernels.Gather]. A rank gets its block of index, and all of from.
func Gather(node *fagus.Node, to, from []float64, index []int) error {
	j := newJob(node, "Gather")
	sto, sfrom, sindex := share(j, "to", to), share(j, "from", from), share(j, "index", index)
	return j.run(func(rank int) (reads, writes []piece) {
		lo, hi := parts.Block(len(index), node.Nodes(), rank)
		if lo == hi {
			return nil, nil
		}
		return []piece{sindex.part(lo, hi), sfrom.part(0, len(from))}, []piece{sto.part(lo, hi)}
	}, func() {
		lo, hi := parts.Block(len(index), node.Nodes(), node.Rank())
		kernels.Gather(sto.here()[lo:hi], sfrom.here(), sindex.here()[lo:hi])
	}, nil)
}

// Histogram is [kernels.Histogram]. A rank counts its block of the values; rank 0 adds the counts.
func Histogram(node *fagus.Node, values []int32, count []int64) error {
	j := newJob(node, "Histogram")
	length := len(count)
	svalues, counts := share(j, "values", values), scratch[int64](j, "counts", (node.Nodes()-1)*length)
	of := func(rank int) []int64 { return counts.Slice()[(rank-1)*length:][:length] }
	return j.run(func(rank int) (reads, writes []piece) {
		lo, hi := parts.Block(len(values), node.Nodes(), rank)
		if lo == hi {
			return nil, nil
		}
		return []piece{svalues.part(lo, hi)}, []piece{counts.part((rank-1)*length, rank*length)}
	}, func() {
		lo, hi := parts.Block(len(values), node.Nodes(), node.Rank())
		to := count
		if node.Rank() > 0 {
			to = of(node.Rank())
		}
		kernels.Histogram(svalues.here()[lo:hi], to)
	}, func(rank int) {
		for i, x := range of(rank) {
			count[i] += x
		}
	})
}

// PrefixSum is [kernels.PrefixSum]. A rank computes the sums within its share of the 64-element
// blocks. Rank 0 adds the preceding sum while it copies the results. The bits are the same,
// because integers can be added in any order.
func PrefixSum(node *fagus.Node, a []int64) error {
	j := newJob(node, "PrefixSum")
	sa := share(j, "a", a)
	block := func(rank int) (lo, hi int) {
		lo, hi = parts.Block((len(a)+63)/64, node.Nodes(), rank)
		return min(64*lo, len(a)), min(64*hi, len(a))
	}
	return j.run(func(rank int) (reads, writes []piece) {
		lo, hi := block(rank)
		both := []piece{sa.part(lo, hi)}
		return both, both
	}, func() {
		lo, hi := block(node.Rank())
		sum := int64(0)
		for i, x := range sa.here()[lo:hi] {
			sum += x
			sa.here()[lo+i] = sum
		}
	}, func(rank int) {
		lo, hi := block(rank)
		before := a[lo-1]
		for i, x := range sa.Slice()[lo:hi] {
			a[lo+i] = before + x
		}
	})
}

// Forces is [kernels.Forces]. Every rank gets all bodies and computes a block of the forces.
func Forces(node *fagus.Node, bodies []kernels.Body, force [][3]float64) error {
	j := newJob(node, "Forces")
	sbodies, sforce := share(j, "bodies", bodies), share(j, "force", force)
	return j.run(func(rank int) (reads, writes []piece) {
		lo, hi := parts.Block(len(bodies), node.Nodes(), rank)
		if lo == hi {
			return nil, nil
		}
		return []piece{sbodies.part(0, len(bodies))}, []piece{sforce.part(lo, hi)}
	}, func() {
		lo, hi := parts.Block(len(bodies), node.Nodes(), node.Rank())
		attract(sbodies.here(), sforce.here(), lo, hi)
	}, nil)
}

// attract computes the forces of all bodies on bodies lo to hi-1.
func attract(bodies []kernels.Body, force [][3]float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		var f [3]float64
		at := bodies[i]
		for j, b := range bodies {
			if i == j {
				continue
			}
			dx, dy, dz := b.X-at.X, b.Y-at.Y, b.Z-at.Z
			r := dx*dx + dy*dy + dz*dz + 1e-9
			s := b.Mass / (r * math.Sqrt(r))
			f[0] += s * dx
			f[1] += s * dy
			f[2] += s * dz
		}
		force[i] = f
	}
}

// Dot is [kernels.Dot], except that each rank adds one block, and the partial sums are added in
// rank order.
func Dot(node *fagus.Node, a, b []float64) (sum float64, err error) {
	j := newJob(node, "Dot")
	sa, sb := share(j, "a", a), share(j, "b", b)
	err = j.hand(func(rank int) (reads, writes []piece) {
		lo, hi := parts.Block(len(a), node.Nodes(), rank)
		return []piece{sa.part(lo, hi), sb.part(lo, hi)}, nil
	}, j.copyIn)
	if err != nil {
		return 0, err
	}
	if err := j.compute(func() {
		lo, hi := parts.Block(len(a), node.Nodes(), node.Rank())
		sum = kernels.Dot(sa.here()[lo:hi], sb.here()[lo:hi])
	}); err != nil {
		return 0, err
	}
	return fagus.Reduce(node, sum, func(a, b float64) float64 { return a + b })
}
