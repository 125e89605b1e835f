package frametest

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// Every yields every proper prefix of frame, and frames that differ from it in one byte: by one or
// two bits, or in every way if tests are thorough.
// A yielded frame is valid until the next one.
func Every(frame []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for n := range frame {
			if !yield(slices.Clone(frame[:n])) {
				return
			}
		}
		damaged := slices.Clone(frame)
		for i, good := range frame {
			for v := range 256 {
				bits := bits.OnesCount8(byte(v) ^ good)
				if bits == 0 || bits > 2 && !longtest.Thorough() {
					continue
				}
				damaged[i] = byte(v)
				if !yield(damaged) {
					return
				}
			}
			damaged[i] = good
		}
	}
}
