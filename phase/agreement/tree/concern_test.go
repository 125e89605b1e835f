package tree_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/phase/agreement/tree"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// readBefore is a program over a tree: in each cycle every rank writes its variable, and reads the
// variable of the rank before it. At the end all ranks read all variables.
type readBefore struct {
	nodes, cycles int
	shared        bool // the engines share a Replica

	followed int                  // by rank 5, before the end
	charged  [][dimmnet.Works]int // of rank 5, by phase
}

func (c *readBefore) run(t *testing.T) {
	t.Helper()
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	replica := new(tree.Replica)
	if err := net.Run(ctx, c.nodes, func(h dimmnet.Host) error { return c.program(h, replica) }); err != nil {
		t.Fatal(err)
	}
}

func (c *readBefore) program(h dimmnet.Host, replica *tree.Replica) error {
	space := consistency.NewSpace()
	mem := make([]byte, 8*c.nodes)
	base, err := space.AddRegion("a", "bytes", 8, mem)
	if err != nil {
		return err
	}
	for r := range consistency.Addr(c.nodes) {
		if _, err := space.Bind(fmt.Sprint(r), []consistency.Range{{Lo: base + 8*r, Hi: base + 8*r + 8}}); err != nil {
			return err
		}
	}
	rank := h.Port().Rank()
	if !c.shared {
		replica = new(tree.Replica)
	}
	var m *movement.Mover
	m = movement.New(h.Port(), space, 0, func(w dimmnet.Work, n int) {
		if rank != 5 {
			return
		}
		for len(c.charged) <= int(m.Phase) {
			c.charged = append(c.charged, [dimmnet.Works]int{})
		}
		c.charged[m.Phase][w] += n
	})
	limits, over := m.Port.Limits(), tree.Of(c.nodes)
	lines := tree.PlaceLines(&limits)
	m.UsePush(movement.PushConfig{Words: movement.PlacePushWords(&limits, 4, 0), Repeats: true})
	if m.Layout, err = ringbuf.NewTreeLayout(limits, over); err != nil {
		return err
	}
	a := tree.New(m, tree.Config{Observer: syncvar.Unobserved{}, Lines: lines, Virtual: true, Replica: replica})
	m.Connect(a, false)
	e := phase.Assemble(m, a, syncvar.Unobserved{})
	own, before := syncvar.ID(rank), syncvar.ID((int(rank)+c.nodes-1)%c.nodes)
	for n := range c.cycles {
		if err := e.Call(&syncvar.List{Call: syncvar.Acquire, Exclusive: []syncvar.ID{own}}); err != nil {
			return err
		}
		space.BeginWrite(own, nil)
		mem[8*own] = byte(n + 1)
		space.EndWrite(own, e.Version(own))
		if err := e.Call(&syncvar.List{Call: syncvar.Acquire, Shared: []syncvar.ID{before}}); err != nil {
			return err
		}
		if got := mem[8*before]; got != byte(n+1) {
			return fmt.Errorf("cycle %d: rank %d reads %d", n, rank, got)
		}
	}
	if rank == 5 {
		c.followed = replica.Followed()
	}
	// A rank that wants a variable for the first time gets what was written last.
	all := syncvar.List{Call: syncvar.Acquire}
	for id := range syncvar.ID(c.nodes) {
		all.Shared = append(all.Shared, id)
	}
	if err := e.Call(&all); err != nil {
		return err
	}
	for id := range c.nodes {
		if got := mem[8*id]; got != byte(c.cycles) {
			return fmt.Errorf("rank %d reads %d from variable %d at the end", rank, got, id)
		}
	}
	return e.Call(&syncvar.List{Call: syncvar.End})
}

// TestRanksFollowTheirOwn: a rank that is alone in its process keeps the two variables that it
// wants in its near table, and still reads all others rightly at the end. It looks them up in the
// lists of a few phases, or brings its far table up to date.
func TestRanksFollowTheirOwn(t *testing.T) {
	for _, cycles := range []int{1, 2, 3, 6, 40} {
		for _, nodes := range []int{6, 9, 30} {
			c := readBefore{nodes: nodes, cycles: cycles}
			if c.run(t); c.followed != 2 {
				t.Errorf("%d nodes, %d cycles: rank 5 follows %d variables, want 2", nodes, cycles, c.followed)
			}
		}
	}
}

// TestWorkOfAPhase: a phase whose lists are expected costs a rank the same on 14 and on 140 ranks,
// whether it repeats or not. A rank is charged for the work that it would do alone.
func TestWorkOfAPhase(t *testing.T) {
	longtest.OneThread(t)
	few, many, alone := readBefore{nodes: 14, cycles: 8, shared: true}, readBefore{nodes: 140, cycles: 8, shared: true}, readBefore{nodes: 14, cycles: 8}
	few.run(t)
	many.run(t)
	alone.run(t)
	for phase := range 16 {
		a, b := few.charged[phase], many.charged[phase]
		if own := alone.charged[phase]; own != a {
			t.Errorf("phase %d: a rank is charged %v if it is alone, and %v if it is not", phase, own, a)
		}
		if first := phase < 3; !first && a != b {
			t.Errorf("phase %d: a rank of 14 is charged %v, one of 140 %v", phase, a, b)
		} else if first && a[dimmnet.Entry] >= b[dimmnet.Entry] {
			t.Errorf("phase %d: a rank looks at %d lists of 14, and at %d of 140", phase, a[dimmnet.Entry], b[dimmnet.Entry])
		}
		if a[dimmnet.Step] > 4 {
			t.Errorf("phase %d takes %d steps", phase, a[dimmnet.Step])
		}
	}
}
