package many

import (
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
)

func TestTriangle(t *testing.T) {
	for n := range 100 {
		if got, want := triangle(uint64(n)), addUp(0, 0, n); got != want {
			t.Errorf("triangle(%d) is %d, added up %d", n, got, want)
		}
	}
}

// TestVerifyCountsWrongElements verifies after no round at all: every element is
// wrong but those that happen to be right, one that is put right by hand among them.
func TestVerifyCountsWrongElements(t *testing.T) {
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		s := shared{Config: Config{Variables: 2, Bytes: 40, Rounds: 3}, node: n}
		if err := s.declare(); err != nil {
			return err
		}
		s.elements.Slice()[6] = 7 * (1 + 2 + 3) // the tickets of rank 0 of one
		wrong, err := s.verify()
		if wrong != 9 {
			t.Errorf("%d elements are wrong of 10, one of them is right", wrong)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
