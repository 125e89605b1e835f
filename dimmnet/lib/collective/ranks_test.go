package collective_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/collective"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

var large = flag.Bool("large", false, "let TestManyRanks run 2^16 ranks, which takes some seconds; not with -race")

// TestManyRanks lets the ranks of a large run meet at a barrier and add up their numbers. With
// -large there are as many ranks as a Rank can number, and one less.
func TestManyRanks(t *testing.T) {
	runs := []int{4097} // the first size with five levels
	if *large {
		runs = append(runs, dimmnet.MaxNodes-1, dimmnet.MaxNodes)
	}
	for _, nodes := range runs {
		net := inproc.New(inproc.Config{LLCM: collective.Bytes(nodes)})
		err := net.Run(t.Context(), nodes, func(h dimmnet.Host) error {
			g, err := collective.New(h.Port(), 0, collective.Config{})
			if err != nil {
				return err
			}
			if err := g.Barrier(); err != nil {
				return err
			}
			sum, err := collective.Reduce(g, uint64(h.Port().Rank()), collective.Sum)
			if want := uint64(nodes) * uint64(nodes-1) / 2; err == nil && sum != want {
				err = fmt.Errorf("the ranks add up to %d, want %d", sum, want)
			}
			return err
		})
		if err != nil {
			t.Errorf("%d nodes: %v", nodes, err)
		}
	}
}
