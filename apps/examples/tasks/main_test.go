package main

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/fagustest"
)

// TestQueens compares the ways with those that one rank counts, which are known for 8 queens.
func TestQueens(t *testing.T) {
	steps := 0
	if got := (board{}).count(8, &steps); got != 92 {
		t.Fatalf("one rank counts %d ways to place 8 queens, want 92", got)
	}
	for _, size := range []int{1, 3, 8} {
		want := board{}.count(size, &steps)
		fagustest.Run(t, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
			got, err := queens(n, size)
			if err == nil && got != want {
				err = fmt.Errorf("%d ways to place %d queens, want %d", got, size, want)
			}
			return err
		})
	}
}
