package npb

// Random is NPB's generator of pseudorandom numbers: x' = 5^13 x mod 2^46.
type Random uint64

const (
	multiplier = 1220703125 // 5^13
	modulus    = 46         // as a power of 2
	mask       = 1<<modulus - 1
)

// Next is the next number, between 0 and 1. Both the state and what is returned are exact.
func (r *Random) Next() float64 {
	*r = *r * multiplier & mask
	return float64(*r) * (1.0 / (1 << modulus))
}

// Skip is the generator n numbers later, in about 2 log n steps.
func (r Random) Skip(n uint64) Random {
	for factor := uint64(multiplier); n > 0; n >>= 1 {
		if n&1 == 1 {
			r = Random(uint64(r) * factor & mask)
		}
		factor = factor * factor & mask
	}
	return r
}
