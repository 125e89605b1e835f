package collective

import (
	"time"

	"example.com/lib"
	"github.com/fagus-dsm/fagus/fagus"
)

func meet(n *fagus.Node) error { return n.Barrier() }

func helperAtOne(n *fagus.Node) error {
	if n.Rank() == 0 {
		if err := meet(n); err != nil { // want `collective: meet \(which calls Barrier\) depends on the rank`
			return err
		}
	}
	if lib.Root(n) {
		return lib.Meet(n) // want `collective: Meet \(which calls Barrier\) depends on the rank`
	}
	return nil
}

// Both make the same calls.
func masterAndWorker(n *fagus.Node) error {
	if n.Rank() == 0 {
		return meet(n)
	}
	return lib.Meet(n)
}

func isRoot(n *fagus.Node) bool { return n.Rank() == 0 }

func byResult(n *fagus.Node) error {
	if isRoot(n) {
		return n.Barrier() // want `collective: Barrier depends on the rank`
	}
	return nil
}

func byParameter(n *fagus.Node) error { return atRoot(n, n.Rank() == 0) }

func atRoot(n *fagus.Node, root bool) error {
	if !root {
		return nil
	}
	return n.Update() // want `collective: Update depends on the rank`
}

type job struct {
	n    *fagus.Node
	rank int
}

func (j *job) run() error {
	if j.rank > 0 {
		return j.n.Fence() // want `collective: Fence depends on the rank`
	}
	return nil
}

func startJob(n *fagus.Node) error { return (&job{n: n, rank: n.Rank()}).run() }

func deferred(n *fagus.Node) error {
	if n.Rank() == 0 {
		defer n.Barrier() // want `collective: Barrier depends on the rank`
	}
	return nil
}

func byClosure(n *fagus.Node) error {
	step := func() error { return n.Update() }
	if n.Rank() == 0 && step() != nil { // want `collective: a function \(which calls Update\) depends on the rank`
		return n.Err()
	}
	return nil
}

func untilTime(n *fagus.Node) error {
	for start := time.Now(); time.Since(start) < time.Second; {
		if err := n.Update(); err != nil { // want `collective: Update depends on the clock`
			return err
		}
	}
	return nil
}

func skips(n *fagus.Node) error {
	for i := range 10 {
		if i%n.Nodes() != n.Rank() {
			continue
		}
		if err := n.Barrier(); err != nil { // want `collective: Barrier depends on the rank`
			return err
		}
	}
	return nil
}

// The difference of local values is reduced before it decides.
func converges(n *fagus.Node, data []float64) error {
	for {
		diff := 0.0
		for i := n.Rank(); i < len(data); i += n.Nodes() {
			diff = max(diff, data[i])
		}
		diff, err := fagus.Reduce(n, diff, func(a, b float64) float64 { return max(a, b) })
		if err != nil {
			return err
		}
		if diff < 0.1 {
			return nil
		}
	}
}

func diverges(n *fagus.Node, data []float64) error {
	for {
		diff := 0.0
		for i := n.Rank(); i < len(data); i += n.Nodes() {
			diff = max(diff, data[i])
		}
		if err := n.Update(); err != nil { // want `collective: Update depends on the rank`
			return err
		}
		if diff < 0.1 {
			return nil
		}
	}
}

// A local error ends the run.
func localError(n *fagus.Node, load func(rank int) (int, error)) error {
	var err error
	if n.Rank() == 0 {
		_, err = load(n.Rank())
	}
	if err != nil {
		return err
	}
	return n.Barrier()
}
