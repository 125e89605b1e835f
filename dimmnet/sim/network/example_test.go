package network_test

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// A network without hosts: one node posts a word to the other.
func Example() {
	preset, err := presets.Load("D")
	if err != nil {
		fmt.Println(err)
		return
	}
	var line event.Timeline
	w := network.New(network.Config{Preset: &preset, Nodes: 2}, &line, event.NewTrace(2, 0, nil))
	a, b := w.Open(0), w.Open(1)
	a.Post(&network.Store{Written: preset.Host.Write, Word: 7, Off: 8, To: 1, Size: 8, Hit: true})
	for line.Len() > 0 {
		e := line.Pop()
		if rank, concerned := w.Concerns(&e); concerned {
			fmt.Printf("rank %d can notice what happens at %v\n", rank, e.At)
		}
		w.Handle(e)
	}
	fmt.Println("memory of rank 1:", b.Load(8))
	// Output:
	// rank 1 can notice what happens at 481.000 ns
	// memory of rank 1: 7
}
