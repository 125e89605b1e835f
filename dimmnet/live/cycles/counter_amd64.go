package cycles

// counter returns the time stamp counter.
func counter() uint64

func cpuid(leaf uint32) (eax, edx uint32)

// steady reports whether the counter runs at one rate and never stops (AMD64 Architecture
// Programmer's Manual, volume 3, CPUID Fn8000_0007: TscInvariant; Intel's manual has the same).
func steady() bool {
	const most, power, invariant = 0x8000_0000, 0x8000_0007, 1 << 8
	if last, _ := cpuid(most); last < power {
		return false
	}
	_, edx := cpuid(power)
	return edx&invariant != 0
}
