package sendrecv_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/sendrecv"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// BenchmarkSend sends messages of one size from rank 0 to rank 1. An empty message ends it.
func BenchmarkSend(b *testing.B) {
	for _, n := range []int{8, 464, 4096, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("bytes=%d", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			network := inproc.New(inproc.Config{Bulk: 1 << 20})
			err := network.Run(context.Background(), 2, func(h dimmnet.Host) error {
				e, err := sendrecv.New(h.Port(), sendrecv.Config{})
				if err != nil {
					return err
				}
				p := make([]byte, n)
				if h.Port().Rank() == 1 {
					for got := n; got > 0; {
						if got, err = e.Recv(0, p); err != nil {
							return err
						}
					}
					return nil
				}
				for b.Loop() {
					if err := e.Send(1, p); err != nil {
						return err
					}
				}
				return e.Send(1, nil)
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
