package collective_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/collective"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// Twenty ranks add their squares.
func Example() {
	err := inproc.New(inproc.Config{}).Run(context.Background(), 20, func(h dimmnet.Host) error {
		rank := h.Port().Rank()
		g, err := collective.New(h.Port(), 0, collective.Config{})
		if err != nil {
			return err
		}
		sum, err := collective.Reduce(g, float64(rank)*float64(rank), collective.Sum)
		if err != nil {
			return err
		}
		top, err := collective.Reduce(g, uint32(rank), collective.Max)
		if err != nil {
			return err
		}
		if err := g.Barrier(); err != nil {
			return err
		}
		if rank == 13 {
			fmt.Println(sum, top)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: 2470 19
}
