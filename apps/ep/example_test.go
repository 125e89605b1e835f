package ep_test

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/apps/ep"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/fagus"
)

func Example() {
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		r, err := ep.Run(n, npb.Config{Class: npb.S})
		if err != nil || n.Rank() != 0 {
			return err
		}
		fmt.Println(r.Lines[0])
		for _, c := range r.Checks {
			fmt.Printf("%s %.6g: %v\n", c.Name, c.Got, c.OK())
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// ring 0: 6140517 pairs
	// sum of x -3247.83: true
	// sum of y -6958.41: true
	// sum of |x| 1.0513e+07: true
	// sum of |y| 1.05152e+07: true
	// pairs 1.31764e+07: true
}
