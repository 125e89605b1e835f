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
	return number(uint64(*r))
}

// Fill sets the elements of x to the next numbers, as calls of Next do. It takes less time, because
// four numbers are computed at once: none of them waits for the others.
func (r *Random) Fill(x []float64) {
	const power4 = multiplier * multiplier & mask * multiplier & mask * multiplier & mask
	a := uint64(*r) * multiplier & mask
	b := a * multiplier & mask
	c := b * multiplier & mask
	d := c * multiplier & mask
	for ; len(x) >= 4; x = x[4:] {
		x[0], x[1], x[2], x[3] = number(a), number(b), number(c), number(d)
		*r = Random(d)
		a, b, c, d = a*power4&mask, b*power4&mask, c*power4&mask, d*power4&mask
	}
	for i := range x {
		x[i] = r.Next()
	}
}

// number returns the number of a state, which is below 2^63: so its conversion is one instruction.
func number(state uint64) float64 { return float64(int64(state)) * (1.0 / (1 << modulus)) }

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
