package collective_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/collective"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

func TestNewChecks(t *testing.T) {
	const llcm = 3 * 392 // needed by 100 nodes
	for _, c := range []struct {
		base   dimmnet.Offset
		limits dimmnet.Limits
		want   string
	}{
		{0, dimmnet.Limits{Store: 8, LLCM: llcm}, ""},
		{8, dimmnet.Limits{Store: 8, LLCM: llcm}, "collective: 100 nodes need 1176 bytes from offset 8 on, but the LLCM ends at 1176"},
		{1<<32 - 8, dimmnet.Limits{Store: 8, LLCM: llcm}, "collective: 100 nodes need 1176 bytes from offset 4294967288 on, but the LLCM ends at 1176"},
		{4, dimmnet.Limits{Store: 8, LLCM: 2 * llcm}, "collective: base 4: want a multiple of 8"},
		{0, dimmnet.Limits{Store: 4, LLCM: llcm}, "collective: the port stores 4 bytes at once, and a value needs 8"},
	} {
		err := newInproc().Run(t.Context(), 100, func(h dimmnet.Host) error {
			_, err := collective.New(porttest.Limited(h.Port(), c.limits), c.base, collective.Config{})
			return err
		})
		if fmt.Sprint(err) != c.want && (err != nil || c.want != "") {
			t.Errorf("base %d, %+v: %v, want %q", c.base, c.limits, err, c.want)
		}
	}
	if n := collective.Bytes(100); n != llcm {
		t.Errorf("100 nodes need %d bytes", n)
	}
}

// TestBadCounts checks that rank 0 reports a wrong count from rank 1, and stays failed.
func TestBadCounts(t *testing.T) {
	reduce := func(g *collective.Group) error {
		_, err := collective.Reduce(g, uint32(1), collective.Sum)
		return err
	}
	for _, c := range []struct {
		off  dimmnet.Offset // within the area of level 0
		v    uint64
		size int
		call func(*collective.Group) error
		want string
	}{
		{1, 2, 1, (*collective.Group).Barrier, "collective: rank 0 in barrier 1: the word of rank 1 has call number 2: want 0 or 1; all ranks must make the same calls"},
		{8 + 8, 9<<32 | 1, 8, reduce, "collective: rank 0 in reduction 1: the word of rank 1 has call number 9: want 0 or 1; all ranks must make the same calls"},
	} {
		run(t, newSim(t, sim.Config{}), 2, func(h dimmnet.Host, g *collective.Group) error {
			if h.Port().Rank() == 1 {
				h.Port().Store(0, base+c.off, c.v, c.size)
				return nil
			}
			first := c.call(g)
			if first == nil || first.Error() != c.want {
				return fmt.Errorf("error of rank 0: %v, want %s", first, c.want)
			}
			if again := g.Barrier(); again != first || reduce(g) != first {
				return fmt.Errorf("second error of rank 0: %v", again)
			}
			return nil
		})
	}
}

// TestBadRelease checks that a child reports a wrong count from its parent.
func TestBadRelease(t *testing.T) {
	run(t, newSim(t, sim.Config{}), 2, func(h dimmnet.Host, g *collective.Group) error {
		if h.Port().Rank() == 0 {
			h.Port().Store(1, base, 255, 1)
			return nil
		}
		const want = "collective: rank 1 in barrier 1: the word of rank 0 has call number 255: want 0 or 1; all ranks must make the same calls"
		if err := g.Barrier(); err == nil || err.Error() != want {
			return fmt.Errorf("%v, want %s", err, want)
		}
		return nil
	})
}

// TestFailedPort checks that the other ranks do not wait for a rank that gave up.
func TestFailedPort(t *testing.T) {
	boom := errors.New("boom")
	for _, network := range []dimmnet.Network{newInproc(), newSim(t, sim.Config{}), porttest.Wrap(newInproc(), porttest.Refusing(1, 1./3))} {
		seen := make([]error, 20)
		err := network.Run(t.Context(), len(seen), func(h dimmnet.Host) error {
			g, err := collective.New(h.Port(), base, collective.Config{})
			if err != nil {
				return err
			}
			rank := h.Port().Rank()
			for i := range 10 {
				if rank == 9 && i == 5 {
					return boom
				}
				if _, err = collective.Reduce(g, 2.5, collective.Prod); err != nil {
					break
				}
			}
			seen[rank] = err
			return nil
		})
		if !errors.Is(err, boom) {
			t.Errorf("error of the run: %v", err)
		}
		for rank, err := range seen {
			if rank != 9 && (!errors.Is(err, boom) || !strings.HasPrefix(err.Error(), fmt.Sprintf("collective: rank %d in reduction ", rank))) {
				t.Errorf("rank %d: %v", rank, err)
			}
		}
	}
}

// TestMismatchEnds checks that the port ends ranks that make different calls.
func TestMismatchEnds(t *testing.T) {
	err := newSim(t, sim.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		g, err := collective.New(h.Port(), base, collective.Config{})
		if err == nil && h.Port().Rank() == 0 {
			return g.Barrier()
		}
		if err == nil {
			_, err = collective.Reduce(g, 1.0, collective.Sum)
		}
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "deadlock") {
		t.Error(err)
	}
}
