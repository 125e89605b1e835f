package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/gossip"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

// programs returns the programs of one's own that the scripts run.
func programs() map[string]func() {
	return map[string]func(){
		"counter":    counter,
		"joins":      func() { end(cluster.Run(context.Background(), fagus.Config{}, increment, gossip.Driver{})) },
		"runs-alone": func() { end(fagus.Run(context.Background(), fagus.Config{Nodes: 2}, increment)) },
	}
}

func end(_ fagus.Report, err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// counter is a program that uses package program.
func counter() {
	spin := flag.Duration("spin", 0, "compute for `TIME` without a call")
	add := flag.Int64("add", 1, "what each rank adds")
	program.App{Name: "counter", Drivers: []cluster.Driver{gossip.Driver{}, quic.Driver{}}, About: "counts its ranks", Args: "[WORD]", Run: func(n *fagus.Node) error {
		compute(*spin, n.Progress)
		if flag.Arg(0) == "fail" && n.Rank() == 1 {
			return errors.New("asked to fail")
		}
		if flag.Arg(0) == "crash" {
			return crash(n)
		}
		if flag.Arg(0) == "words" {
			return words(n, flag.Arg(1) == "close")
		}
		return increase(n, *add)
	}, Plain: func(measure func(func() error) error) error {
		if flag.Arg(0) == "measured" {
			return measure(func() error { return nil })
		}
		compute(*spin, func(int, int) {})
		return nil
	}}.Main()
}

// compute computes for some time without a call, and reports the progress in milliseconds.
func compute(spin time.Duration, progress func(done, of int)) {
	for began := time.Now(); time.Since(began) < spin; {
		progress(int(time.Since(began).Milliseconds()), int(spin.Milliseconds()))
	}
}

// words sends words from rank 0 to the others, which count their letters. Without close it forgets
// to close the channel, and they wait forever.
func words(n *fagus.Node, close bool) error {
	c, err := parts.NewChannel[string](n, "words", 2, 1)
	if err != nil {
		return err
	}
	letters := 0
	for i := 0; n.Rank() == 0 && i < 20; i++ {
		if err := c.Send(strings.Repeat("x", 100*i)); err != nil {
			return err
		}
	}
	if n.Rank() == 0 && close {
		err = c.Close()
	} else if n.Rank() > 0 {
		for w, err := range c.All() {
			if err != nil {
				return err
			}
			letters += len(w)
		}
	}
	if err != nil {
		return err
	}
	letters, err = fagus.Reduce(n, letters, func(a, b int) int { return a + b })
	if n.Rank() == 0 {
		fmt.Println(letters, "letters")
	}
	return err
}

// crash counts the ranks. Rank 1 uses the sum as an index, which is too large.
func crash(n *fagus.Node) error {
	if err := increase(n, 1); err != nil {
		return err
	}
	table := make([]int64, n.Nodes())
	sum := fagus.NewGuarded[int64](n, "copy", n.Nodes())
	for range n.Nodes() {
		n.Set(sum.Write().Unordered()).Do(func() {
			sum.Slice()[0]++
			if n.Rank() == 1 && sum.Slice()[0] >= int64(len(table)) {
				table[sum.Slice()[0]]++
			}
		})
	}
	return n.Err()
}

// increment adds up the ranks, and rank 0 prints what it and its process know.
func increment(n *fagus.Node) error { return increase(n, 1) }

func increase(n *fagus.Node, by int64) error {
	sum := fagus.NewGuarded[int64](n, "sum", 1)
	n.Set(sum.Write().Unordered()).Do(func() { sum.Slice()[0] += by })
	_ = n.Fence() // the error sticks
	n.Set(sum.Read()).Do(func() {
		if n.Rank() == 0 {
			fmt.Println(sum.Slice()[0], "ranks in", n.Mode(), "mode, process", os.Getenv("FAGUS_RANK"))
		}
	})
	return n.Err()
}
