package region_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// counted adds 1 to every second element of x from an element on, in a dynamic step for each of the
// given elements.
func counted(n *fagus.Node, x []int, from ...int) error {
	p := region.Open(n, "counted")
	own := x
	region.In(p, "x", &own)
	var steps struct{ first int }
	if !region.Known(p, &steps, fmt.Sprint(from)) {
		p.Begin("x")
		for i, lo := range from {
			s := p.Step()
			if i == 0 {
				steps.first = s
			}
			p.Cyclic(s, lo, len(x), 2)
			p.Dynamic(s)
			for rank := range p.Nodes() {
				part := p.Iterations(s, rank)
				p.Writes(s, rank, 0).Strided(part.First, 1, part.Count(), part.By)
				p.Reads(s, rank, 0).Strided(part.First, 1, part.Count(), part.By)
			}
		}
	}
	if err := p.Share("x"); err != nil {
		return err
	}
	for i := range from {
		s := steps.first + i
		if err := p.Enter(s); err != nil {
			return err
		}
		for part := p.First(s); part.Count() > 0; part = p.Next(s) {
			for i := part.First; i < part.End; i += part.By {
				own[i]++
			}
		}
		if err := p.Leave(s); err != nil {
			return err
		}
	}
	return p.Finish()
}

// TestDynamic: ranks execute each iteration of dynamic steps once, however many ranks and steps
// there are, in place and with copies.
func TestDynamic(t *testing.T) {
	for _, placement := range []fagus.Placement{fagus.PlaceAuto, fagus.PlacePrivate} {
		for nodes := 1; nodes <= 5; nodes++ {
			for _, length := range []int{1, 2, 7, 100, 1001} {
				x := make([]int, length)
				if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Placement: placement}, func(n *fagus.Node) error {
					own := x
					if n.Rank() > 0 {
						own = make([]int, length)
					}
					for range 20 {
						if err := counted(n, own, 0, 1, 0); err != nil {
							return err
						}
						if err := counted(n, own, 1); err != nil {
							return err
						}
					}
					return nil
				}); err != nil {
					t.Fatalf("%d nodes, %v, length %d: %v", nodes, placement, length, err)
				}
				for i, got := range x {
					if got != 40 {
						t.Fatalf("%d nodes, %v, length %d: element %d was counted %d times, want 40", nodes, placement, length, i, got)
					}
				}
			}
		}
	}
}

// TestCallsWithoutSteps checks ranks that compute in place: between two calls in which they meet
// only at the begin, there is a call on one rank, where they do not meet.
func TestCallsWithoutSteps(t *testing.T) {
	const nodes, calls = 4, 2000
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes}, func(n *fagus.Node) error {
		for k := range calls {
			own := make([]int, 1)
			if n.Rank() == 0 {
				own[0] = k
			}
			p := region.Open(n, "meets")
			region.In(p, "own", &own)
			var steps struct{}
			if !region.Known(p, &steps) {
				p.Begin("own")
			}
			if err := p.Share(); err != nil {
				return err
			}
			if own[0] != k {
				t.Errorf("call %d: rank %d has the slice of call %d", k, n.Rank(), own[0])
			}
			if err := p.Finish(); err != nil {
				return err
			}
			p = region.Open(n, "alone")
			region.In(p, "own", &own)
			switch alone, err := region.NewCost(p).Alone(); {
			case err != nil:
				return err
			case !alone:
				t.Error("a call without steps runs on all ranks")
			}
			p.Close()
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestAloneEnds checks that ranks stop when the run has failed, even if they only make calls that
// run on one rank, in which they meet nobody.
func TestAloneEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := fagus.Run(ctx, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		for k := range 10_000_000 {
			if k == 1000 && n.Rank() == 0 {
				cancel()
			}
			p := region.Open(n, "alone")
			if _, err := region.NewCost(p).Alone(); err != nil {
				return err
			}
			p.Close()
		}
		return errors.New("the program goes on after the end of its context")
	})
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "have not returned") {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestResidentIsKept checks that a resident array keeps its memory until Free, even if the program
// has forgotten the array: no other slice may get the address.
func TestResidentIsKept(t *testing.T) {
	const length = 100_000
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		for range 10 {
			if _, err := region.New[float64](n, "forgotten", length); err != nil {
				return err
			}
			runtime.GC()
			own := make([]float64, length-1)
			p := region.Open(n, "uses")
			region.In(p, "own", &own)
			p.Begin()
			if err := p.Share(); err != nil {
				return err
			}
			if err := p.Finish(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestFetchToNoRank checks that Fetch refuses ranks that do not exist.
func TestFetchToNoRank(t *testing.T) {
	for _, placement := range []fagus.Placement{fagus.PlaceAuto, fagus.PlacePrivate} {
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Placement: placement}, func(n *fagus.Node) error {
			r, err := region.New[int](n, "r", 10)
			if err != nil {
				return err
			}
			for _, rank := range []int{-1, 2} {
				if err := r.Fetch(make([]int, 10), 0, rank); err == nil {
					t.Errorf("%v: Fetch to rank %d of 2 succeeds", placement, rank)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%v: %v", placement, err)
		}
	}
}
