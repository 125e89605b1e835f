package parts

import (
	"math"
	"math/big"
)

// Exact is a sum of float64 numbers without rounding errors. It depends neither on the order
// of the numbers nor on how they are divided among ranks. The zero Exact is 0.
//
// It is a fixed-point number of 68 limbs of 32 bits, each stored in 64 bits so that carries
// can be delayed (Kulisch's long accumulator). Adding a number takes about 5 ns.
type Exact struct {
	limbs [exactLimbs]int64 // limb i is in units of 2^(32i-1074)
	adds  int               // number of additions since the last carry
	odd   [3]int64          // how often +Inf, -Inf and NaN were added
}

const (
	limbBits   = 32
	exactLimbs = 68 // bit 2097 is the highest of a float64, bit 2161 of a sum of 2^64 float64s
	lowestBit  = -1074
	mostAdds   = 1 << 30 // number of additions before a limb may overflow
)

// Add adds x to the sum.
func (e *Exact) Add(x float64) {
	bits := math.Float64bits(x)
	exponent, mantissa := int(bits>>52&0x7ff), bits&(1<<52-1)
	switch exponent {
	case 0x7ff:
		e.addOdd(x)
		return
	case 0:
		exponent = 1 // subnormal
	default:
		mantissa |= 1 << 52
	}
	at := exponent - 1 // position of the mantissa's lowest bit, relative to lowestBit
	limb, shift := at/limbBits, at%limbBits
	low, high := mantissa<<shift, mantissa>>(64-shift)
	parts := [3]int64{int64(low & (1<<limbBits - 1)), int64(low >> limbBits), int64(high)}
	if bits>>63 != 0 {
		parts = [3]int64{-parts[0], -parts[1], -parts[2]}
	}
	to := e.limbs[limb : limb+3 : limb+3]
	to[0], to[1], to[2] = to[0]+parts[0], to[1]+parts[1], to[2]+parts[2]
	if e.adds++; e.adds == mostAdds {
		e.carry()
	}
}

func (e *Exact) addOdd(x float64) {
	switch {
	case math.IsInf(x, 1):
		e.odd[0]++
	case math.IsInf(x, -1):
		e.odd[1]++
	default:
		e.odd[2]++
	}
}

// AddExact adds another sum.
func (e *Exact) AddExact(other *Exact) {
	if e.adds+other.adds >= mostAdds {
		e.carry()
	}
	for i, limb := range other.limbs {
		e.limbs[i] += limb
	}
	for i, count := range other.odd {
		e.odd[i] += count
	}
	if e.adds += other.adds; e.adds >= mostAdds {
		e.carry()
	}
}

// carry propagates carries. Afterwards each limb is in [0, 2^32), except for the last, which
// has the sign.
func (e *Exact) carry() {
	for i := range exactLimbs - 1 {
		e.limbs[i+1] += e.limbs[i] >> limbBits
		e.limbs[i] &= 1<<limbBits - 1
	}
	e.adds = 1
}

// Float64 returns the sum rounded to the nearest float64, ties to even.
func (e *Exact) Float64() float64 {
	switch {
	case e.odd[2] > 0 || e.odd[0] > 0 && e.odd[1] > 0:
		return math.NaN()
	case e.odd[0] > 0:
		return math.Inf(1)
	case e.odd[1] > 0:
		return math.Inf(-1)
	}
	e.carry()
	sum := new(big.Int)
	for i := exactLimbs - 1; i >= 0; i-- {
		sum.Lsh(sum, limbBits).Add(sum, big.NewInt(e.limbs[i]))
	}
	f := new(big.Float).SetInt(sum) // exact: f has the precision of sum
	x, _ := f.SetMantExp(f, lowestBit).Float64()
	return x
}
