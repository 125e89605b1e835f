package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/corepair"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/peers"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/ports"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// onPorts runs body on both ranks of a target, without the engine. Each rank is a thread bound to a
// processor, if there are some.
func onPorts(ctx context.Context, on *runflags.Target, cpus []int, body func(rank int, pair *ports.Pair) error) error {
	return ports.Run(ctx, on.Net, func(pair *ports.Pair) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		rank := pair.Rank()
		if len(cpus) > 0 {
			if err := corepair.Pin(cpus[rank%len(cpus)]); err != nil {
				return err
			}
		}
		return body(rank, pair)
	})
}

// serveBare runs a rank of the system "Fagus, port".
func serveBare(ctx context.Context, on *runflags.Target, cpus []int, socket string) error {
	return onPorts(ctx, on, cpus, func(rank int, pair *ports.Pair) error {
		return peers.Attend(socket, rank, func(c peers.Command) (time.Duration, error) {
			if c.Op != pingPong {
				return 0, fmt.Errorf("%v: a port has %s only", c, pingPong)
			}
			return pair.PingPong(c.Count, c.Size)
		})
	})
}
