package fagus_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
)

// TestShortBarrierComparesDeclarations has a rank declare an array that the other does not, and
// phases after that: the Barrier fails though its requests are equal and no list goes with them.
func TestShortBarrierComparesDeclarations(t *testing.T) {
	for name, net := range liveNetworks() {
		cfg := fagus.Config{Nodes: 2, Net: net()}
		_, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
			if n.Rank() == 0 {
				if _, err := fagus.NewArray[byte](n, "x", 1); err != nil {
					return err
				}
			}
			none := n.Set()
			for range 3 {
				if err := none.Do(func() {}); err != nil {
					return err
				}
			}
			return n.Barrier()
		})
		if text := fmt.Sprint(err); !strings.Contains(text, "arrays and bindings") {
			t.Errorf("%s: %s, want the numbers of arrays and bindings", name, text)
		}
	}
}
