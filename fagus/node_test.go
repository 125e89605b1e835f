package fagus

import (
	"context"
	"strings"
	"testing"
)

// TestOneGoroutine calls a Node while a call of it seems to be under way.
func TestOneGoroutine(t *testing.T) {
	_, err := Run(context.Background(), Config{Nodes: 1}, func(n *Node) error {
		n.inCall.Store(true)
		err := n.Barrier()
		n.inCall.Store(false)
		if err == nil || !strings.Contains(err.Error(), "Barrier during another call") {
			t.Errorf("error %v", err)
		}
		return n.Barrier() // nothing is left behind
	})
	if err != nil {
		t.Error(err)
	}
}
