package barnes

import (
	"cmp"
	"slices"
)

// keyed is a body and its position on Morton's curve: the interleaved bits of its coordinates.
type keyed struct {
	key  uint64
	body int32
}

const keyBits = 21

// keysOf fills keys with the sorted keys of all bodies, and returns the side of the smallest cube
// that contains the bodies. Bodies with equal keys stay in order.
func keysOf(at []vec, keys []keyed) (side float64) {
	low, high := at[0], at[0]
	for _, p := range at {
		low = vec{min(low.x, p.x), min(low.y, p.y), min(low.z, p.z)}
		high = vec{max(high.x, p.x), max(high.y, p.y), max(high.z, p.z)}
	}
	side = max(high.x-low.x, high.y-low.y, high.z-low.z)
	const cells = 1 << keyBits
	per := cells / side
	bits := func(x float64) uint64 { return spread(min(uint64(x*per), cells-1)) }
	for i, p := range at {
		keys[i] = keyed{bits(p.x-low.x)<<2 | bits(p.y-low.y)<<1 | bits(p.z-low.z), int32(i)}
	}
	slices.SortFunc(keys, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.body, b.body))
	})
	return side
}

// spread inserts two zeros before every bit of x, which has keyBits bits.
func spread(x uint64) uint64 {
	x = (x | x<<32) & 0x1f00000000ffff
	x = (x | x<<16) & 0x1f0000ff0000ff
	x = (x | x<<8) & 0x100f00f00f00f00f
	x = (x | x<<4) & 0x10c30c30c30c30c3
	return (x | x<<2) & 0x1249249249249249
}

// zones divides the ordered bodies among ranks, so that each rank has about the same work, and at
// least one body. Rank r has the bodies bounds[r] to bounds[r+1]-1. (The method is costzones: J. P.
// Singh et al., J. Parallel Distrib. Comput. 27 (1995) 118.)
func zones(work []int64, ranks int) (bounds []int) {
	total := int64(0)
	for _, w := range work {
		total += w
	}
	bounds = append(bounds, 0)
	i, done := 0, int64(0)
	for r := 1; r < ranks; r++ {
		for i < len(work) && done*int64(ranks) < total*int64(r) {
			done += work[i]
			i++
		}
		bounds = append(bounds, min(max(i, bounds[r-1]+1), len(work)-(ranks-r)))
	}
	return append(bounds, len(work))
}
