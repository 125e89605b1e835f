package launch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// caller is a connection whose first bytes have been read ahead.
type caller struct {
	io.Reader
	io.Writer
}

// await waits until each process has made its first call or ended. It returns the connections of
// processes that use the C library, nil if the process of rank 0 simulates the network, or an
// error if the processes do neither.
func await(here []net.Conn) ([]caller, error) {
	callers, claims := make([]caller, len(here)), make([]bool, len(here))
	silent := make([]bool, len(here))
	var all sync.WaitGroup
	for rank, conn := range here {
		all.Go(func() {
			ahead := bufio.NewReader(conn)
			callers[rank] = caller{ahead, conn}
			first, err := ahead.Peek(len(runflags.Claim))
			claims[rank], silent[rank] = string(first) == runflags.Claim, err != nil
		})
	}
	all.Wait()
	var claimed, quiet int
	for rank := range here {
		if claims[rank] {
			claimed++
		}
		if silent[rank] {
			quiet++
		}
	}
	switch {
	case quiet == len(here):
		return nil, usage.Wrap(errors.New("no rank has used the simulated network: it is for programs that use package fagus/program or the C library. " +
			"Start a program that calls cluster.Run with --net " + runflags.OfProcesses().String() + ", and one that calls fagus.Run without fagus launch"))
	case claimed == 0:
		return callers, nil
	case !claims[0]:
		return nil, fmt.Errorf("the program of rank 0 differs from that of other ranks, which use package fagus/program: start the same program as every rank")
	case claimed+quiet < len(here):
		return nil, errors.New("the program of rank 0 uses package fagus/program, but that of other ranks the C library: start the same program as every rank")
	}
	return nil, nil
}
