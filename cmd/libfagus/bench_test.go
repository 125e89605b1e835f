package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
)

// BenchmarkCalls measures the time to acquire and release an empty set, and the time of a call
// without communication. The C program runs on one rank, on two ranks that share memory, and on
// two ranks in a simulation (in real time); the Go program on one and two ranks.
func BenchmarkCalls(b *testing.B) {
	l := build(b)
	program, command := l.c(b, "testdata/pairs.c"), l.command(b)
	for _, ranks := range []int{1, 2} {
		b.Run(fmt.Sprintf("C/ranks=%d", ranks), func(b *testing.B) {
			report(b, run(b, ranks, "shm", program, strconv.Itoa(b.N)))
		})
	}
	b.Run("C/simulated/ranks=2", func(b *testing.B) {
		out, err := exec.CommandContext(b.Context(), command, "launch", "-n", "2", "--net", "dimmnet1", "--", program, strconv.Itoa(b.N)).Output()
		if err != nil {
			b.Fatal(err)
		}
		report(b, string(out))
	})
	for _, ranks := range []int{1, 2} {
		b.Run(fmt.Sprintf("Go/ranks=%d", ranks), func(b *testing.B) {
			if _, err := fagus.Run(b.Context(), fagus.Config{Nodes: ranks}, func(n *fagus.Node) error { return pairs(n, b.N) }); err != nil {
				b.Fatal(err)
			}
			pair(b, float64(b.Elapsed().Nanoseconds())/float64(b.N))
		})
	}
}

// report adds the numbers that testdata/pairs.c prints to the benchmark's result.
func report(b *testing.B, out string) {
	var ns, call float64
	if _, err := fmt.Sscanf(strings.TrimPrefix(out, "0: "), "%g %g", &ns, &call); err != nil {
		b.Fatalf("%q: %v", out, err)
	}
	pair(b, ns)
	b.ReportMetric(call, "ns/call")
	b.ReportMetric(1e9/call, "calls/s")
}

func pair(b *testing.B, ns float64) {
	b.ReportMetric(0, "ns/op") // 0 hides a time that includes the start of the program
	b.ReportMetric(ns, "ns/pair")
	b.ReportMetric(1e9/ns, "pairs/s")
}

// pairs acquires and releases an empty set the given number of times.
func pairs(n *fagus.Node, times int) error {
	set := n.Set()
	for range times {
		if err := n.Acquire(set); err != nil {
			return err
		}
		if err := n.Release(set); err != nil {
			return err
		}
	}
	return nil
}
