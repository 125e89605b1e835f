//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
)

// freePorts returns the first of count free ports in a row.
func freePorts(t *testing.T, count int) uint16 {
	t.Helper()
	for first := 20000 + os.Getpid()%1000*10; first < 32000; first += count {
		free := 0
		for port := first; port < first+count; port++ {
			l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
			if err == nil && l.Close() == nil {
				free++
			}
		}
		if free == count {
			return uint16(first)
		}
	}
	t.Fatal("no ports are free")
	return 0
}

// TestCrowd makes hundreds of connections that are silent, or send garbage, to both listeners of
// rank 0 before rank 1 comes. Rank 0 must hold only so many at a time, and the job must start.
func TestCrowd(t *testing.T) {
	t.Parallel() // the test mostly waits
	const crowd = maxPending + 72
	authority, err := identity.NewAuthority(2)
	if err != nil {
		t.Fatal(err)
	}
	meet := freePorts(t, 6)
	place := Place{Size: 2, Job: fmt.Sprint(t.Name(), os.Getpid()), Rendezvous: fmt.Sprint("127.0.0.1:", meet)}
	var jobs [2]*Hosts
	var all sync.WaitGroup
	t.Cleanup(all.Wait) // t.Context is done then
	join := func(rank int) {
		id, err := authority.Issue(dimmnet.Rank(rank))
		if err != nil {
			t.Fatal(err)
		}
		place := place
		place.Rank = rank
		cfg := Spec{Drivers: AllDrivers(), Identity: id, Ports: reach.Ports{First: meet + 1, Last: meet + 5}}
		all.Go(func() {
			var err error
			if jobs[rank], err = JoinHostsWithAll(t.Context(), place, cfg); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	join(0)
	for _, port := range []uint16{meet, meet + 1} { // of memberlist and of rank 0 itself
		for n := range crowd {
			c := dialPort(t, port)
			defer c.Close()
			if n%4 == 0 {
				_, _ = c.Write([]byte(strings.Repeat("x", n))) // rank 0 may have closed c
			}
		}
		const least, limit = maxPending / 4, maxPending + 1 // memberlist accepts one before it asks
		most := 0
		for begun := time.Now(); time.Since(begun) < 300*time.Millisecond || most < least && time.Since(begun) < 10*time.Second; time.Sleep(time.Millisecond) {
			most = max(most, accepted(t, port))
		}
		if most > limit || most < least {
			t.Errorf("port %d: %d of %d silent connections are accepted at a time: want at most %d", port, most, crowd, limit)
		}
	}
	begun := time.Now()
	join(1)
	all.Wait()
	t.Logf("the job started after %v", time.Since(begun))
	if t.Failed() {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for rank := range jobs {
		all.Go(func() {
			if err := jobs[rank].Close(ctx); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	all.Wait()
}

func dialPort(t *testing.T, port uint16) net.Conn {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		c, err := net.DialTimeout("tcp", fmt.Sprint("127.0.0.1:", port), 10*time.Second)
		if err == nil {
			return c
		}
		// A listener that only tried the port resets.
		early := errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET)
		if !early || time.Since(begun) > 10*time.Second {
			t.Fatal(err)
		}
	}
}

// accepted returns how many connections to a port of the loopback device this process has accepted.
func accepted(t *testing.T, port uint16) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		var fd int
		if _, err := fmt.Sscan(f.Name(), &fd); err != nil {
			continue
		}
		local, err := syscall.Getsockname(fd)
		if err != nil {
			continue // no socket
		}
		if _, err := syscall.Getpeername(fd); err != nil {
			continue // a listener
		}
		if at, ok := local.(*syscall.SockaddrInet4); ok && at.Port == int(port) {
			n++
		}
	}
	return n
}
