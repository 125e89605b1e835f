package source

// Depth is the number of frames that Key looks at.
const Depth = 16

// Key returns a number that tells the stacks of the program's calls apart: where it has been seen
// before, Here gives the line that it gave then.
func Key() uint64 {
	var pcs [Depth]uintptr
	frames(&pcs)
	const prime = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	// Two polynomials at once: a processor begins a multiplication before another one ends.
	even, odd := uint64(0), uint64(1)
	for i := 0; i < Depth; i += 2 {
		even = even*prime + uint64(pcs[i])
		odd = odd*prime + uint64(pcs[i+1])
	}
	return (even^even>>32)*prime + odd
}
