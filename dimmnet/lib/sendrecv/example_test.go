package sendrecv_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/sendrecv"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// Two ranks on goroutines exchange a message, with bulk memory as on DIMMnet-1.
func Example() {
	network := inproc.New(inproc.Config{Bulk: 1 << 20, Banks: true})
	err := network.Run(context.Background(), 2, func(h dimmnet.Host) error {
		e, err := sendrecv.New(h.Port(), sendrecv.Config{})
		if err != nil {
			return err
		}
		if h.Port().Rank() == 0 {
			return e.Send(1, []byte("a message"))
		}
		buf := make([]byte, 100)
		n, err := e.Recv(0, buf)
		if err != nil {
			return err
		}
		fmt.Printf("rank 1 received %q\n", buf[:n])
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: rank 1 received "a message"
}
