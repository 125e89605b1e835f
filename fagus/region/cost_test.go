package region

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestPredict compares predictions with those computed by hand.
func TestPredict(t *testing.T) {
	c := &Cost{Estimate: Estimate{Ranks: 2}}
	c.Step()
	c.Works(10, 5, 1000) // 2000 ns
	c.Works(3, 5, 30)    // 60 ns, of which one rank has 40
	c.Repeat(10)
	c.Step()
	c.Works(0, 1, 100) // 40 ns, 10 times
	c.Repeat(-1)
	c.Step()
	c.End()
	c.End()
	c.Repeat(2)
	c.Scatters(30)
	c.End()
	c.Copy(100, true)
	c.Copy(50, false)
	steps := 1.0 + 10 + 10*UnknownTimes
	for _, tt := range []struct {
		how         Manner
		alone, both float64
	}{
		{InPlace, 2460, 1040 + 400 + 7*(steps+1) + 3*2*1000},
		{OneCopy, 2460, 1040 + 400 + 3*7*steps + 250*0.3 + 3*50e3},
		{Copies, 2460, 1040 + 400 + 3*7*steps + 250*0.8 + 60*500 + 3*50e3},
	} {
		if alone, both := c.OneRank(), c.AllRanks(7, tt.how); alone != tt.alone || both != tt.both {
			t.Errorf("manner %v: %v and %v, want %v and %v", tt.how, alone, both, tt.alone, tt.both)
		}
	}
}

// TestAlone: small calls run on one rank and large ones on all, and all ranks decide equally; but
// never with resident arrays, with Config.Check, after Together, or on a simulated network.
func TestAlone(t *testing.T) {
	for _, tt := range []struct {
		name     string
		cfg      fagus.Config
		work     int
		steps    int // more than one
		resident bool
		together bool
		want     bool
	}{
		{name: "small", work: 10, want: true},
		{name: "small, threaded", work: 10, cfg: fagus.Config{Mode: fagus.Threaded}, want: true},
		{name: "large", work: 1 << 40},
		{name: "too many steps", work: 1 << 40, steps: mostPlanned, want: true},
		{name: "resident", work: 10, resident: true, want: true},
		{name: "resident, with copies", work: 10, resident: true, cfg: fagus.Config{Placement: fagus.PlacePrivate}},
		{name: "small, with copies", work: 10, cfg: fagus.Config{Placement: fagus.PlacePrivate}, want: true},
		{name: "planned, with copies", work: 150e3, cfg: fagus.Config{Placement: fagus.PlacePrivate}, want: true},
		{name: "together", work: 10, together: true},
		{name: "checked", work: 10, cfg: fagus.Config{Check: fagus.CheckOn}},
		{name: "simulated", work: 10, cfg: fagus.Config{Net: network(t)}},
	} {
		tt.cfg.Nodes = 3
		_, err := fagus.Run(t.Context(), tt.cfg, func(n *fagus.Node) error {
			if tt.together {
				Together(n)
			}
			a := make([]float64, 100)
			if tt.resident {
				r, err := New[float64](n, "a", 100)
				if err != nil {
					return err
				}
				a = r.Slice()
			}
			for range 3 {
				p := Open(n, "TestAlone", "work", tt.work)
				c := NewCost(p)
				Copied(c, a, true)
				c.Step()
				c.Works(tt.work, 1, tt.work)
				for range tt.steps {
					c.Step()
				}
				if settled := tt.steps > 0 || tt.together || tt.cfg.Check != fagus.CheckOff || tt.cfg.Net != nil; c.Settled() != settled && !tt.resident {
					return fmt.Errorf("settled %v, want %v", c.Settled(), settled)
				}
				alone, err := c.Alone()
				if err != nil {
					return err
				}
				p.Close()
				if alone != tt.want {
					return fmt.Errorf("rank %d: alone %v, want %v", n.Rank(), alone, tt.want)
				}
				if told, err := Tell(n, n.Rank()+7); told != 7 || err != nil {
					return fmt.Errorf("rank %d is told %d, error %w; want 7", n.Rank(), told, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// network returns a simulated network.
func network(t *testing.T) *sim.Network {
	net, err := sim.New(sim.Config{Env: "fagus2"})
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// BenchmarkAlone measures what a call on one rank costs, apart from the function.
func BenchmarkAlone(b *testing.B) {
	if _, err := fagus.Run(b.Context(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		x, y := make([]float64, 100), make([]float64, 100)
		for b.Loop() {
			p := Open(n, "BenchmarkAlone", "n", 100, "steps", 3)
			ownX, ownY := x, y
			In(p, "x", &ownX)
			In(p, "y", &ownY)
			c := NewCost(p)
			Copied(c, x, true)
			Copied(c, y, false)
			c.Repeat(3)
			c.Step()
			c.Works(98, 5, 98)
			c.End()
			if alone, err := c.Alone(); !alone || err != nil {
				return fmt.Errorf("alone %v, error %w", alone, err)
			}
			p.Close()
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
}
