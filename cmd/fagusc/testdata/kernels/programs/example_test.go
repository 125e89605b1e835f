package programs_test

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/cmd/fagusc/testdata/kernels/programs"
	"github.com/fagus-dsm/fagus/fagus"
)

// A tridiagonal system of 6 equations, of which rank 0 has the matrix and the right side. Its
// solution is 1, 2, ... 6.
func ExampleGradients() {
	const n = 6
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 3}, func(node *fagus.Node) error {
		x, right, begin := make([]float64, n), make([]float64, n), make([]int, n+1)
		val, col := make([]float64, 3*n-2), make([]int, 3*n-2)
		if node.Rank() == 0 {
			at := 0
			for i := range n {
				for j := max(i-1, 0); j < min(i+2, n); j++ {
					col[at], val[at] = j, -1
					if i == j {
						val[at] = 3
					}
					right[i] += val[at] * float64(j+1)
					at++
				}
				begin[i+1] = at
			}
		}
		if _, err := programs.Gradients(node, x, right, val, begin, col, n); err != nil {
			return err
		}
		if node.Rank() == 0 {
			fmt.Printf("%.6f\n", x)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: [1.000000 2.000000 3.000000 4.000000 5.000000 6.000000]
}

// Four points in two corners. All ranks get the centres, of which each has the number of its points
// behind its coordinates; here all but two have none.
func ExampleMeans() {
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2}, func(node *fagus.Node) error {
		points, label := make([]float64, 4*programs.Dimensions), make([]int, 4)
		if node.Rank() == 0 {
			copy(points, []float64{0, 0, 0, 9, 9, 9, 1, 0, 0, 9, 8, 9})
		}
		var centres programs.Model
		for c := range centres {
			centres[c] = [4]float64{100, 100, 100}
		}
		centres[0], centres[1] = [4]float64{2, 0, 0}, [4]float64{5, 9, 9}
		centres, _, err := programs.Means(node, points, label, centres, 10)
		if node.Rank() == 0 {
			fmt.Println(centres[0][:3], centres[1][:3], label)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: [0.5 0 0] [9 8.5 9] [0 1 0 1]
}
