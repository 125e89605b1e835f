package colony

import "testing"

// TestBlocks: spec/50's estimate for blocks of 32 bytes.
func TestBlocks(t *testing.T) {
	if burst, twice := 7*partClocks, 7*partClocks*Twice.copies(); burst != 56 || twice != 112 {
		t.Errorf("seven words more: %d and %d clocks, want 56 and 112", burst, twice)
	}
}

// TestArrivals loses every set of what is sent. A packet comes exactly if a copy of
// each part does; with Twice as soon as the last of the first copies.
func TestArrivals(t *testing.T) {
	for _, l := range Links() {
		flights, ends, n := l.flights(), l.ends(), l.copies()
		if len(ends) != parts*n || l.clocks() != ends[len(ends)-1] {
			t.Fatalf("link %v: ends %v, %d clocks", l, ends, l.clocks())
		}
		for lost := range 1 << (parts * n) {
			want := 0
			for part := range parts {
				first := -1
				for c := range n {
					if i := part*n + c; first < 0 && lost>>i&1 == 0 {
						first = ends[i]
					}
				}
				if first < 0 {
					want = 0
					break
				}
				want = first
			}
			if flights[lost] != want {
				t.Errorf("link %v, lost %06b: comes after %d clocks, want %d", l, lost, flights[lost], want)
			}
		}
		for part := range parts {
			if flights[l.lose(part)] != 0 {
				t.Errorf("link %v: comes without part %d", l, part)
			}
		}
	}
}

// TestT: with any other T in the model's range the answer would be the same; outside
// of it copies would be taken for parts, or parts for copies.
func TestT(t *testing.T) {
	ends := Twice.ends()
	least, most := ends[1]-ends[0], ends[2]-ends[1]
	if ignoreClocks < least || ignoreClocks >= most {
		t.Errorf("T is %d: a copy comes %d after its part, the next part %d after a copy", ignoreClocks, least, most)
	}
}
