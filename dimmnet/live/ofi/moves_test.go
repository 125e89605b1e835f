//go:build ofi && linux && cgo

package ofi_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
)

// TestManyMoves makes more Pushes and Pulls than a rank has slots for. Each adds its bytes to its
// completion word exactly once, when they are in place.
func TestManyMoves(t *testing.T) {
	const n, moves, done = 16 << 10, 150, 64
	each(t, func(t *testing.T, provider string) {
		network := ofi.New(ofi.Config{Provider: provider, Mesh: mesh.Config{Bulk: 2 * n}})
		err := network.Run(t.Context(), 2, func(h dimmnet.Host) error {
			p := h.Port()
			bulk, peer := dimmnet.Offset(p.Limits().LLCM), 1-p.Rank()
			want, got := meshtest.Noise(n), make([]byte, n)
			p.Fill(bulk, want)
			if err := meshtest.Barrier(p, 1); err != nil {
				return err
			}
			for i := range uint64(2 * moves) {
				move := func() bool { return p.Push(peer, bulk, bulk+n, n, done) }
				if i%2 == 1 {
					p.Fill(bulk+n, make([]byte, n))
					move = func() bool { return p.Pull(peer, bulk, bulk+n, n, done) }
				}
				p.Store(p.Rank(), done, 0, dimmnet.WordBytes) // never refused
				if err := meshtest.Post(p, move); err != nil {
					return err
				}
				if err := dimmnet.Drive(p, meshtest.Still{}, func() bool { return p.Load(done) >= n }); err != nil {
					return err
				}
				if p.Read(got, bulk+n); i%2 == 1 && !bytes.Equal(got, want) {
					return fmt.Errorf("move %d is complete, and its bytes are not there", i)
				}
				if err := meshtest.Barrier(p, i+2); err != nil {
					return err
				}
				if got := p.Load(done); got != n {
					return fmt.Errorf("move %d: %d bytes are complete, want %d", i, got, n)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestFirstMove pushes before the ranks have exchanged a message: the provider must still connect.
func TestFirstMove(t *testing.T) {
	const n, done = 16 << 10, 64
	each(t, func(t *testing.T, provider string) {
		network := ofi.New(ofi.Config{Provider: provider, Mesh: mesh.Config{Bulk: n, Patience: 5 * time.Second}})
		err := network.Run(t.Context(), 2, func(h dimmnet.Host) error {
			p := h.Port()
			bulk := dimmnet.Offset(p.Limits().LLCM)
			if err := meshtest.Post(p, func() bool { return p.Push(1-p.Rank(), bulk, bulk, n, done) }); err != nil {
				return err
			}
			return dimmnet.Drive(p, meshtest.Still{}, func() bool { return p.Load(done) == n })
		})
		if err != nil {
			t.Error(err)
		}
	})
}
