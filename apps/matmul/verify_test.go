package matmul

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// inputs describes how to fill the factors: functions of a random number generator and an
// element's position.
type inputs struct {
	name string
	a, b func(r *rand.Rand, row, col int) float64
}

func same(name string, f func(r *rand.Rand, row, col int) float64) inputs { return inputs{name, f, f} }

func uniform(r *rand.Rand, _, _ int) float64 { return 2*r.Float64() - 1 }

func allInputs(exponent float64) []inputs {
	scaledBy := func(f func(row, col int) float64) func(*rand.Rand, int, int) float64 {
		return func(r *rand.Rand, row, col int) float64 {
			return uniform(r, row, col) * math.Exp2(exponent*f(row, col))
		}
	}
	byRow := scaledBy(func(row, _ int) float64 { return math.Sin(float64(row)) })
	byCol := scaledBy(func(_, col int) float64 { return math.Cos(float64(col)) })
	huge, tiny := scaledBy(func(_, _ int) float64 { return 1 }), scaledBy(func(_, _ int) float64 { return -1 })
	return []inputs{
		same("mixed signs", uniform),
		same("positive", func(r *rand.Rand, _, _ int) float64 { return r.Float64() }),
		// Equal terms are rounded equally as long as the sum keeps its exponent, so errors add
		// up.
		same("constant", func(*rand.Rand, int, int) float64 { return 0.1 }),
		same("integers", func(r *rand.Rand, _, _ int) float64 { return float64(r.IntN(9) - 4) }),
		same("sparse", func(r *rand.Rand, _, _ int) float64 { return uniform(r, 0, 0) * float64(r.IntN(20)/19) }),
		same("zero", func(*rand.Rand, int, int) float64 { return 0 }),
		same("huge", huge),
		same("tiny", tiny),
		{"huge and tiny", huge, tiny},
		{"tiny and huge", tiny, huge},
		{"uneven rows and columns", byRow, byCol},
		{"uneven columns and rows", byCol, byRow},
	}
}

func fill[T Float](r *rand.Rand, rows, cols int, f func(*rand.Rand, int, int) float64) []T {
	x := make([]T, rows*cols)
	for i := range x {
		x[i] = T(f(r, i/max(cols, 1), i%max(cols, 1)))
	}
	return x
}

// testProduct returns random factors and their product by multiply.
func testProduct[T Float](in inputs, m, k, n int) (c, a, b []T) {
	r := rand.New(rand.NewPCG(uint64(m), uint64(k+n)))
	a, b, c = fill[T](r, m, k, in.a), fill[T](r, k, n, in.b), make([]T, m*n)
	multiply(c, a, b, k, n, firstRows(m))
	return c, a, b
}

func firstRows(m int) []int {
	rows := make([]int, m)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// bothChecks runs both checks, whatever the size.
func bothChecks[T Float](t *testing.T, c, a, b []T, m, k, n int) map[string]float64 {
	t.Helper()
	p, err := scale(c, a, b, m, k, n)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]float64{"max-error": p.maxError(), "freivalds": p.freivalds(1)}
}

func TestVerifyAccepts(t *testing.T) {
	t.Run("float64", func(t *testing.T) { verifyAccepts[float64](t, 500) })
	t.Run("float32", func(t *testing.T) { verifyAccepts[float32](t, 60) })
}

func verifyAccepts[T Float](t *testing.T, exponent float64) {
	shapes := [][3]int{{1, 1, 1}, {1, 2, 3}, {5, 1, 9}, {2, 1000, 2}, {60, 70, 80}, {1, 3, 2000}, {3, 0, 2}}
	for _, in := range allInputs(exponent) {
		for _, s := range shapes {
			m, k, n := s[0], s[1], s[2]
			c, a, b := testProduct[T](in, m, k, n)
			for name, v := range bothChecks(t, c, a, b, m, k, n) {
				if !(v <= 1) {
					t.Errorf("%s: %s, %d x %d times %d x %d: correct product has error %v, want at most 1", name, in.name, m, k, k, n, v)
				}
			}
			check, err := verify(c, a, b, m, k, n, 1)
			if err != nil || !check.OK() || check.Name != "max-error/plain" {
				t.Errorf("%s, %d x %d times %d x %d: check %+v, error %v: want a pass by the plain product", in.name, m, k, k, n, check, err)
			}
		}
	}
}

// TestVerifyRejects damages a product as a lost message would.
func TestVerifyRejects(t *testing.T) {
	t.Run("float64", verifyRejects[float64])
	t.Run("float32", verifyRejects[float32])
}

func verifyRejects[T Float](t *testing.T) {
	const m, k, n = 90, 100, 110
	row := func(c []T, i int) []T { return c[i*n : (i+1)*n] }
	_, _, huge := precision[T]()
	type damage struct {
		name string
		do   func(c []T)
	}
	anyScale := []damage{
		{"element 0", func(c []T) { c[7*n+8] = 0 }},
		{"sign", func(c []T) { c[0] = -c[0] }},
		{"zeroed row", func(c []T) { clear(row(c, 40)) }},
		{"half a row", func(c []T) { clear(row(c, 41)[n/2:]) }},
		{"everything 0", func(c []T) { clear(c) }},
		{"row duplicated", func(c []T) { copy(row(c, 3), row(c, 4)) }},
		{"rows swapped", func(c []T) {
			old := append([]T{}, row(c, 1)...)
			copy(row(c, 1), row(c, 2))
			copy(row(c, 2), old)
		}},
		{"largest number", func(c []T) { c[9] = T(huge) }},
		{"infinity", func(c []T) { c[9] = T(math.Inf(1)) }},
		{"NaN", func(c []T) { c[m*n-1] = T(math.NaN()) }},
	}
	nearOne := append([]damage{
		{"missing term", func(c []T) { c[5*n] -= 0.25 }},
		{"last element", func(c []T) { c[m*n-1]++ }},
		{"neighbours swapped", func(c []T) { c[20], c[21] = c[21], c[20] }},
		{"errors that cancel", func(c []T) { c[60*n] += 3; c[60*n+1] -= 3 }},
	}, anyScale...)
	for _, in := range allInputs(30) {
		damages := anyScale
		switch in.name {
		case "constant", "zero", "integers", "sparse":
			continue // the damage may change nothing, if rows are equal or elements 0
		case "mixed signs", "positive":
			damages = nearOne
		}
		for _, d := range damages {
			c, a, b := testProduct[T](in, m, k, n)
			d.do(c)
			for check, v := range bothChecks(t, c, a, b, m, k, n) {
				if v <= 1 {
					t.Errorf("%s: %s, %s: passes with %v", check, in.name, d.name, v)
				}
			}
		}
	}
}

func TestVerifyZeroProduct(t *testing.T) {
	c, a, b := make([]float32, 6), make([]float32, 8), make([]float32, 12)
	c[5] = 1e-30
	for name, v := range bothChecks(t, c, a, b, 2, 4, 3) {
		if v <= 1 {
			t.Errorf("%s: 1e-30 instead of 0 passes with %v", name, v)
		}
	}
}

// TestVerifyLarge verifies products that are large enough for Freivalds' check in float64.
func TestVerifyLarge(t *testing.T) {
	t.Run("float64", func(t *testing.T) { verifyLarge[float64](t, "freivalds") })
	t.Run("float32", func(t *testing.T) { verifyLarge[float32](t, "max-error/plain") })
}

func verifyLarge[T Float](t *testing.T, name string) {
	const n = 520
	c, a, b := testProduct[T](same("", uniform), n, n, n)
	expect := func(damage string, ok bool) {
		t.Helper()
		check, err := verify(c, a, b, n, n, n, 3)
		if err != nil || check.OK() != ok || check.Name != name {
			t.Errorf("%s: check %+v, error %v: want OK %v", damage, check, err, ok)
		}
	}
	expect("correct", true)
	for _, at := range []int{0, 1000, n*n - 1} {
		old := c[at]
		c[at] = 0
		expect(fmt.Sprintf("0 instead of %v", old), false)
		c[at] = T(math.NaN())
		expect("NaN", false)
		c[at] = old
	}
	clear(c[3*n : 4*n])
	expect("zeroed row", false)
}

func TestVerifyNotFinite(t *testing.T) {
	t.Run("float64", verifyNotFinite[float64])
	t.Run("float32", verifyNotFinite[float32])
}

func verifyNotFinite[T Float](t *testing.T) {
	nan, inf := T(math.NaN()), T(math.Inf(-1))
	_, _, huge := precision[T]()
	big := T(math.Sqrt(huge))
	name := fmt.Sprintf("%T", big)
	for _, c := range []struct {
		c, a, b []T
		want    string // an error; empty: the check fails
	}{
		{[]T{3, nan}, []T{1}, []T{3, 4}, ""},
		{[]T{3, inf}, []T{1}, []T{3, 4}, ""},
		{[]T{3, 4}, []T{nan}, []T{3, 4}, "matmul: verify: A[0,0] is NaN: want a finite number"},
		{[]T{3, 4}, []T{1}, []T{3, inf}, "matmul: verify: B[0,1] is -Inf: want a finite number"},
		{[]T{-inf, 1}, []T{2 * big}, []T{big, 1 / (2 * big)}, "matmul: verify: C[0,0] is +Inf: its terms exceed the range of " + name},
		{[]T{0, inf}, []T{2 * big}, []T{big, 1}, ""},
		{[]T{0, 0}, []T{1, 2, 3}, []T{1, 2}, "matmul: verify: 1 x 1 times 1 x 2: A, B and C have 3, 2 and 2 elements"},
	} {
		check, err := verify(c.c, c.a, c.b, 1, 1, 2, 1)
		if c.want != "" {
			if err == nil || err.Error() != c.want {
				t.Errorf("error %v\nwant  %s", err, c.want)
			}
			continue
		}
		if err != nil || check.OK() {
			t.Errorf("C %v: check %+v, error %v: want a failed check", c.c, check, err)
		}
		if _, err := json.Marshal(check); err != nil {
			t.Error(err)
		}
	}
}

func TestVerifyNothing(t *testing.T) {
	for _, s := range [][3]int{{0, 0, 0}, {0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {3, 0, 0}} {
		m, k, n := s[0], s[1], s[2]
		check, err := verify(make([]float64, m*n), make([]float64, m*k), make([]float64, k*n), m, k, n, 1)
		if err != nil || !check.OK() || check.Value != 0 {
			t.Errorf("%v: check %+v, error %v: want a pass with value 0", s, check, err)
		}
	}
	if _, err := verify[float64](nil, nil, nil, -1, 0, 0, 1); err == nil {
		t.Error("-1 rows: no error")
	}
}

func TestCheckOK(t *testing.T) {
	for value, want := range map[float64]bool{0: true, 1: true, 1.0001: false, math.Inf(1): false} {
		if (Check{Value: value, Limit: 1}).OK() != want {
			t.Errorf("value %v: OK is not %v", value, want)
		}
	}
	if (Check{Value: math.NaN(), Limit: 1}).OK() {
		t.Error("a value of NaN passes")
	}
}

// TestVerifyReference: the product with which verify compares is that of gonum.
func TestVerifyReference(t *testing.T) {
	const m, k, n = 7, 40, 9
	random := rand.New(rand.NewPCG(1, 1))
	a, b, want := make([]float64, m*k), make([]float64, k*n), make([]float64, m*n)
	for i := range a {
		a[i] = random.Float64() - 0.5
	}
	for i := range b {
		b[i] = random.Float64() - 0.5
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, blas64.General{Rows: m, Cols: k, Stride: k, Data: a}, blas64.General{Rows: k, Cols: n, Stride: n, Data: b},
		0, blas64.General{Rows: m, Cols: n, Stride: n, Data: want})
	for i, v := range plainProduct(a, b, m, k, n) {
		if math.Abs(v-want[i]) > k*0x1p-53 {
			t.Errorf("element %d is %v, want %v", i, v, want[i])
		}
	}
}
