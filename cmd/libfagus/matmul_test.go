package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/sbinet/npyio"

	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/fagus"
)

// testMatmul checks that the C program computes the same bits as apps/matmul, on 1 to 8 ranks.
func testMatmul(t *testing.T, program string) {
	for _, net := range []string{"shm", "tcp"} {
		for _, ranks := range []int{1, 2, 3, 4, 8} {
			folder := t.TempDir()
			run(t, ranks, net, program, "67", folder)
			read := func(name string) []float64 { return readNPY(t, filepath.Join(folder, name+".npy")) }
			var want []float64
			factor := func(name string) *matmul.Matrix { return &matmul.Matrix{Rows: 67, Cols: 67, Data: read(name)} }
			cfg := matmul.Config{M: 67, K: 67, N: 67, A: factor("a"), B: factor("b")}
			if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
				r, err := matmul.Run(n, cfg)
				if n.Rank() == 0 {
					want = r.C.Data
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			for i, x := range read("c") {
				if math.Float64bits(x) != math.Float64bits(want[i]) {
					t.Fatalf("%d ranks by %s: element %d is %x, in Go %x", ranks, net, i, x, want[i])
				}
			}
		}
	}
}

// readNPY reads the elements of a matrix.
func readNPY(t *testing.T, path string) (elements []float64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := npyio.Read(f, &elements); err != nil {
		t.Fatal(err)
	}
	return elements
}
