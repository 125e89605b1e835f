package collective

import (
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func onRoot(n *fagus.Node, f func() error) error {
	if n.Rank() != 0 {
		return nil
	}
	return f()
}

func named(what string, f func() error) error {
	if err := f(); err != nil {
		return err
	}
	println(what)
	return nil
}

func onEither(n *fagus.Node, f func() error) error {
	if n.Rank() == 0 {
		println("first")
		return f()
	}
	return f()
}

func forMine(n *fagus.Node, f func(i int) error) error {
	for i := n.Rank(); i < 100; i += n.Nodes() {
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

func passes(n *fagus.Node, both *parts.Fields) error {
	if err := onRoot(n, func() error { return n.Fence() }); err != nil { // want `collective: Fence is called in a function that the onRoot of line 41 calls on each rank`
		return err
	}
	if err := onRoot(n, n.Barrier); err != nil { // want `collective: Barrier is called by onRoot on each rank another number of times`
		return err
	}
	if err := onRoot(n, func() error { println("root"); return nil }); err != nil {
		return err
	}
	if err := onEither(n, func() error { return n.Fence() }); err != nil {
		return err
	}
	if err := named("fence", func() error { return n.Fence() }); err != nil {
		return err
	}
	if n.Rank() == 0 {
		if err := named("fence", func() error { return n.Fence() }); err != nil { // want `collective: Fence depends on the rank`
			return err
		}
	}
	return forMine(n, func(i int) error {
		return both.Step(func() error { return nil }) // want `collective: Step is called in a function that the forMine of line 61 calls on each rank`
	})
}

func gathers(n *fagus.Node) error {
	if n.Rank() == 0 {
		if _, err := parts.Gather(n, "root"); err != nil { // want `collective: Gather depends on the rank`
			return err
		}
	}
	return n.Err()
}

// own is a local change, which the loop of each rank takes for all.
func own(n *fagus.Node, x []float64) error {
	change := 1.0
	step := func() {
		change = 0
		for i := n.Rank(); i < len(x); i += n.Nodes() {
			change = max(change, x[i]*float64(i))
		}
	}
	for change > 0 {
		step()
		if err := n.Fence(); err != nil { // want `collective: Fence depends on the rank`
			return err
		}
	}
	return nil
}

// receives returns from a loop over a function, and sets done after a loop over its items.
func receives(n *fagus.Node, c *parts.Channel[int], x []int) error {
	if n.Rank() == 0 {
		for v, err := range c.All() {
			if err != nil {
				return err
			}
			println(v)
		}
	}
	done := false
	round := func() error {
		for i := n.Rank(); i < len(x); i += n.Nodes() {
			if x[i] == 0 {
				return n.Err()
			}
		}
		done = true
		return nil
	}
	for !done {
		if err := round(); err != nil {
			return err
		}
		if err := n.Fence(); err != nil {
			return err
		}
	}
	return n.Barrier()
}
