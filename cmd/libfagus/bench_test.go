package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
)

// BenchmarkCalls measures an acquire and a release of an empty set, and a call that does not communicate: in C, and in Go, of one rank,
// and in C of two that share memory.
func BenchmarkCalls(b *testing.B) {
	program := build(b).c(b, "testdata/pairs.c")
	for _, ranks := range []int{1, 2} {
		b.Run(fmt.Sprintf("C/ranks=%d", ranks), func(b *testing.B) {
			out := run(b, ranks, "shm", program, strconv.Itoa(b.N))
			pair, call, _ := strings.Cut(strings.TrimPrefix(out, "0: "), " ")
			for name, text := range map[string]string{"ns/pair": pair, "ns/call": call} {
				ns, err := strconv.ParseFloat(text, 64)
				if err != nil {
					b.Fatalf("%q: %v", out, err)
				}
				b.ReportMetric(ns, name)
			}
		})
	}
	b.Run("Go/ranks=1", func(b *testing.B) {
		if _, err := fagus.Run(b.Context(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
			set := n.Set()
			for b.Loop() {
				if err := n.Acquire(set); err != nil {
					return err
				}
				if err := n.Release(set); err != nil {
					return err
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/pair")
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	})
}
