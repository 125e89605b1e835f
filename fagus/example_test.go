package fagus_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// Four ranks, which are goroutines, add to one counter.
func Example() {
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 4}, func(n *fagus.Node) error {
		counter := fagus.NewGuarded[int64](n, "counter", 1)
		for range 10 {
			n.Set(counter.Write()).Do(func() { counter.Slice()[0]++ })
		}
		n.Update() // brings the newest value to all ranks that have had one
		if n.Rank() == 2 {
			fmt.Println("rank 2 sees", counter.Slice()[0])
		}
		return n.Err()
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: rank 2 sees 40
}

// In threaded mode a set is a lock. Each of three ranks acquires it a different number of
// times.
func Example_threaded() {
	cfg := fagus.Config{Nodes: 3, Mode: fagus.Threaded}
	_, err := fagus.Run(context.Background(), cfg, func(n *fagus.Node) error {
		counter, err := fagus.NewArray[int64](n, "counter", 1)
		if err != nil {
			return err
		}
		guard, err := n.Bind("guard", counter.All())
		if err != nil {
			return err
		}
		lock, read := n.Set(fagus.Want(guard, fagus.Exclusive)), n.Set(fagus.Want(guard, fagus.Shared))
		for range 10 * (1 + n.Rank()) { // a different number of times on each rank
			if err := n.During(lock, func() error { counter.Slice()[0]++; return nil }); err != nil {
				return err
			}
		}
		if err := n.Barrier(); err != nil { // until all ranks have finished
			return err
		}
		return n.During(read, func() error {
			if n.Rank() == 2 {
				fmt.Println("rank 2 sees", counter.Slice()[0])
			}
			return nil
		})
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: rank 2 sees 60
}

// A page moves from one simulated node to the other and back. Time is virtual, so every run
// gives the same result.
func Example_simulated() {
	net, err := sim.New(sim.Config{Env: "fagus2"})
	if err != nil {
		log.Fatal(err)
	}
	report, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2, Net: net}, func(n *fagus.Node) error {
		page, err := fagus.NewArray[byte](n, "page", 4096)
		if err != nil {
			return err
		}
		guard, err := n.Bind("guard", page.All())
		if err != nil {
			return err
		}
		mine, none := n.Set(fagus.Want(guard, fagus.Exclusive)), n.Set()
		for turn := range 3 {
			set := none
			if turn%2 == n.Rank() {
				set = mine
			}
			if err := n.Acquire(set); err != nil {
				return err
			}
			if set == mine {
				for i := range page.Slice() {
					page.Slice()[i]++
				}
			}
			if err := n.Release(set); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range report.Ranks {
		m := r.Messages()
		fmt.Printf("rank %d: %d transfers, %d AOTF, %d BOTF, %d PUSH\n", r.Rank, r.Transfers, m.Stores, m.Writes, m.Pushes)
	}
	// Output:
	// rank 0: 1 transfers, 19 AOTF, 4 BOTF, 1 PUSH
	// rank 1: 1 transfers, 19 AOTF, 4 BOTF, 1 PUSH
}

// Each of four ranks integrates a part of 4/(1+x²) from 0 to 1. Reduce returns the sum of the
// parts, which is pi, to all of them.
func ExampleReduce() {
	const steps = 1000
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 4}, func(n *fagus.Node) error {
		part := 0.0
		for i := n.Rank(); i < steps; i += n.Nodes() {
			x := (float64(i) + 0.5) / steps
			part += 4 / (1 + x*x) / steps
		}
		pi, err := fagus.Reduce(n, part, func(a, b float64) float64 { return a + b })
		if err != nil {
			return err
		}
		if n.Rank() == 2 {
			fmt.Printf("rank 2 has %.5f\n", pi)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: rank 2 has 3.14159
}
