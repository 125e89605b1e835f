package mpi

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// PingPong sends a message of n bytes to and fro between ranks 0 and 1, rounds times, and returns on
// both what one message takes: half the mean round trip, by the host's clock. A round before
// the others is not counted. Other ranks wait in the barrier before it and return 0.
func PingPong(c *Comm, n, rounds int) (dimmnet.Time, error) {
	if n < 0 || rounds < 1 || len(c.group) < 2 {
		return 0, fmt.Errorf("mpi: PingPong of %d bytes, %d rounds, %d ranks", n, rounds, len(c.group))
	}
	if err := c.Barrier(); err != nil || c.rank > 1 {
		return 0, err
	}
	p := make([]byte, n)
	var began dimmnet.Time
	for i := range rounds + 1 {
		if i == 1 {
			began = c.host.Now()
		}
		for _, from := range []int{0, 1} {
			var err error
			if c.rank == from {
				err = c.Send(p, 1-from, 0)
			} else {
				_, err = c.Recv(p, from, 0)
			}
			if err != nil {
				return 0, err
			}
		}
	}
	return (c.host.Now() - began) / dimmnet.Time(2*rounds), nil
}
