package frametest

import (
	"iter"
	"slices"
)

// Every yields every proper prefix of frame, and every frame that differs from it in one byte.
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
				if damaged[i] = byte(v); damaged[i] == good {
					continue
				}
				if !yield(damaged) {
					return
				}
			}
			damaged[i] = good
		}
	}
}
