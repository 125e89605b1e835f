package main

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/apps/matrix"
	"github.com/fagus-dsm/fagus/fagus"
)

// testMatmul: the bits of the program in Go, on 1 to 8 ranks.
func testMatmul(t *testing.T, program string) {
	for _, net := range []string{"shm", "tcp"} {
		for _, ranks := range []int{1, 2, 3, 4, 8} {
			folder := t.TempDir()
			run(t, ranks, net, program, "67", folder)
			read := func(name string) *matrix.Dense {
				m, err := matrix.Read(filepath.Join(folder, name+".npy"))
				if err != nil {
					t.Fatal(err)
				}
				return &m
			}
			var want *matrix.Dense
			cfg := matmul.Config{M: 67, K: 67, N: 67, A: read("a"), B: read("b")}
			if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
				r, err := matmul.Run(n, cfg)
				if n.Rank() == 0 {
					want = r.C
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			for i, x := range read("c").Data {
				if math.Float64bits(x) != math.Float64bits(want.Data[i]) {
					t.Fatalf("%d ranks by %s: element %d is %x, in Go %x", ranks, net, i, x, want.Data[i])
				}
			}
		}
	}
}
