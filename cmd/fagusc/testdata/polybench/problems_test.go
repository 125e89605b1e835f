package polybench

import (
	"github.com/fagus-dsm/fagus/cmd/fagusc/testdata/polybench/rows"
)

// problem is a kernel with its input.
type problem struct {
	name  string // of the function
	title string // of the kernel in PolyBench
	seq   any    // the function
	rows  any    // the function in package rows, or nil
	plain any    // the function on two goroutines
	// second is the size at which seq takes about a second, or less if its arrays would have more
	// than 256 MiB.
	second int
	small  int // the size for simulations of up to 64 nodes
	// input returns the arguments of seq for a size of 1 or more: a matrix, a slice, or a number
	// each. Dimensions have the ratios of PolyBench's dataset LARGE, and contents its formulas,
	// except where a comment says so.
	input func(n int) []any
}

// matrix is the input for a parameter that is a flat slice, or a slice of rows in package rows.
type matrix[T any] struct {
	data  []T
	width int
}

func newMatrix[T any](height, width int, f func(i, j int) T) matrix[T] {
	m := matrix[T]{make([]T, height*width), width}
	for k := range m.data {
		m.data[k] = f(k/width, k%width)
	}
	return m
}

// fraction returns a matrix of the remainders of f divided by mod, divided by scale.
func fraction(height, width, mod, scale int, f func(i, j int) int) matrix[float64] {
	return newMatrix(height, width, func(i, j int) float64 { return float64(f(i, j)%mod) / float64(scale) })
}

func constant(height, width int, x float64) matrix[float64] {
	return newMatrix(height, width, func(i, j int) float64 { return x })
}

func vector(n int, f func(i float64) float64) []float64 {
	return newMatrix(1, n, func(_, i int) float64 { return f(float64(i)) }).data
}

// definite returns a positive definite matrix: the product of a lower triangular matrix and its
// transpose.
func definite(n int) matrix[float64] {
	// Column k of the lower triangle is 1 on the diagonal and 1-j/n below. A prefix sum over k
	// replaces the product, which would take n*n*n operations.
	low := func(j int) float64 { return 1 - float64(j)/float64(n) }
	sums := make([]float64, n+1)
	for j := range n {
		sums[j+1] = sums[j] + low(j)*low(j)
	}
	return newMatrix(n, n, func(i, j int) float64 {
		if i == j {
			return sums[i] + 1
		}
		return sums[min(i, j)] + low(min(i, j))
	})
}

// part returns n*a/b, at least 1.
func part(n, a, b int) int { return max(1, n*a/b) }

func problems() []problem { return append(linear(), others()...) }

// linear are the kernels of linear algebra without solvers.
func linear() []problem {
	return []problem{
		{"TwoMM", "2mm", TwoMM, rows.TwoMM, plainTwoMM, 600, 256, func(n int) []any {
			ni, nj, nk, nl := n, part(n, 9, 8), part(n, 11, 8), part(n, 12, 8)
			return []any{
				fraction(ni, nl, nk, nk, func(i, j int) int { return i * (j + 2) }),
				fraction(ni, nk, ni, ni, func(i, j int) int { return i*j + 1 }),
				fraction(nk, nj, nj, nj, func(i, j int) int { return i * (j + 1) }),
				fraction(nj, nl, nl, nl, func(i, j int) int { return i*(j+3) + 1 }),
				ni, nj, nk, nl, 1.5, 1.2,
			}
		}},
		{"ThreeMM", "3mm", ThreeMM, nil, plainThreeMM, 540, 256, func(n int) []any {
			ni, nj, nk, nl, nm := n, part(n, 9, 8), part(n, 10, 8), part(n, 11, 8), part(n, 12, 8)
			return []any{
				constant(ni, nl, 0),
				fraction(ni, nk, ni, 5*ni, func(i, j int) int { return i*j + 1 }),
				fraction(nk, nj, nj, 5*nj, func(i, j int) int { return i*(j+1) + 2 }),
				fraction(nj, nm, nl, 5*nl, func(i, j int) int { return i * (j + 3) }),
				fraction(nm, nl, nk, 5*nk, func(i, j int) int { return i*(j+2) + 2 }),
				ni, nj, nk, nl, nm,
			}
		}},
		{"Atax", "atax", Atax, rows.Atax, plainAtax, 5400, 192, func(n int) []any {
			m, n := n, part(n, 21, 19)
			return []any{
				vector(n, func(i float64) float64 { return 0 }),
				fraction(m, n, n, 5*m, func(i, j int) int { return i + j }),
				vector(n, func(i float64) float64 { return 1 + i/float64(n) }),
				m, n,
			}
		}},
		{"Bicg", "bicg", Bicg, nil, plainBicg, 5400, 192, func(n int) []any {
			m, n := n, part(n, 21, 19)
			return []any{
				vector(m, func(i float64) float64 { return 0 }), vector(n, func(i float64) float64 { return 0 }),
				fraction(n, m, n, n, func(i, j int) int { return i * (j + 1) }),
				vector(m, func(i float64) float64 { return i / float64(m) }), vector(n, func(i float64) float64 { return i / float64(n) }),
				n, m,
			}
		}},
		{"Doitgen", "doitgen", Doitgen, nil, plainDoitgen, 160, 8, func(n int) []any {
			nr, nq, np := part(n, 15, 16), part(n, 14, 16), n
			return []any{
				fraction(nr, nq*np, np, np, func(r, qp int) int { return r*(qp/np) + qp%np }),
				fraction(np, np, np, np, func(i, j int) int { return i * j }),
				nr, nq, np,
			}
		}},
		{"Mvt", "mvt", Mvt, rows.Mvt, plainMvt, 5400, 128, func(n int) []any {
			shifted := func(by int) []float64 { return fraction(1, n, n, n, func(_, i int) int { return i + by }).data }
			return []any{
				shifted(0), shifted(1), fraction(n, n, n, n, func(i, j int) int { return i * j }), shifted(3), shifted(4), n,
			}
		}},
		{"Gemm", "gemm", Gemm, rows.Gemm, plainGemm, 900, 320, func(n int) []any {
			ni, nj, nk := n, part(n, 11, 10), part(n, 12, 10)
			return []any{
				fraction(ni, nj, ni, ni, func(i, j int) int { return i*j + 1 }),
				fraction(ni, nk, nk, nk, func(i, k int) int { return i * (k + 1) }),
				fraction(nk, nj, nj, nj, func(k, j int) int { return k * (j + 2) }),
				ni, nj, nk, 1.5, 1.2,
			}
		}},
		{"Gemver", "gemver", Gemver, nil, plainGemver, 5400, 96, func(n int) []any {
			over := func(by float64) []float64 {
				return vector(n, func(i float64) float64 { return (i + 1) / float64(n) / by })
			}
			zero := func() []float64 { return make([]float64, n) }
			return []any{
				fraction(n, n, n, n, func(i, j int) int { return i * j }),
				vector(n, func(i float64) float64 { return i }), over(4), over(2), over(6), zero(), zero(), over(8), over(9),
				n, 1.5, 1.2,
			}
		}},
		{"Gesummv", "gesummv", Gesummv, nil, plainGesummv, 4000, 256, func(n int) []any {
			return []any{
				make([]float64, n),
				fraction(n, n, n, n, func(i, j int) int { return i*j + 1 }), fraction(n, n, n, n, func(i, j int) int { return i*j + 2 }),
				fraction(1, n, n, n, func(_, i int) int { return i }).data,
				n, 1.5, 1.2,
			}
		}},
		{"Symm", "symm", Symm, nil, plainSymm, 750, 24, func(n int) []any {
			m, n := n, part(n, 12, 10)
			return []any{
				fraction(m, n, 100, m, func(i, j int) int { return i + j }),
				newMatrix(m, m, func(i, j int) float64 {
					if j > i {
						return -999 // must not be read
					}
					return float64((i+j)%100) / float64(m)
				}),
				fraction(m, n, 100, m, func(i, j int) int { return n + i - j }),
				m, n, 1.5, 1.2,
			}
		}},
		{"Syr2k", "syr2k", Syr2k, nil, plainSyr2k, 800, 192, func(n int) []any {
			m, n := n, part(n, 12, 10)
			return []any{
				fraction(n, n, n, m, func(i, j int) int { return i*j + 3 }),
				fraction(n, m, n, n, func(i, j int) int { return i*j + 1 }), fraction(n, m, m, m, func(i, j int) int { return i*j + 2 }),
				n, m, 1.5, 1.2,
			}
		}},
		{"Syrk", "syrk", Syrk, rows.Syrk, plainSyrk, 900, 192, func(n int) []any {
			m, n := n, part(n, 12, 10)
			return []any{
				fraction(n, n, m, m, func(i, j int) int { return i*j + 2 }), fraction(n, m, n, n, func(i, j int) int { return i*j + 1 }),
				n, m, 1.5, 1.2,
			}
		}},
		{"Trmm", "trmm", Trmm, nil, plainTrmm, 800, 24, func(n int) []any {
			m, n := n, part(n, 12, 10)
			return []any{
				fraction(m, n, n, n, func(i, j int) int { return n + i - j + m }),
				newMatrix(m, m, func(i, j int) float64 {
					if i == j {
						return 1
					}
					return float64((i+j)%m) / float64(m)
				}),
				m, n, 1.5,
			}
		}},
	}
}

// others are solvers, stencils, and kernels of other fields.
func others() []problem {
	samples := func(n int) []any {
		n, m := part(n, 14, 12), n
		n = max(n, 2)
		return []any{
			newMatrix(n, m, func(i, j int) float64 { return float64(i*j)/float64(m) + float64(i) }), constant(m, m, 0), n, m,
		}
	}
	grid := func(n, a int) matrix[float64] {
		return newMatrix(n, n, func(i, j int) float64 { return (float64(i*(j+a)) + float64(a)) / float64(n) })
	}
	return []problem{
		{"Correlation", "correlation", Correlation, nil, plainCorrelation, 900, 32, samples},
		{"Covariance", "covariance", Covariance, rows.Covariance, plainCovariance, 900, 32, samples},
		{"Cholesky", "cholesky", Cholesky, nil, plainCholesky, 1500, 64, func(n int) []any { return []any{definite(n), n} }},
		{"Durbin", "durbin", Durbin, nil, plainDurbin, 24000, 64, func(n int) []any {
			return []any{make([]float64, n), vector(n, func(i float64) float64 { return float64(n+1) - i }), n}
		}},
		{"Gramschmidt", "gramschmidt", Gramschmidt, nil, plainGramschmidt, 600, 12, func(n int) []any {
			// PolyBench's matrix has more columns than rows, and dependent rows: rounding errors
			// would be all that is left of later columns. Hence more rows, and the diagonal.
			m := part(n, 12, 10)
			return []any{
				newMatrix(m, n, func(i, j int) float64 {
					x := float64(i*j%m)/float64(m)*100 + 10
					if i == j {
						x += 100 * float64(n)
					}
					return x
				}),
				constant(n, n, 0), constant(m, n, 0), m, n,
			}
		}},
		{"LU", "lu", LU, rows.LU, plainLU, 1000, 64, func(n int) []any { return []any{definite(n), n} }},
		{"Ludcmp", "ludcmp", Ludcmp, nil, plainLudcmp, 1100, 8, func(n int) []any {
			return []any{make([]float64, n), definite(n), vector(n, func(i float64) float64 { return (i+1)/float64(n)/2 + 4 }), n}
		}},
		{"Trisolv", "trisolv", Trisolv, nil, plainTrisolv, 5400, 128, func(n int) []any {
			return []any{
				constant(1, n, -999).data,
				newMatrix(n, n, func(i, j int) float64 { return float64(i+n-j+1) * 2 / float64(n) }),
				vector(n, func(i float64) float64 { return i }), n,
			}
		}},
		{"Deriche", "deriche", Deriche, nil, plainDeriche, 4096, 256, func(n int) []any {
			w, h := n, part(n, 2160, 4096)
			return []any{constant(w, h, 0), fraction(w, h, 65536, 65535, func(i, j int) int { return 313*i + 991*j }), w, h, 0.25}
		}},
		{"FloydWarshall", "floyd-warshall", FloydWarshall, rows.FloydWarshall, plainFloydWarshall, 900, 64, func(n int) []any {
			return []any{newMatrix(n, n, func(i, j int) int {
				if s := i + j; s%13 == 0 || s%7 == 0 || s%11 == 0 {
					return 999
				}
				return i*j%7 + 1
			}), n}
		}},
		{"Nussinov", "nussinov", Nussinov, nil, plainNussinov, 1500, 10, func(n int) []any {
			return []any{newMatrix(n, n, func(i, j int) int { return 0 }), newMatrix(1, n, func(_, i int) int { return (i + 1) % 4 }).data, n}
		}},
		{"Adi", "adi", Adi, nil, plainAdi, 300, 64, func(n int) []any {
			return []any{newMatrix(n, n, func(i, j int) float64 { return float64(i+n-j) / float64(n) }), n, part(n, 1, 2)}
		}},
		{"FDTD2D", "fdtd-2d", FDTD2D, rows.FDTD2D, plainFDTD2D, 750, 48, func(n int) []any {
			nx, ny, steps := n, part(n, 12, 10), part(n, 1, 2)
			field := func(by int) matrix[float64] {
				return newMatrix(nx, ny, func(i, j int) float64 { return float64(i*(j+by)) / float64(nx) })
			}
			return []any{field(1), field(2), field(3), vector(steps, func(t float64) float64 { return t }), nx, ny, steps}
		}},
		{"Heat3D", "heat-3d", Heat3D, nil, plainHeat3D, 105, 32, func(n int) []any {
			// PolyBench's i+j+n-k is a steady state, in which nothing changes.
			cube := func() matrix[float64] {
				return newMatrix(n, n*n, func(i, jk int) float64 { return float64((i*(jk/n)+n-jk%n)%n) * 10 / float64(n) })
			}
			return []any{cube(), cube(), n, part(n, 5, 6)}
		}},
		{"Jacobi1D", "jacobi-1d", Jacobi1D, nil, plainJacobi1D, 40000, 1024, func(n int) []any {
			points := func(by float64) []float64 {
				return vector(n, func(i float64) float64 { return (i + by) / float64(n) })
			}
			return []any{points(2), points(3), n, part(n, 1, 4)}
		}},
		{"Jacobi2D", "jacobi-2d", Jacobi2D, rows.Jacobi2D, plainJacobi2D, 1000, 192, func(n int) []any {
			return []any{grid(n, 2), grid(n, 3), n, part(n, 5, 13)}
		}},
		{"Seidel2D", "seidel-2d", Seidel2D, nil, plainSeidel2D, 700, 64, func(n int) []any { return []any{grid(n, 2), n, part(n, 1, 4)} }},
	}
}
