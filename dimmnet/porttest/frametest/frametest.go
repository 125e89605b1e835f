package frametest

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// mostBits is the number of bits of a byte that differ unless tests are thorough.
const mostBits = 2

// Every yields every proper prefix of frame, and every frame that differs from it in one byte, in
// at most mostBits of its bits unless tests are thorough. A yielded frame is valid until the next
// one.
func Every(frame []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for n := range frame {
			if !yield(slices.Clone(frame[:n])) {
				return
			}
		}
		damaged := slices.Clone(frame)
		for i, good := range frame {
			for flip := 1; flip < 256; flip++ {
				if bits.OnesCount(uint(flip)) > longtest.Cases(8, mostBits) {
					continue
				}
				damaged[i] = good ^ byte(flip)
				if !yield(damaged) {
					return
				}
			}
			damaged[i] = good
		}
	}
}
