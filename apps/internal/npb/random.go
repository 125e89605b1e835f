package npb

// Random is the state of NPB's pseudorandom number generator: x' = 5^13 x mod 2^46.
type Random uint64

const (
	multiplier = 1220703125 // 5^13
	modulus    = 46         // the modulus is 2^46
	mask       = 1<<modulus - 1
)

// Next returns the next number, between 0 and 1. Neither the state nor the number is rounded.
func (r *Random) Next() float64 {
	*r = *r * multiplier & mask
	return float64(*r) * (1.0 / (1 << modulus))
}

// Skip returns the state after n calls of Next. It takes about 2 log2 n multiplications.
func (r Random) Skip(n uint64) Random {
	for factor := uint64(multiplier); n > 0; n >>= 1 {
		if n&1 == 1 {
			r = Random(uint64(r) * factor & mask)
		}
		factor = factor * factor & mask
	}
	return r
}
