package fagus_test

import (
	"context"
	"sync"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// work counts what the hosts of a network charge, by kind.
type work struct {
	dimmnet.Network
	mu     sync.Mutex
	counts [dimmnet.Works]int
}

func (w *work) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	return w.Network.Run(ctx, nodes, func(h dimmnet.Host) error { return body(workHost{h, w}) })
}

type workHost struct {
	dimmnet.Host
	work *work
}

func (h workHost) Charge(kind dimmnet.Work, n int) {
	h.work.mu.Lock()
	h.work.counts[kind] += n
	h.work.mu.Unlock()
	h.Host.Charge(kind, n)
}

func (h workHost) Go(name string, f func(dimmnet.Host) error) {
	h.Host.Go(name, func(own dimmnet.Host) error { return f(workHost{own, h.work}) })
}

// TestChargedWork: a program that moves data in known amounts charges exactly the work on them.
// Rank 0 writes half of an array, which rank 1 then reads.
func TestChargedWork(t *testing.T) {
	const bytes = 64 << 10
	for name, test := range map[string]struct {
		cfg             fagus.Config
		copied, noticed bool // the receive thread passes data on, and reads notices
	}{
		"rings":    {cfg: fagus.Config{Transfer: fagus.Rings}},
		"push":     {cfg: fagus.Config{Transfer: fagus.Push}},
		"threaded": {cfg: fagus.Config{Mode: fagus.Threaded}, copied: true},
		"notices":  {cfg: fagus.Config{Mode: fagus.Threaded, Notices: true}, copied: true, noticed: true},
		"direct":   {cfg: fagus.Config{Mode: fagus.Threaded, Direct: true}, copied: true},
	} {
		net := &work{Network: newSim(t, sim.Config{})}
		test.cfg.Nodes, test.cfg.Net = 2, net
		report := succeed(t, test.cfg, func(n *fagus.Node) error {
			a := fagus.NewGuarded[byte](n, "a", bytes)
			if n.Rank() == 0 {
				n.Set(a.Write()).Do(func() {
					for i := range a.Slice()[:bytes/2] {
						a.Slice()[i] = 1
					}
				})
			}
			n.Fence()
			if n.Rank() == 1 {
				n.Set(a.Read()).Do(func() { n.SpendMisses(7) })
			}
			return n.Err()
		})
		moved, got := bytes/2, net.counts
		want := map[dimmnet.Work]int{dimmnet.Give: moved, dimmnet.Take: moved, dimmnet.Compare: bytes, dimmnet.Copy: bytes, dimmnet.Miss: 7, dimmnet.Notice: 0}
		if test.copied { // the receive thread's buffers stay in its cache
			want[dimmnet.Take], want[dimmnet.Copy] = 0, bytes+moved
		}
		if test.noticed {
			want[dimmnet.Notice] = got[dimmnet.Entry] // one for each slot
		}
		for kind, n := range want {
			if got[kind] != n {
				t.Errorf("%s: %d of %v, want %d", name, got[kind], kind, n)
			}
		}
		if phases := int(report.Summary().Phases); phases > 0 && got[dimmnet.Step] < 2*2*phases || got[dimmnet.Entry] == 0 {
			t.Errorf("%s: %d of step and %d of entry in %d phases, want 2 of step for every rank and phase, and entries", name, got[dimmnet.Step], got[dimmnet.Entry], phases)
		}
	}
}
