//go:build linux && !race

package tcp

import (
	"bytes"
	"fmt"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
)

// TestLargeBulk moves bytes to the ends of a bulk memory of almost 4 GiB, and back. The system
// provides memory only for pages that are used, unless Go reuses memory that it has freed. The
// race detector would use memory for all pages.
func TestLargeBulk(t *testing.T) {
	const llcm, end = 1 << 17, 1<<32 - 8192
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil || info.Freeram*uint64(info.Unit) < 2*end {
		t.Skipf("needs %d bytes of memory, %d are free (%v)", 2*end, info.Freeram*uint64(info.Unit), err)
	}
	err := New(Config{LLCM: llcm, Bulk: end - llcm}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 1 {
			return await(p, 0, 1)
		}
		for _, m := range []carry{
			{llcm, end - 1<<20, 1 << 20}, {end - 1<<20, llcm, 1 << 20}, {1<<31 - 5000, 1<<31 - 70_003, 150_001},
			{end - 9, end - 9, 9}, {end - 30_000, end - 30_001, 30_000},
		} {
			if err := m.run(p); err != nil {
				return fmt.Errorf("%+v: %w", m, err)
			}
		}
		p.Store(1, 0, 1, dimmnet.WordBytes)
		return p.Err()
	})
	if err != nil {
		t.Error(err)
	}
}

// carry moves n bytes from an offset at rank 0 to an offset at rank 1, and back.
type carry struct {
	from, to dimmnet.Offset
	n        int
}

func (m carry) run(p dimmnet.Port) error {
	const done = 8
	want, got := meshtest.Noise(m.n), make([]byte, m.n)
	for _, move := range []func() bool{
		func() bool {
			p.Fill(m.from, want)
			return p.Push(1, m.from, m.to, m.n, done)
		},
		func() bool {
			p.Fill(m.from, got) // zeros
			return p.Pull(1, m.to, m.from, m.n, done)
		},
	} {
		if !move() {
			return fmt.Errorf("a move was refused: %w", p.Err())
		}
		if err := await(p, done, uint64(m.n)); err != nil {
			return err
		}
		p.Store(0, done, 0, dimmnet.WordBytes)
	}
	if p.Read(got, m.from); !bytes.Equal(got, want) {
		return fmt.Errorf("other bytes have come back")
	}
	return nil
}

// await waits until the word at off is v.
func await(p dimmnet.Port, off dimmnet.Offset, v uint64) error {
	return dimmnet.Drive(p, still{}, func() bool { return p.Load(off) == v })
}

type still struct{}

// Step does nothing.
func (still) Step() (bool, error) { return false, nil }
