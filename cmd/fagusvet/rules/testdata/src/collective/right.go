package collective

import (
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

func all(n *fagus.Node) error { return errors.Join(n.Barrier(), n.Update()) }

func sameOnBothSides(n *fagus.Node) error {
	if n.Rank() == 0 {
		fmt.Println("first")
		if err := n.Barrier(); err != nil {
			return err
		}
	} else if err := n.Barrier(); err != nil {
		return err
	}
	return nil
}

func afterTheBranch(n *fagus.Node) error {
	if n.Rank() == 0 {
		fmt.Println("first")
	}
	return n.Barrier()
}

// Whoever returns an error fails the run.
func errorAtOne(n *fagus.Node, check func() error) error {
	if n.Rank() == 0 {
		if err := check(); err != nil {
			return err
		}
		if n.Nodes() > 100 {
			return fmt.Errorf("%d nodes", n.Nodes())
		}
	}
	return n.Barrier()
}

// An Acquire is a rank's own in threaded mode.
func acquireAtOne(n *fagus.Node, set *fagus.SyncSet) error {
	if n.Rank() == 0 {
		if err := errors.Join(n.Acquire(set), n.Release(set)); err != nil {
			return err
		}
	}
	return n.Update()
}

func conditionOfData(n *fagus.Node, rounds int) error {
	for range rounds {
		if err := n.Update(); err != nil {
			return err
		}
	}
	if n.Nodes() > 1 {
		return n.Barrier()
	}
	return nil
}

func returnsAtTheEnd(n *fagus.Node, a *fagus.Array[int64]) error {
	if err := n.Update(); err != nil {
		return err
	}
	if n.Rank() != 0 {
		return nil
	}
	fmt.Println(a.Slice()[0])
	return nil
}

func switchInLoop(n *fagus.Node) error {
	for round := range 10 {
		switch {
		case round%2 == n.Rank():
			fmt.Println("mine")
		default:
			fmt.Println("others")
		}
		if err := n.Barrier(); err != nil {
			return err
		}
	}
	return nil
}

func sameInCases(n *fagus.Node, more bool) error {
	switch n.Rank() {
	case 0:
		fmt.Println("first")
		if more {
			return n.Update()
		}
	case 1:
		if more {
			return n.Update()
		}
	default:
		if more {
			return n.Update()
		}
	}
	return nil
}

func panics(n *fagus.Node) error {
	if n.Rank() >= n.Nodes() {
		panic("rank")
	}
	return n.Barrier()
}

func ignored(n *fagus.Node) error {
	if n.Rank() == 0 {
		return n.Barrier() //fagusvet:ignore collective the other rank is told so below
	}
	return nil
}

func reduceOfTheRank(n *fagus.Node) (int, error) {
	mine := 0
	if n.Rank() == 0 {
		mine = 7
	}
	return fagus.Reduce(n, mine, func(a, b int) int { return a + b })
}
