package fagus_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

var large = flag.Bool("large", false, "let TestLargeArrayMoves move more than 4 GiB over each network: 3 minutes, 10 GiB of memory")

// largeBytes is the size of the arrays of the tests below.
const largeBytes = 4<<30 + 5<<20 + 8

// largeNets returns the networks of the tests below.
func largeNets(t *testing.T) map[string]fagus.Config {
	t.Helper()
	nets := map[string]fagus.Config{
		"inproc":   {Net: goroutines()},
		"push":     {Net: inproc.New(inproc.Config{Bulk: 64 << 20}), Transfer: fagus.Push},
		"threaded": {Net: goroutines(), Mode: fagus.Threaded, Helpers: true},
	}
	if runtime.GOOS == "linux" {
		nets["shm"] = fagus.Config{Net: shm.New(shm.Config{Heap: largeBytes + 1<<20}), Placement: fagus.PlacePrivate}
		nets["tcp"] = fagus.Config{Net: tcp.New(tcp.Config{})}
	}
	return nets
}

// runLarge runs a program on 2 ranks. It skips the test if the array does not fit the memory.
func runLarge(t *testing.T, cfg fagus.Config, program func(*fagus.Node) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cfg.Nodes = 2
	_, err := fagus.Run(ctx, cfg, program)
	if err != nil && (strings.Contains(err.Error(), "no memory for") || strings.Contains(err.Error(), "allocating a segment")) {
		t.Skip(err)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestLargeArray writes to few bytes of an array of more than 4 GiB: at its ends, and on both sides
// of bytes 2^31 and 2^32. The system provides memory only for these.
func TestLargeArray(t *testing.T) {
	nets := largeNets(t)
	nets["sim"] = fagus.Config{Net: newSim(t, sim.Config{Limit: 100 * dimmnet.Second})}
	for name, cfg := range nets {
		t.Run(name, func(t *testing.T) { runLarge(t, cfg, fewBytes) })
	}
}

// TestTooLargeArray makes arrays that no memory has room for: NewArray fails on every network, in
// both modes and with every placement.
func TestTooLargeArray(t *testing.T) {
	nets := map[string]dimmnet.Network{"inproc": goroutines(), "goroutines": nil, "sim": newSim(t, sim.Config{})}
	if runtime.GOOS == "linux" {
		nets["shm"], nets["tcp"] = shm.New(shm.Config{}), tcp.New(tcp.Config{})
	}
	for name, net := range nets {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			for _, place := range []fagus.Placement{fagus.PlaceAuto, fagus.PlacePrivate, fagus.PlaceShared} {
				for _, elements := range []int{1 << 38, 1 << 43, 1 << 57} {
					cfg := fagus.Config{Nodes: 2, Net: net, Mode: mode, Placement: place}
					_, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
						_, err := fagus.NewArray[float64](n, "big", elements)
						return err
					})
					if err == nil || !strings.Contains(err.Error(), `"big"`) && !strings.Contains(err.Error(), "cannot share memory") {
						t.Errorf("%s, %v mode, %v: %d elements: error %v, want one about the array", name, mode, place, elements, err)
					}
				}
			}
		}
	}
}

// fewBytes lets the ranks write in turns, and the other rank check.
func fewBytes(n *fagus.Node) error {
	a, v, err := guarded[byte](n, largeBytes)
	if err != nil {
		return err
	}
	parts := []interval{{0, 40}, {1<<31 - 5000, 1<<31 + 20}, {1<<32 - 9000, 1<<32 + 9000}, {largeBytes - 5, largeBytes}}
	var ranges []fagus.Range
	for _, x := range parts {
		ranges = append(ranges, a.Range(x.lo, x.hi))
	}
	if err := n.Barrier(); err != nil { // all have bound
		return err
	}
	for round := range 4 {
		if round%2 == n.Rank() {
			set := n.Set(fagus.Want(v, fagus.Exclusive).Writing(ranges...))
			if err := n.During(set, func() error {
				for i, x := range parts {
					for at := x.lo; at < x.hi; at++ {
						a.Slice()[at] = byte(at + i + round*31)
					}
				}
				return nil
			}); err != nil {
				return err
			}
		}
		if err := n.Barrier(); err != nil {
			return err
		}
		if err := n.During(n.Set(fagus.Want(v, fagus.Shared)), func() error {
			for i, x := range parts {
				for at := max(x.lo-100, 0); at < min(x.hi+100, largeBytes); at++ {
					want := byte(at + i + round*31)
					if at < x.lo || at >= x.hi {
						want = 0
					}
					if got := a.Slice()[at]; got != want {
						return fmt.Errorf("round %d: rank %d has %d in byte %d, want %d", round, n.Rank(), got, at, want)
					}
				}
			}
			return nil
		}); err != nil {
			return err
		}
		if err := n.Barrier(); err != nil {
			return err
		}
	}
	return nil
}

// TestLargeArrayMoves moves a whole array of more than 4 GiB from rank 0 to rank 1, once.
func TestLargeArrayMoves(t *testing.T) {
	if !*large {
		t.Skip("needs -large")
	}
	if free, err := freeBytes(); err != nil || free < 10<<30 {
		t.Skipf("needs 10 GiB of memory, %d bytes are available (%v)", free, err)
	}
	for name, cfg := range largeNets(t) {
		t.Run(name, func(t *testing.T) { runLarge(t, cfg, allBytes) })
	}
}

// allBytes lets rank 0 write all words, and rank 1 check them.
func allBytes(n *fagus.Node) error {
	a, v, err := guarded[uint64](n, largeBytes/8)
	if err != nil {
		return err
	}
	word := func(i int) uint64 { return uint64(i)*0x9e3779b97f4a7c15 + 1 }
	if n.Rank() == 0 {
		set := n.Set(fagus.Want(v, fagus.Exclusive).Writing(a.All()))
		if err := n.During(set, func() error {
			for i := range a.Slice() {
				a.Slice()[i] = word(i)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	if err := n.Barrier(); err != nil {
		return err
	}
	return n.During(n.Set(fagus.Want(v, fagus.Shared)), func() error {
		for i, x := range a.Slice() {
			if x != word(i) {
				return fmt.Errorf("rank %d has %#x as word %d, want %#x", n.Rank(), x, i, word(i))
			}
		}
		return nil
	})
}

// freeBytes returns the available memory of the machine.
func freeBytes() (n int, err error) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(text), "MemAvailable:")
	_, err = fmt.Sscanf(after, "%d kB", &n)
	return n << 10, err
}
