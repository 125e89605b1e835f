package matmul

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Check compares a product with theory. Value is the worst error found, in units of the largest
// error that rounding may cause, so Limit is 1. Value is always finite, because JSON has no
// infinity.
type Check struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
}

// OK reports whether the product passes.
func (c Check) OK() bool { return c.Value <= c.Limit }

const (
	// referenceSteps is the largest m*k*n for which the product is computed a second time, which
	// takes 0.1 s. For float32 the limit is eight times as large.
	referenceSteps = 1 << 27
	// probes is the number of random vectors of Freivalds' check.
	probes = 16
	// deviations bounds a sum of numbers with random signs, in units of the 2-norm of the
	// numbers. By Hoeffding's inequality, P(|sum| > t norm) <= 2 exp(-t*t/2), the probability of
	// a larger sum is 5e-18 for one row and probe, and 1e-9 for ten million rows.
	deviations = 9
)

// verify checks that C = A*B, where A is m x k and B is k x n. C must be the result of adding k
// rounded products, starting from 0, in any order. A small product is compared with one
// by the plainest program.
// A large product is compared in random directions, drawn from seed (R. Freivalds, Fast
// probabilistic algorithms, MFCS 1979).
//
// It returns an error if the factors permit no answer: if they are not finite, or so large that C
// may overflow.
//
// # Error bounds
//
// Let u be the unit roundoff of T, half its epsilon, and u64 the unit roundoff of float64. An
// inner product of length k, added in any order, differs from the true one by at most k*u*|a|*|b|
// (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1, with
// k*u/(1-k*u) for k*u; without a condition on k by C.-P. Jeannerod and S. M. Rump, SIAM J. Matrix
// Anal. Appl. 34 (2013) 338). So |C - A*B| <= k*u*|A|*|B| element by element, where |A| is A with
// absolute values. A product that underflows adds at most the smallest number of T (Higham,
// section 2.2).
//
// # Scaling
//
// Each row of A and each column of B is multiplied by a power of two that brings its largest
// element near 1, and C is scaled accordingly. Everything is then computed in float64. Scaling
// changes no digit, and prevents overflow.
func verify[T Float](c, a, b []T, m, k, n int, seed uint64) (Check, error) {
	if m < 0 || k < 0 || n < 0 || len(a) != m*k || len(b) != k*n || len(c) != m*n {
		return Check{}, fmt.Errorf("matmul: verify: %d x %d times %d x %d: A, B and C have %d, %d and %d elements",
			m, k, k, n, len(a), len(b), len(c))
	}
	check := Check{Name: "freivalds", Limit: 1}
	limit := float64(referenceSteps)
	if unit, _, _ := precision[T](); unit > unit64 {
		limit *= 8 // Freivalds' check is weaker in float32
	}
	small := float64(m)*float64(k)*float64(n) <= limit
	if small {
		check.Name = "max-error/plain"
	}
	p, err := scale(c, a, b, m, k, n)
	if err != nil {
		return Check{}, err
	}
	wrong, err := p.overflow()
	switch {
	case err != nil:
		return Check{}, err
	case wrong:
		check.Value = math.MaxFloat64
	case small:
		check.Value = p.maxError()
	default:
		check.Value = p.freivalds(seed)
	}
	return check, nil
}

// scaled is a product whose A rows and B columns are divided by powers of two when they are read.
type scaled[T Float] struct {
	c, a, b  []T
	m, k, n  int
	row, col []int // exponents of the powers of two
}

func scale[T Float](c, a, b []T, m, k, n int) (*scaled[T], error) {
	p := &scaled[T]{c: c, a: a, b: b, m: m, k: k, n: n, row: make([]int, m), col: make([]int, n)}
	rowMax, colMax := make([]float64, m), make([]float64, n)
	for i := range m {
		for l, v := range a[i*k : (i+1)*k] {
			if !finite(float64(v)) {
				return nil, fmt.Errorf("matmul: verify: A[%d,%d] is %v: want a finite number", i, l, v)
			}
			rowMax[i] = max(rowMax[i], math.Abs(float64(v)))
		}
		_, p.row[i] = math.Frexp(rowMax[i])
	}
	for l := range k {
		for j, v := range b[l*n : (l+1)*n] {
			if !finite(float64(v)) {
				return nil, fmt.Errorf("matmul: verify: B[%d,%d] is %v: want a finite number", l, j, v)
			}
			colMax[j] = max(colMax[j], math.Abs(float64(v)))
		}
	}
	for j := range n {
		_, p.col[j] = math.Frexp(colMax[j])
	}
	return p, nil
}

func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 } // false for NaN

func (p *scaled[T]) elemA(i, l int) float64 { return math.Ldexp(float64(p.a[i*p.k+l]), -p.row[i]) }
func (p *scaled[T]) elemB(l, j int) float64 { return math.Ldexp(float64(p.b[l*p.n+j]), -p.col[j]) }
func (p *scaled[T]) elemC(i, j int) float64 {
	return math.Ldexp(float64(p.c[i*p.n+j]), -p.row[i]-p.col[j])
}

// underflow bounds the error from underflow in element (i, j) of C, both in its computation and
// in its verification: half the smallest number for each product, and in the verification the
// same for each factor. The rest is a reserve that also keeps the bound above 0.
func (p *scaled[T]) underflow(i, j int) float64 {
	_, tiny, _ := precision[T]()
	return 4 * float64(p.k+2) * (math.Ldexp(tiny, -p.row[i]-p.col[j]) + math.SmallestNonzeroFloat64)
}

const unit64 = 0x1p-53

// precision returns the unit roundoff, the smallest and the largest number of T.
func precision[T Float]() (unit, tiny, huge float64) {
	if _, ok := any(T(0)).(float32); ok {
		return 0x1p-24, math.SmallestNonzeroFloat32, math.MaxFloat32
	}
	return unit64, math.SmallestNonzeroFloat64, math.MaxFloat64
}

// overflow checks whether an element of C is not finite. Such an element is wrong, unless its
// terms may have overflowed. In that case the product cannot be judged, and overflow returns an
// error.
func (p *scaled[T]) overflow() (wrong bool, err error) {
	_, _, huge := precision[T]()
	for at, v := range p.c {
		if finite(float64(v)) {
			continue
		}
		i, j := at/p.n, at%p.n
		terms := 0.0
		for l := range p.k {
			terms += math.Abs(p.elemA(i, l) * p.elemB(l, j))
		}
		if math.Ldexp(terms, p.row[i]+p.col[j]) > huge/2 {
			return false, fmt.Errorf("matmul: verify: C[%d,%d] is %v: its terms exceed the range of %T", i, j, v, v)
		}
		return true, nil
	}
	return false, nil
}

// worse returns the larger error. An error that is not finite counts as the largest number.
func worse(value, v float64) float64 {
	if !finite(v) {
		return math.MaxFloat64
	}
	return max(value, v)
}

// maxError compares C with R, the plain product, to which the same bound applies with u64 in
// place of u: |C - R| <= k*(u+u64)*|A|*|B|. Using k+2 instead of k covers the rounding of the
// bound itself.
func (p *scaled[T]) maxError() float64 {
	m, k, n := p.m, p.k, p.n
	a, b := make([]float64, m*k), make([]float64, k*n)
	for i := range a {
		a[i] = p.elemA(i/k, i%k)
	}
	for i := range b {
		b[i] = p.elemB(i/n, i%n)
	}
	reference := plainProduct(a, b, m, k, n)
	for i, v := range a {
		a[i] = math.Abs(v)
	}
	for i, v := range b {
		b[i] = math.Abs(v)
	}
	terms := plainProduct(a, b, m, k, n)
	unit, _, _ := precision[T]()
	value := 0.0
	for at, r := range reference {
		i, j := at/n, at%n
		bound := float64(k+2)*(unit+unit64)*terms[at] + p.underflow(i, j)
		value = worse(value, math.Abs(p.elemC(i, j)-r)/bound)
	}
	return value
}

// plainProduct is the plainest program for a product. TestVerifyReference compares it with gonum.
func plainProduct(a, b []float64, m, k, n int) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		row := c[i*n : (i+1)*n]
		for l, x := range a[i*k : (i+1)*k] {
			for j, y := range b[l*n : (l+1)*n] {
				row[j] += float64(x * y)
			}
		}
	}
	return c
}

// freivalds compares C*x with A*(B*x) for random vectors x of +1 and -1, which takes (m*k + k*n +
// m*n)*probes steps. A probe misses errors in a row of C that happen to cancel, with a
// probability of at most 1/2.
//
// The rounding errors of a row of C are a vector e with |e_j| <= k*u*(|A|*|B|)_ij. The signs are
// independent of e. So |e*x| is at most min(deviations, sqrt(n)) times the 2-norm of e, by
// Hoeffding's and the Cauchy-Schwarz inequality. That norm is at most k*u times the sum over l of
// |a_il| times the 2-norm of row l of B. The bound that holds with certainty, k*u*|A|*|B|*|x|, is
// sqrt(n)/deviations times as large.
//
// In float64 the check finds every wrong element that matters. In float32, with factors from [-1,
// 1), it finds one lost element (0 in its place) up to n = 700, sixteen lost elements of a row up
// to n = 2048, and a lost page up to n = 4096 and beyond. The bound must allow for the worst
// case, so it grows by a factor of k*sqrt(n) faster than such a product.
//
// The products with x are computed in float64 with errors of at most (k + 2n)*u64*|A|*|B|*|x|;
// another k is added as a reserve.
func (p *scaled[T]) freivalds(seed uint64) float64 {
	signs := randomSigns(p.n, seed)
	y, norm1, norm2 := p.probeB(signs)
	unit, _, _ := precision[T]()
	rounding := min(deviations, math.Sqrt(float64(p.n))) * float64(p.k+2) * unit
	evaluation := 2 * float64(p.k+p.n+2) * unit64
	value := 0.0
	for i := range p.m {
		var r [probes]float64
		bound := 0.0
		for l := range p.k {
			v := p.elemA(i, l)
			bound += math.Abs(v) * (rounding*norm2[l] + evaluation*norm1[l])
			for t, x := range &y[l] {
				r[t] += float64(v * x)
			}
		}
		var s [probes]float64
		for j := range p.n {
			v := p.elemC(i, j)
			bound += p.underflow(i, j)
			for t, x := range &signs[j] {
				s[t] += float64(v * x)
			}
		}
		for t := range r {
			value = worse(value, math.Abs(s[t]-r[t])/bound)
		}
	}
	return value
}

// randomSigns returns n random signs per probe.
func randomSigns(n int, seed uint64) [][probes]float64 {
	random := rand.New(rand.NewPCG(seed, 2)) // streams 0 and 1 generate A and B
	signs := make([][probes]float64, n)
	for j := range signs {
		bits := random.Uint64()
		for t := range signs[j] {
			signs[j][t] = float64(int(bits>>t&1)*2 - 1)
		}
	}
	return signs
}

// probeB returns B*x for each probe, and the 1-norm and the 2-norm of each row of B.
func (p *scaled[T]) probeB(signs [][probes]float64) (y [][probes]float64, norm1, norm2 []float64) {
	y, norm1, norm2 = make([][probes]float64, p.k), make([]float64, p.k), make([]float64, p.k)
	for l := range p.k {
		for j := range p.n {
			v := p.elemB(l, j)
			norm1[l] += math.Abs(v)
			norm2[l] += v * v
			for t, x := range &signs[j] {
				y[l][t] += float64(v * x)
			}
		}
		norm2[l] = math.Sqrt(norm2[l])
	}
	return y, norm1, norm2
}
