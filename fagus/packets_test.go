package fagus_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/dimmnet2"
	"github.com/fagus-dsm/fagus/fagus"
)

// shifted is a program in which every rank reads what the rank before has written.
func shifted(n *fagus.Node) error {
	const size = 4000
	all, err := fagus.NewArray[int64](n, "all", size*n.Nodes())
	if err != nil {
		return err
	}
	var parts []*fagus.SyncVar
	for r := range n.Nodes() {
		v, err := n.Bind("part."+string(rune('a'+r)), all.Range(r*size, (r+1)*size))
		if err != nil {
			return err
		}
		parts = append(parts, v)
	}
	own, other := n.Rank(), (n.Rank()+1)%n.Nodes()
	for range 3 {
		if err := n.Set(parts[own].Write()).Do(func() { all.Slice()[own*size]++ }); err != nil {
			return err
		}
		if err := n.Fence(); err != nil {
			return err
		}
		if err := n.Set(parts[other].Read()).Do(func() { _ = all.Slice()[other*size] }); err != nil {
			return err
		}
	}
	return nil
}

// landing is a packet that is in memory.
type landing struct {
	at       dimmnet.Time
	from, to dimmnet.Rank
}

// TestPackets: a simulated network tells of every packet that lands, when it does. No part of it
// has two packets at once, a packet enters the network before it leaves it, and to tell of it
// changes nothing.
func TestPackets(t *testing.T) {
	type network interface {
		dimmnet.Network
		Result() sim.Result
	}
	dimmnet1 := func(cfg sim.Config) (network, error) { return sim.New(cfg) }
	udp := func(cfg sim.Config) (network, error) {
		cfg.UDP = &sim.UDP{Loss: 0.01, Duplicate: 0.01, Reorder: 0.02}
		return sim.New(cfg)
	}
	second := func(cfg sim.Config) (network, error) { return dimmnet2.New(cfg, dimmnet2.Default()) }
	for _, c := range []struct {
		name  string
		open  func(sim.Config) (network, error)
		cfg   fagus.Config
		kinds []string
		nic   bool // whose records are those of receivers
	}{
		{"rings", dimmnet1, fagus.Config{Nodes: 4, Transfer: fagus.Rings}, []string{"AOTF", "BOTF"}, true},
		{"push", dimmnet1, fagus.Config{Nodes: 4, Transfer: fagus.Push}, []string{"ACK", "AOTF", "BOTF", "PUSH"}, true},
		{"back to back", dimmnet1, fagus.Config{Nodes: 2, Transfer: fagus.Push}, []string{"ACK", "AOTF", "BOTF", "PUSH"}, true},
		{"direct", dimmnet1, fagus.Config{Nodes: 3, Mode: fagus.Threaded, Direct: true}, []string{"ACK", "AOTF", "BOTF", "PULL", "PULL data"}, true},
		{"notices", dimmnet1, fagus.Config{Nodes: 3, Mode: fagus.Threaded, Notices: true}, []string{"AOTF", "BOTF", "notice"}, true},
		{"udp100", udp, fagus.Config{Nodes: 4}, []string{"datagram"}, false},
		{"dimmnet2", second, fagus.Config{Nodes: 4, Transfer: fagus.Push}, []string{"RVS", "done"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := make(map[string]bool)
			passages := make(map[string][]sim.Passage)
			landed, recorded := make(map[landing]int), make(map[landing]int)
			first := make(map[landing]dimmnet.Time) // by pair of ranks: the first packet
			quiet := sim.Config{Seed: 3}
			told := quiet
			told.Trace = func(r sim.Record) {
				if r.Note == "" {
					recorded[landing{r.At, r.From, r.Rank}]++
				}
			}
			told.Passed = func(p sim.Passage) {
				name := p.Part.Name(p.Of)
				passages[name] = append(passages[name], p)
				seen[p.What] = true
				pair := landing{0, p.Src, p.Dst}
				if at, known := first[pair]; !known || p.From < at {
					first[pair] = p.From
				}
				if p.Landed > 0 {
					if at, known := first[pair]; !known || at > p.Landed {
						t.Errorf("%s: a %s from rank %d to rank %d lands at %v, before one was sent", name, p.What, p.Src, p.Dst, p.Landed)
					}
					if p.What != "notice" {
						landed[landing{p.Landed, p.Src, p.Dst}]++
					}
				}
			}
			var hashes []uint64
			for _, cfg := range []sim.Config{quiet, told} {
				net, err := c.open(cfg)
				if err != nil {
					t.Fatal(err)
				}
				c.cfg.Net = net
				if _, err := fagus.Run(t.Context(), c.cfg, shifted); err != nil {
					t.Fatal(err)
				}
				hashes = append(hashes, net.Result().TraceHash)
			}
			if hashes[0] != hashes[1] {
				t.Error("to tell of packets changes the run")
			}
			if kinds := slices.Sorted(maps.Keys(seen)); !slices.Equal(kinds, c.kinds) {
				t.Errorf("packets %v, want %v", kinds, c.kinds)
			}
			if c.nic && !maps.Equal(landed, recorded) {
				t.Errorf("%d packets land, at other times or ranks than the %d of the simulator's trace", len(landed), len(recorded))
			}
			waited := false
			for name, all := range passages {
				slices.SortStableFunc(all, func(a, b sim.Passage) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
				for i, p := range all {
					waited = waited || p.Queued < p.From
					if p.Queued > p.From || p.From > p.To || i > 0 && p.From < all[i-1].To {
						t.Errorf("%s: %+v after %+v", name, p, all[max(0, i-1)])
						break
					}
				}
			}
			if !waited {
				t.Error("no packet has waited")
			}
		})
	}
}
