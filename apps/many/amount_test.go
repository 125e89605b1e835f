package many

import (
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
)

func TestTriangle(t *testing.T) {
	for n := range 100 {
		if got, want := triangle(uint64(n)), addUp(0, 0, n); got != want {
			t.Errorf("triangle(%d) is %d, want %d", n, got, want)
		}
	}
}

// TestVerifyCountsWrongElements verifies without any rounds. All elements are wrong, except one
// that the test sets.
func TestVerifyCountsWrongElements(t *testing.T) {
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		s := shared{Config: Config{Variables: 2, Bytes: 40, Rounds: 3}, node: n}
		if err := s.declare(); err != nil {
			return err
		}
		s.elements.Slice()[6] = 7 * (1 + 2 + 3) // the tickets of rank 0 in three rounds
		if wrong := s.verify(); wrong != 9 {
			t.Errorf("%d of 10 elements are wrong, want 9", wrong)
		}
		return n.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}
