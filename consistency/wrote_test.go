package consistency

import "testing"

// TestWroteAgain declares the same ranges repeatedly, in any order. They must take no more memory
// than if declared once.
func TestWroteAgain(t *testing.T) {
	const words = 3000
	s := NewSpace()
	base, err := s.AddRegion("a", "[]uint64", 1, make([]byte, 8*words))
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.Bind("a", []Range{{Lo: base, Hi: base + 8*words}})
	if err != nil {
		t.Fatal(err)
	}
	s.BeginWrite(id, []Range{})
	for range 40 {
		for i := 0; i < words; i += 2 {
			at := base + 8*Addr(i*7%words)
			s.Wrote(id, Range{Lo: at, Hi: at + 8})
		}
	}
	if n := len(s.copyOf(id).added); n > 3*words {
		t.Errorf("%d ranges are stored for %d words", n, words)
	}
	if !s.EndWrite(id, 1) || len(s.Newer(id, 0)) == 0 {
		t.Error("no change was found")
	}
}
