package cluster_test

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// This program runs all ranks in one process, or one rank of a job under `fagus launch -n 4`,
// mpirun or srun. The ranks together count to the number of ranks.
func ExampleRun() {
	report, err := cluster.Run(context.Background(), fagus.Config{Nodes: 4}, func(n *fagus.Node) error {
		counts, err := fagus.NewArray[int64](n, "counts", 1)
		if err != nil {
			return err
		}
		guard, err := n.Bind("guard", counts.All())
		if err != nil {
			return err
		}
		set := n.Set(fagus.Want(guard, fagus.Exclusive))
		if err := n.Acquire(set); err != nil {
			return err
		}
		counts.Slice()[0]++
		last := counts.Slice()[0] == int64(n.Nodes())
		if err := n.Release(set); err != nil {
			return err
		}
		if last {
			fmt.Println("all", n.Nodes(), "ranks have counted")
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(len(report.Ranks), "ranks have reported statistics")
	// Output:
	// all 4 ranks have counted
	// 4 ranks have reported statistics
}
