package collective

import "github.com/fagus-dsm/fagus/fagus"

func barrierAtOne(n *fagus.Node) error {
	if n.Rank() == 0 {
		if err := n.Barrier(); err != nil { // want `collective: Barrier depends on the rank \(line 6\): the other ranks do not make the same calls`
			return err
		}
	}
	return n.Update()
}

func different(n *fagus.Node) error {
	if n.Rank() == 0 {
		return n.Update() // want `collective: Update depends on the rank`
	}
	return n.Barrier()
}

func returnsBefore(n *fagus.Node) error {
	if n.Rank() != 0 {
		return nil
	}
	return n.Barrier() // want `collective: Barrier depends on the rank`
}

func arrayAtOne(n *fagus.Node) (a *fagus.Array[int64], err error) {
	root := n.Rank() == 0
	if root {
		a, err = fagus.NewArray[int64](n, "a", 10) // want `collective: NewArray depends on the rank`
	}
	return a, err
}

func bindInSwitch(n *fagus.Node, a *fagus.Array[int64]) (err error) {
	switch n.Rank() {
	case 1:
		_, err = n.Bind("a", a.All()) // want `collective: Bind depends on the rank`
	}
	return err
}

func loopOfRank(n *fagus.Node) error {
	for i := n.Rank(); i < 100; i += n.Nodes() {
		if err := n.Update(); err != nil { // want `collective: Update depends on the rank`
			return err
		}
	}
	return nil
}

func twiceAtOne(n *fagus.Node) error {
	if n.Rank()%2 == 0 {
		if err := n.Barrier(); err != nil { // want `collective: Barrier depends on the rank`
			return err
		}
	}
	return n.Barrier()
}

func leavesLoop(n *fagus.Node) error {
	for round := range 10 {
		if round > n.Rank() {
			break
		}
		if err := n.Barrier(); err != nil { // want `collective: Barrier depends on the rank`
			return err
		}
	}
	return nil
}

func alsoOfData(n *fagus.Node, more bool) error {
	if n.Rank() == 0 && more {
		return n.Barrier() // want `collective: Barrier depends on the rank`
	}
	return nil
}

func reduceAtOne(n *fagus.Node, x float64) (float64, error) {
	if n.Rank() == 0 {
		return fagus.Reduce(n, x, func(a, b float64) float64 { return a + b }) // want `collective: Reduce depends on the rank`
	}
	return x, nil
}

func reduceAndBarrier(n *fagus.Node) error {
	if n.Rank() > 0 {
		_, err := fagus.Reduce(n, 1, func(a, b int) int { return a + b }) // want `collective: Reduce depends on the rank`
		return err
	}
	return n.Barrier()
}
