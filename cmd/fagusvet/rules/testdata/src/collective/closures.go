package collective

import "github.com/fagus-dsm/fagus/fagus"

func capturedRank(n *fagus.Node) error {
	rank := n.Rank()
	show := func() int { return rank }
	show()
	if rank == 0 {
		return n.Barrier() // want `collective: Barrier depends on the rank`
	}
	return nil
}

func computed(n *fagus.Node, rounds int) error {
	for range min(rounds, int(int64(n.Rank()))) {
		if err := n.Update(); err != nil { // want `collective: Update depends on the rank`
			return err
		}
	}
	return nil
}

func negated(n *fagus.Node) error {
	first := n.Rank() == 0
	other := !first
	if x := other; x {
		return n.Barrier() // want `collective: Barrier depends on the rank`
	}
	return nil
}

func byCall(n *fagus.Node) error {
	for range roundsOf(n.Rank()) {
		if err := n.Barrier(); err != nil { // want `collective: Barrier depends on the rank`
			return err
		}
	}
	return nil
}

func roundsOf(rank int) int { return 3 + rank/2 }

// Every rank goes both ways in the end, in another order: Barrier, Update.
func sameInTheEnd(n *fagus.Node, twice bool) error {
	if n.Rank() == 0 {
		if err := n.Barrier(); err != nil {
			return err
		}
		return n.Update()
	}
	if err := n.Barrier(); err != nil {
		return err
	}
	return n.Update()
}
