package source

// Depth is the number of frames that Key looks at.
const Depth = 16

// Key returns a number that tells the stacks of the program's calls apart: where it has been seen
// before, Here gives the line that it gave then.
func Key() uint64 {
	var pcs [Depth]uintptr
	frames(&pcs)
	const prime = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	key := uint64(0)
	for _, pc := range pcs {
		key = (key ^ uint64(pc)) * prime
		key ^= key >> 32
	}
	return key
}
