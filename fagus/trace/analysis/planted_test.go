package analysis_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/fagus/trace/analysis"
)

const us = fagus.Microsecond

// planted is a program with an inefficiency and, if its argument is not 0, without it: the argument
// says how many calls are joined.
type planted struct {
	name    string
	mode    fagus.Mode
	kind    string // of the advice
	about   string // its Variable
	program func(n *fagus.Node, mended int) error
	mended  fagus.Mode
}

func plantedPrograms() []planted {
	return []planted{
		{"imbalance", fagus.Phase, analysis.Imbalance, "", imbalance, fagus.Phase},
		{"imbalance, threaded", fagus.Threaded, analysis.Imbalance, "", imbalance, fagus.Threaded},
		{"serial part", fagus.Phase, analysis.Imbalance, "", serialPart, fagus.Phase},
		{"queue", fagus.Threaded, analysis.Grain, "", queue, fagus.Threaded},
		{"queue in phases", fagus.Phase, analysis.Grain, "", queue, fagus.Phase},
		{"fine grain", fagus.Phase, analysis.Grain, "", fineGrain, fagus.Phase},
		{"false sharing", fagus.Phase, analysis.Sharing, "x", falseSharing, fagus.Phase},
		{"false sharing, threaded", fagus.Threaded, analysis.Sharing, "x", falseSharing, fagus.Threaded},
		{"needless update", fagus.Phase, analysis.Needless, "", needlessUpdate, fagus.Phase},
		{"large binding", fagus.Phase, analysis.Binding, "block.*", largeBinding, fagus.Phase},
		{"large binding, threaded", fagus.Threaded, analysis.Binding, "block.*", largeBinding, fagus.Threaded},
		{"phases", fagus.Phase, analysis.Mode, "", ownPace, fagus.Threaded},
		{"requests", fagus.Threaded, analysis.Mode, "", manyVariables, fagus.Phase},
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func imbalance(n *fagus.Node, mended int) error {
	for range 20 {
		if mended > 0 {
			n.Spend(250 * us)
		} else {
			n.Spend(fagus.Time(1+n.Rank()) * 100 * us)
		}
		if err := n.Barrier(); err != nil {
			return err
		}
	}
	return nil
}

func serialPart(n *fagus.Node, mended int) error {
	for range 20 {
		switch {
		case mended > 0:
			n.Spend(50 * us)
		case n.Rank() == 0:
			n.Spend(200 * us)
		}
		if err := n.Barrier(); err != nil {
			return err
		}
		n.Spend(100 * us)
		if err := n.Barrier(); err != nil {
			return err
		}
	}
	return nil
}

// queue makes 512 tasks of 20 us each, 1 or more at a time.
func queue(n *fagus.Node, mended int) error {
	next := fagus.NewGuarded[int64](n, "next", 1)
	batch := int64(max(1, mended))
	for {
		first := int64(0)
		err := n.Set(next.Write()).Do(func() {
			first = next.Slice()[0]
			next.Slice()[0] += batch
		})
		if err != nil {
			return err
		}
		if first >= 512 {
			return nil
		}
		n.Spend(fagus.Time(batch) * 20 * us)
	}
}

func fineGrain(n *fagus.Node, mended int) error {
	join := max(1, mended)
	for range 128 / join {
		n.Spend(fagus.Time(join) * 2 * us)
		if err := n.Barrier(); err != nil {
			return err
		}
	}
	return nil
}

// falseSharing makes each rank change 256 elements of its own, guarded by one variable.
func falseSharing(n *fagus.Node, mended int) error {
	const own = 256
	x := must(fagus.NewArray[float64](n, "x.data", own*n.Nodes()))
	part := func(r int) fagus.Range { return x.Range(r*own, (r+1)*own) }
	var all []fagus.Range
	var vars []*fagus.SyncVar
	for r := range n.Nodes() {
		all = append(all, part(r))
	}
	if mended > 0 {
		for r := range n.Nodes() {
			vars = append(vars, must(n.Bind(fmt.Sprint("x.", r), part(r))))
		}
	} else {
		vars = append(vars, must(n.Bind("x", all...)))
	}
	mine := vars[min(n.Rank(), len(vars)-1)]
	for range 10 {
		err := n.Set(mine.Write()).Do(func() {
			for i := range own {
				x.Slice()[n.Rank()*own+i]++
			}
			n.Spend(200 * us)
		})
		if err != nil {
			return err
		}
		if err := n.Barrier(); err != nil {
			return err
		}
	}
	return nil
}

func needlessUpdate(n *fagus.Node, mended int) error {
	x := fagus.NewGuarded[float64](n, "x", 8)
	for range 40 {
		n.Spend(10 * us)
		var err error
		if mended > 0 {
			err = n.Fence()
		} else {
			err = n.Update()
		}
		if err != nil {
			return err
		}
		if err := n.Set(x.Read()).Do(func() { n.Spend(10 * us) }); err != nil {
			return err
		}
	}
	return nil
}

// largeBinding makes each rank change a block, of which the next rank reads one element.
func largeBinding(n *fagus.Node, mended int) error {
	const size = 2048
	a := must(fagus.NewArray[float64](n, "a", size*n.Nodes()))
	blocks, edges := make([]*fagus.SyncVar, n.Nodes()), make([]*fagus.SyncVar, n.Nodes())
	for r := range n.Nodes() {
		edge := r * size
		if mended > 0 {
			edge++
			edges[r] = must(n.Bind(fmt.Sprint("edge.", r), a.Range(r*size, edge)))
		}
		blocks[r] = must(n.Bind(fmt.Sprint("block.", r), a.Range(edge, (r+1)*size)))
	}
	next := (n.Rank() + 1) % n.Nodes()
	for range 10 {
		own := n.Set(blocks[n.Rank()].Write())
		if mended > 0 {
			own = n.Set(blocks[n.Rank()].Write(), edges[n.Rank()].Write())
		}
		err := own.Do(func() {
			for i := range size {
				a.Slice()[n.Rank()*size+i]++
			}
			n.Spend(100 * us)
		})
		if err != nil {
			return err
		}
		if err := n.Fence(); err != nil {
			return err
		}
		read := n.Set(blocks[next].Read())
		if mended > 0 {
			read = n.Set(edges[next].Read())
		}
		if err := read.Do(func() { n.Spend(50 * us) }); err != nil {
			return err
		}
		if err := n.Fence(); err != nil {
			return err
		}
	}
	return nil
}

// ownPace makes ranks change variables of their own: in phases each waits for the others.
func ownPace(n *fagus.Node, _ int) error {
	var own *fagus.Guarded[int64]
	for r := range n.Nodes() {
		x := fagus.NewGuarded[int64](n, fmt.Sprint("x.", r), 1)
		if r == n.Rank() {
			own = x
		}
	}
	for i := range 20 {
		work := 100 * us
		if i%n.Nodes() == n.Rank() {
			work = 2000 * us
		}
		if err := n.Set(own.Write()).Do(func() { own.Slice()[0]++; n.Spend(work) }); err != nil {
			return err
		}
	}
	return nil
}

// manyVariables makes each rank change a variable, and read those of all others: one request each.
func manyVariables(n *fagus.Node, _ int) error {
	var own *fagus.Guarded[int64]
	var read []fagus.Request
	for r := range n.Nodes() {
		x := fagus.NewGuarded[int64](n, fmt.Sprint("x.", r), 64)
		if r == n.Rank() {
			own = x
		} else {
			read = append(read, x.Read())
		}
	}
	for range 20 {
		if err := n.Set(own.Write()).Do(func() { own.Slice()[0]++; n.Spend(50 * us) }); err != nil {
			return err
		}
		if err := n.Fence(); err != nil {
			return err
		}
		if err := n.Set(read...).Do(func() { n.Spend(50 * us) }); err != nil {
			return err
		}
		if err := n.Fence(); err != nil {
			return err
		}
	}
	return nil
}

// TestPlanted: the saving that is predicted for a planted inefficiency is within 20 % of what
// removing it saves, in virtual time.
func TestPlanted(t *testing.T) {
	for _, p := range plantedPrograms() {
		t.Run(p.name, func(t *testing.T) {
			slow := analyse(t, p.mode, p.program, 0)
			if !slow.Model.Ok {
				t.Fatalf("the model is no good: %+v", slow.Model)
			}
			at := slices.IndexFunc(slow.Advice, func(a analysis.Advice) bool { return a.Kind == p.kind && a.Variable == p.about })
			if at < 0 {
				t.Fatalf("no advice of kind %s: %v", p.kind, slow.Advice)
			}
			a := slow.Advice[at]
			mended := analyse(t, p.mended, p.program, max(1, a.Joined))
			saved := slow.Total - mended.Total
			off := float64(a.Saves)/float64(saved) - 1
			t.Logf("%v\n%v becomes %v: saves %v, predicted %v (%+.1f %%)", a, slow.Total, mended.Total, saved, a.Saves, 100*off)
			if math.Abs(off) > 0.2 {
				t.Errorf("the prediction is %+.1f %% off", 100*off)
			}
		})
	}
}

func analyse(t *testing.T, mode fagus.Mode, program func(*fagus.Node, int) error, mended int) *analysis.Result {
	t.Helper()
	return analysis.Of(record(t, simulation(t), mode, program, mended))
}

func simulation(t *testing.T) dimmnet.Network {
	t.Helper()
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// oneCopy is a mended program in which the arrays have one copy.
const oneCopy = -1

// record returns the trace of a run of four ranks.
func record(t *testing.T, net dimmnet.Network, mode fagus.Mode, program func(*fagus.Node, int) error, mended int) *trace.Trace {
	t.Helper()
	tr := trace.New()
	cfg := fagus.Config{Nodes: 4, Net: net, Mode: mode, Trace: tr, Placement: fagus.PlacePrivate}
	if net.Clock() == dimmnet.Virtual {
		tr.Net = "dimmnet1"
	}
	if mended == oneCopy {
		cfg.Placement = fagus.PlaceShared
	}
	if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error { return program(n, mended) }); err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestApart: the analysis knows whether ranks change parts of a variable that do not overlap.
func TestApart(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for name, c := range map[string]struct {
			program func(*fagus.Node, int) error
			apart   bool
		}{"parts": {falseSharing, true}, "one number": {queue, false}} {
			if g := analyse(t, mode, c.program, 0).Groups[0]; g.Apart != c.apart || g.Writers != 4 {
				t.Errorf("%s: %+v, want apart: %v", name, g, c.apart)
			}
		}
		if g := analyse(t, mode, falseSharing, 1).Groups[0]; g.Apart {
			t.Errorf("a variable for each rank: %+v", g)
		}
	}
}

// TestPlacement: on a network where ranks share memory, one copy of the arrays is advised, if what
// moves takes time. Times are those of this machine, so no prediction is compared.
func TestPlacement(t *testing.T) {
	program := func(n *fagus.Node, _ int) error {
		x := fagus.NewGuarded[float64](n, "x", 1<<18)
		for i := range 8 {
			if i%n.Nodes() == n.Rank() {
				err := n.Set(x.Write()).Do(func() {
					for k := range x.Slice() {
						x.Slice()[k]++
					}
				})
				if err != nil {
					return err
				}
			}
			if err := n.Update(); err != nil {
				return err
			}
		}
		return nil
	}
	copies := analysis.Of(record(t, inproc.New(inproc.Config{}), fagus.Phase, program, 0))
	at := slices.IndexFunc(copies.Advice, func(a analysis.Advice) bool { return a.Kind == analysis.Placement })
	if at < 0 {
		t.Fatalf("no advice on the placement: %v", copies.Advice)
	}
	one := analysis.Of(record(t, inproc.New(inproc.Config{}), fagus.Phase, program, oneCopy))
	t.Logf("%v\n%v becomes %v", copies.Advice[at], copies.Total, one.Total)
	if len(one.Matrix) > 0 || slices.ContainsFunc(one.Advice, func(a analysis.Advice) bool { return a.Kind == analysis.Placement }) {
		t.Errorf("with one copy %v moves, and the advice is %v", one.Matrix, one.Advice)
	}
}
