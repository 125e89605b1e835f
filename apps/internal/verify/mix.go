package verify

// Mix is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014), a bijection that spreads all
// bits. Programs generate input and hash results with it.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
