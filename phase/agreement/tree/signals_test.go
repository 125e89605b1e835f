package tree

import "testing"

func FuzzSignals(f *testing.F) {
	f.Add(signal{lag: 7, bytes: 448}.encode(1<<24-1), uint64(1<<24-1), 448)
	f.Add(signal{follows: true}.encode(5), uint64(5), 0)
	f.Add(signal{bytes: 77}.encode(5), uint64(5), 448)
	f.Fuzz(func(t *testing.T, word, phase uint64, n int) {
		n = int(uint16(n))
		s, there, err := decodeSignal(word, phase, n)
		kinds := 0 // a bundle follows, it is in the line, or the signal is a mark
		for _, is := range []bool{s.follows, !s.follows && s.lag == 0 && s.bytes > 0, s.lag > 0} {
			if is {
				kinds++
			}
		}
		if there && (err != nil || s.encode(phase) != word || s.bytes > n || kinds != 1) {
			t.Fatalf("word %x is decoded as signal %+v of up to %d bytes, error %v", word, s, n, err)
		}
	})
}
