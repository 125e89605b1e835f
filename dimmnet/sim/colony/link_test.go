package colony

import "testing"

// TestBlocks checks the thesis's estimate for blocks of 32 bytes.
func TestBlocks(t *testing.T) {
	if burst, twice := 7*partClocks, 7*partClocks*Twice.copies(); burst != 56 || twice != 112 {
		t.Errorf("seven more words take %d and %d clocks, want 56 and 112", burst, twice)
	}
}

// TestArrivals drops every possible set of copies. A packet must arrive if and only if one copy of
// each part does, at the time when every part has arrived.
func TestArrivals(t *testing.T) {
	for _, l := range links() {
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
				t.Errorf("link %v, lost %06b: arrives after %d clocks, want %d", l, lost, flights[lost], want)
			}
		}
		for part := range parts {
			if flights[l.lose(part)] != 0 {
				t.Errorf("link %v: a packet arrives without part %d", l, part)
			}
		}
	}
}

// TestT: a smaller T would take copies for parts, and a larger T would take parts for copies.
func TestT(t *testing.T) {
	ends := Twice.ends()
	least, most := ends[1]-ends[0], ends[2]-ends[1]
	if ignoreClocks < least || ignoreClocks >= most {
		t.Errorf("T is %d: want at least %d (the copy follows its part) and less than %d (the next part follows)", ignoreClocks, least, most)
	}
}
