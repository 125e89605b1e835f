package ft

import (
	"math"
	"math/bits"
)

// fft computes discrete Fourier transforms of n numbers by Stockham's method; n is a power of 2
// and at least 8. Passes have radix 4; if n is no power of 4, one more pass has radix 2. Results
// are not scaled.
type fft struct {
	n     int
	roots []complex128 // exp(sign 2 pi i k / n)
	sign  float64      // +1 or -1
}

func newFFT(n int, sign float64) *fft {
	f := &fft{n, make([]complex128, n), sign}
	for k := range f.roots {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
		f.roots[k] = complex(cos, sign*sin)
	}
	return f
}

// lines transforms count interleaved lines: number k of line q is at k*count+q. It leaves src
// unchanged and writes the result to dst; scratch is a third slice of the same length.
func (f *fft) lines(dst, src, scratch []complex128, count int) {
	if passes := bits.Len(uint(f.n)) / 2; passes%2 == 0 {
		dst, scratch = scratch, dst // so that the last pass writes to dst
	}
	n, s := f.n, count
	for ; n > 4; n, s = n/4, s*4 {
		if s == 1 {
			f.single(dst, src)
		} else {
			f.pass(dst, src, n, s)
		}
		src, dst, scratch = dst, scratch, dst
	}
	if n == 4 {
		f.last4(dst, src, s)
	} else {
		last2(dst, src, s)
	}
}

// addTurned returns a + ib, and subTurned a - ib.
func addTurned(a, b complex128) complex128 { return complex(real(a)-imag(b), imag(a)+real(b)) }
func subTurned(a, b complex128) complex128 { return complex(real(a)+imag(b), imag(a)-real(b)) }

// quarters returns the first count numbers of each quarter of a sequence; apart is the distance
// from one quarter to the next. If the sign is -1, quarters swaps the second and the fourth
// quarter, so that one formula serves both signs.
func (f *fft) quarters(from []complex128, apart, count int) (a, b, c, d []complex128) {
	second, fourth := apart, 3*apart
	if f.sign < 0 {
		second, fourth = fourth, second
	}
	return from[:count], from[second:][:count], from[2*apart:][:count], from[fourth:][:count]
}

// pass turns s sequences of n numbers into 4s sequences of n/4.
func (f *fft) pass(to, from []complex128, n, s int) {
	m, step := n/4, f.n/n
	for p := range m {
		w1, w2, w3 := f.roots[p*step], f.roots[2*p*step], f.roots[3*p*step]
		a, b, c, d := f.quarters(from[p*s:], m*s, s)
		t0, t1, t2, t3 := to[4*p*s:][:s], to[(4*p+1)*s:][:s], to[(4*p+2)*s:][:s], to[(4*p+3)*s:][:s]
		for q := range s {
			ac, bd, aMinusC, bMinusD := a[q]+c[q], b[q]+d[q], a[q]-c[q], b[q]-d[q]
			t0[q] = ac + bd // one product at a time, so that all values fit into registers
			t2[q] = w2 * (ac - bd)
			t1[q] = w1 * addTurned(aMinusC, bMinusD)
			t3[q] = w3 * subTurned(aMinusC, bMinusD)
		}
	}
}

// single is the first pass over one line.
func (f *fft) single(to, from []complex128) {
	m := f.n / 4
	a, b, c, d := f.quarters(from, m, m)
	for p := range m {
		ac, bd, aMinusC, bMinusD := a[p]+c[p], b[p]+d[p], a[p]-c[p], b[p]-d[p]
		t := to[4*p:][:4]
		t[0] = ac + bd
		t[2] = f.roots[2*p] * (ac - bd)
		t[1] = f.roots[p] * addTurned(aMinusC, bMinusD)
		t[3] = f.roots[3*p] * subTurned(aMinusC, bMinusD)
	}
}

// last4 and last2 are the last passes over s sequences of 4 and 2 numbers. All their roots are 1.
func (f *fft) last4(to, from []complex128, s int) {
	a, b, c, d := f.quarters(from, s, s)
	t0, t1, t2, t3 := to[:s], to[s:][:s], to[2*s:][:s], to[3*s:][:s]
	for q := range s {
		ac, bd, aMinusC, bMinusD := a[q]+c[q], b[q]+d[q], a[q]-c[q], b[q]-d[q]
		t0[q] = ac + bd
		t2[q] = ac - bd
		t1[q] = addTurned(aMinusC, bMinusD)
		t3[q] = subTurned(aMinusC, bMinusD)
	}
}

func last2(to, from []complex128, s int) {
	a, b, t0, t1 := from[:s], from[s:][:s], to[:s], to[s:][:s]
	for q := range s {
		t0[q], t1[q] = a[q]+b[q], a[q]-b[q]
	}
}

// batch is the number of columns transformed together: whole cache lines that stay in the cache.
const batch = 16

// columns transforms nx lines: number k of each line lies in row from(k), and its result in row
// to(k), perhaps the same row. Each slice of work holds a batch of lines.
func (f *fft) columns(to, from func(k int) []complex128, nx int, work *[3][]complex128) {
	in, out, scratch := work[0][:f.n*batch], work[1][:f.n*batch], work[2][:f.n*batch]
	for x := 0; x < nx; x += batch {
		for k := range f.n {
			copy(in[k*batch:][:batch], from(k)[x:])
		}
		f.lines(out, in, scratch, batch)
		for k := range f.n {
			copy(to(k)[x:], out[k*batch:][:batch])
		}
	}
}
