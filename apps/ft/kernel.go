package ft

import (
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// kernel transforms one plane (z) of the cube, or one row (y) of every plane. The caller passes
// functions that locate the rows, because Run and Plain lay out the cube differently.
type kernel struct {
	*problem
	factors        [3][]float64 // by x, y and z: the decay of waves in one iteration
	there, back    [3]*fft      // forward and inverse transforms along x, y and z
	plane, scratch []complex128
	work           [3][]complex128 // buffers of fft.columns
}

func newKernel(p *problem) *kernel {
	k := &kernel{problem: p, plane: make([]complex128, p.nx*p.ny), scratch: make([]complex128, p.nx)}
	longest := 0
	for i, n := range []int{p.nx, p.ny, p.nz} {
		k.factors[i], k.there[i], k.back[i] = decay(n), newFFT(n, 1), newFFT(n, -1)
		longest = max(longest, n)
	}
	for i := range k.work {
		k.work[i] = make([]complex128, longest*batch)
	}
	return k
}

func (k *kernel) spoil()                 { k.factors[1][k.ny-1] *= 2 }
func (k *kernel) row(y int) []complex128 { return k.plane[y*k.nx:][:k.nx:k.nx] }

// begin generates the start values of plane z, and transforms them along x and y.
func (k *kernel) begin(z int, to func(y int) []complex128) {
	random := npb.Random(seed).Skip(uint64(2 * z * k.nx * k.ny))
	start := k.work[0][:k.nx]
	for y := range k.ny {
		for x := range start {
			re := random.Next()
			start[x] = complex(re, random.Next())
		}
		k.there[0].lines(k.row(y), start, k.scratch, 1)
	}
	k.there[1].columns(to, k.row, k.nx, &k.work)
}

// analyse transforms row y of every plane along z into waves, after begin.
func (k *kernel) analyse(waves []complex128, from func(z int) []complex128) {
	k.there[2].columns(func(z int) []complex128 { return waves[z*k.nx:][:k.nx] }, from, k.nx, &k.work)
}

// evolve multiplies the waves in row y of every plane by factors, and transforms them back.
func (k *kernel) evolve(y int, waves []complex128, to func(z int) []complex128) {
	for z := range k.nz {
		multiply(waves[z*k.nx:][:k.nx], k.factors[0], k.factors[1][y]*k.factors[2][z])
	}
	k.back[2].columns(to, func(z int) []complex128 { return waves[z*k.nx:][:k.nx] }, k.nx, &k.work)
}

func multiply(waves []complex128, factors []float64, factor float64) {
	factors = factors[:len(waves)]
	for x, w := range waves {
		f := factors[x] * factor
		waves[x] = complex(real(w)*f, imag(w)*f)
	}
}

// finish transforms plane z back along x and y, and adds its samples to the checksum.
func (k *kernel) finish(z int, from func(y int) []complex128, sum []parts.Exact) {
	for y := range k.ny {
		k.back[0].lines(k.row(y), from(y), k.scratch, 1)
	}
	k.back[1].columns(k.row, k.row, k.nx, &k.work)
	for j := 1; j <= samples; j++ {
		if 5*j%k.nz == z {
			point := k.row(3 * j % k.ny)[j%k.nx]
			sum[0].Add(real(point))
			sum[1].Add(imag(point))
		}
	}
}
