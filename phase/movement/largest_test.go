package movement

import (
	"testing"

	"github.com/fagus-dsm/fagus/ringbuf"
)

// TestLargestWords: grants and notices with the largest values arrive unchanged.
func TestLargestWords(t *testing.T) {
	memory := span{lo: 64, n: 1<<32 - 128}
	for phase := uint64(0); phase < 3; phase++ {
		for message := range 2 * messageMax {
			tag := tag(phase+ringbuf.PhaseMask-1, message)
			for _, g := range []grant{{offset: 64}, {offset: 1<<32 - 72, standing: true}} {
				if got, ok, err := decodeGrant(g.encode(tag), tag, 8, memory); !ok || err != nil || got != g {
					t.Errorf("%+v arrives as %+v, %t, %v", g, got, ok, err)
				}
			}
			for _, n := range []notice{{}, {bytes: 1<<32 - 8, ends: true, last: true}, {bytes: 8, ends: true}} {
				if got, ok := decodeNotice(n.encode(tag), tag); !ok || got != n {
					t.Errorf("%+v arrives as %+v, %t", n, got, ok)
				}
			}
		}
	}
	if tag(5, 0) != tag(5, messageMax) || tag(5, 0) == tag(5, messageMax-1) || tag(5, 0) == 0 {
		t.Errorf("tags of messages 0, %d and %d: %x, %x, %x", messageMax-1, messageMax, tag(5, 0), tag(5, messageMax-1), tag(5, messageMax))
	}
}
