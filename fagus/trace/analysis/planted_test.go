package analysis_test

import (
	"errors"
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

// planted is a program with an inefficiency and, if params say so, without it.
type planted struct {
	name    string
	mode    fagus.Mode
	kind    string // of the advice
	about   string // its Variable
	program func(*fagus.Node, params) error
	mended  fagus.Mode
	live    params // on a live network; no microsecond: there is no such advice
}

const us = fagus.Microsecond

func plantedPrograms() []planted {
	return []planted{
		{"imbalance", fagus.Phase, analysis.Imbalance, "", imbalance, fagus.Phase, params{us: us, times: 20}},
		{"imbalance, threaded", fagus.Threaded, analysis.Imbalance, "", imbalance, fagus.Threaded, params{us: us, times: 20}},
		{"serial part", fagus.Phase, analysis.Imbalance, "", serialPart, fagus.Phase, params{us: us, times: 20}},
		{"queue", fagus.Threaded, analysis.Grain, "", queue, fagus.Threaded, params{us: us / 40, times: 200}},
		{"queue in phases", fagus.Phase, analysis.Grain, "", queue, fagus.Phase, params{us: us / 40, times: 50}},
		{"fine grain", fagus.Phase, analysis.Grain, "", fineGrain, fagus.Phase, params{us: us / 4, times: 500}},
		{"false sharing", fagus.Phase, analysis.Sharing, "x", falseSharing, fagus.Phase, params{us: us, times: 20}},
		{"false sharing, threaded", fagus.Threaded, analysis.Sharing, "x", falseSharing, fagus.Threaded, params{us: us, times: 20}},
		{"needless update", fagus.Phase, analysis.Needless, "", needlessUpdate, fagus.Phase, params{us: us / 40, times: 2000}},
		{"large binding", fagus.Phase, analysis.Binding, "block.*", largeBinding, fagus.Phase, params{us: us, times: 25, block: 1 << 17}},
		{"large binding, threaded", fagus.Threaded, analysis.Binding, "block.*", largeBinding, fagus.Threaded, params{us: us, times: 25, block: 1 << 17}},
		{"made elsewhere", fagus.Phase, analysis.Placement, "block.*", madeElsewhere, fagus.Phase, params{us: us, times: 25, block: 1 << 17}},
		{"not declared", fagus.Phase, analysis.Declare, "", notDeclared, fagus.Phase, params{us: us, times: 25, block: 1 << 17}},
		{"not declared, threaded", fagus.Threaded, analysis.Declare, "", notDeclared, fagus.Threaded, params{us: us, times: 25, block: 1 << 17}},
		{"phases", fagus.Phase, analysis.Mode, "", ownPace, fagus.Threaded, params{us: us, times: 5}},
		{"requests", fagus.Threaded, analysis.Mode, "", manyVariables, fagus.Phase, params{}},
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// params are those of a planted program.
type params struct {
	mended int        // 0: not mended; of Grain: how many calls are joined
	us     fagus.Time // what the program computes in "a microsecond"
	times  int        // as many rounds as in virtual time, or 1
	block  int        // elements of a rank in a program that moves blocks
}

// compute computes for a time.
func compute(n *fagus.Node, t fagus.Time) {
	if n.Virtual() {
		n.Spend(t)
		return
	}
	for end := n.Now() + t; n.Now() < end; {
	}
}

func imbalance(n *fagus.Node, p params) error {
	for range 20 * p.times {
		if p.mended > 0 {
			compute(n, fagus.Time(1+n.Nodes())*50*p.us)
		} else {
			compute(n, fagus.Time(1+n.Rank())*100*p.us)
		}
		if err := n.Barrier(); err != nil {
			return err
		}
	}
	return nil
}

func serialPart(n *fagus.Node, p params) error {
	for range 20 * p.times {
		switch {
		case p.mended > 0:
			compute(n, 200*p.us/fagus.Time(n.Nodes()))
		case n.Rank() == 0:
			compute(n, 200*p.us)
		}
		if err := n.Barrier(); err != nil {
			return err
		}
		compute(n, 100*p.us)
		if err := n.Barrier(); err != nil {
			return err
		}
	}
	return nil
}

// queue makes 512 tasks of 20 us each, 1 or more at a time.
func queue(n *fagus.Node, p params) error {
	next := fagus.NewGuarded[int64](n, "next", 1)
	batch := int64(max(1, p.mended))
	for {
		first := int64(0)
		err := n.Set(next.Write()).Do(func() {
			first = next.Slice()[0]
			next.Slice()[0] += batch
		})
		if err != nil {
			return err
		}
		if first >= int64(512*p.times) {
			return nil
		}
		compute(n, fagus.Time(batch)*20*p.us)
	}
}

func fineGrain(n *fagus.Node, p params) error {
	join := max(1, p.mended)
	for range 128 * p.times / join {
		compute(n, fagus.Time(join)*2*p.us)
		if err := n.Barrier(); err != nil {
			return err
		}
	}
	return nil
}

// falseSharing makes each rank change 256 elements of its own, guarded by one variable.
func falseSharing(n *fagus.Node, p params) error {
	const own = 256
	x := must(fagus.NewArray[float64](n, "x.data", own*n.Nodes()))
	part := func(r int) fagus.Range { return x.Range(r*own, (r+1)*own) }
	var all []fagus.Range
	var vars []*fagus.SyncVar
	for r := range n.Nodes() {
		all = append(all, part(r))
	}
	if p.mended > 0 {
		for r := range n.Nodes() {
			vars = append(vars, must(n.Bind(fmt.Sprint("x.", r), part(r))))
		}
	} else {
		vars = append(vars, must(n.Bind("x", all...)))
	}
	mine := vars[min(n.Rank(), len(vars)-1)]
	for range 10 * p.times {
		err := n.Set(mine.Write()).Do(func() {
			for i := range own {
				x.Slice()[n.Rank()*own+i]++
			}
			compute(n, 200*p.us)
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

func needlessUpdate(n *fagus.Node, p params) error {
	x := fagus.NewGuarded[float64](n, "x", 8)
	for range 40 * p.times {
		compute(n, 10*p.us)
		var err error
		if p.mended > 0 {
			err = n.Fence()
		} else {
			err = n.Update()
		}
		if err != nil {
			return err
		}
		if err := n.Set(x.Read()).Do(func() { compute(n, 10*p.us) }); err != nil {
			return err
		}
	}
	return nil
}

// largeBinding makes each rank change a block, of which the next rank reads one element. If it is
// mended, the next rank gets as many elements as mended says.
func largeBinding(n *fagus.Node, p params) error {
	size := p.block
	a := must(fagus.NewArray[float64](n, "a", size*n.Nodes()))
	blocks, edges := make([]*fagus.SyncVar, n.Nodes()), make([]*fagus.SyncVar, n.Nodes())
	for r := range n.Nodes() {
		edge := r * size
		if p.mended > 0 {
			edge += p.mended
			edges[r] = must(n.Bind(fmt.Sprint("edge.", r), a.Range(r*size, edge)))
		}
		blocks[r] = must(n.Bind(fmt.Sprint("block.", r), a.Range(edge, (r+1)*size)))
	}
	next := (n.Rank() + 1) % n.Nodes()
	for range 10 * p.times {
		lo, hi := n.Rank()*size, (n.Rank()+1)*size
		own := n.Set(blocks[n.Rank()].Write().Writing(a.Range(lo, hi)))
		if edge := lo + p.mended; p.mended > 0 {
			own = n.Set(blocks[n.Rank()].Write().Writing(a.Range(edge, hi)), edges[n.Rank()].Write().Writing(a.Range(lo, edge)))
		}
		err := own.Do(func() {
			for i := range size {
				a.Slice()[n.Rank()*size+i]++
			}
			compute(n, 100*p.us)
		})
		if err != nil {
			return err
		}
		if err := n.Fence(); err != nil {
			return err
		}
		read := n.Set(blocks[next].Read())
		if p.mended > 0 {
			read = n.Set(edges[next].Read())
		}
		if err := read.Do(func() { compute(n, 50*p.us) }); err != nil {
			return err
		}
		if err := n.Fence(); err != nil {
			return err
		}
	}
	return nil
}

// madeElsewhere makes each rank change a block that the next rank reads or, if it is mended, one
// that it reads itself.
func madeElsewhere(n *fagus.Node, p params) error {
	a := must(fagus.NewArray[float64](n, "a", p.block*n.Nodes()))
	blocks := make([]*fagus.SyncVar, n.Nodes())
	for r := range n.Nodes() {
		blocks[r] = must(n.Bind(fmt.Sprint("block.", r), a.Range(r*p.block, (r+1)*p.block)))
	}
	made, used := n.Rank(), (n.Rank()+1)%n.Nodes()
	if p.mended > 0 {
		made = used
	}
	for range 10 * p.times {
		err := n.Set(blocks[made].Write().Writing(a.Range(made*p.block, (made+1)*p.block))).Do(func() {
			for i := range p.block {
				a.Slice()[made*p.block+i]++
			}
			compute(n, 100*p.us)
		})
		if err := errors.Join(err, n.Fence()); err != nil {
			return err
		}
		sum := 0.0
		err = n.Set(blocks[used].Read()).Do(func() {
			for _, x := range a.Slice()[used*p.block:][:p.block] {
				sum += x
			}
			compute(n, 50*p.us)
		})
		if err := errors.Join(err, n.Fence()); err != nil {
			return err
		}
	}
	return nil
}

// notDeclared makes each rank change its block, of which it declares all if the program is mended.
func notDeclared(n *fagus.Node, p params) error {
	a := must(fagus.NewArray[float64](n, "a", p.block*n.Nodes()))
	var own fagus.Request
	var mine fagus.Range
	for r := range n.Nodes() {
		of := a.Range(r*p.block, (r+1)*p.block)
		block := must(n.Bind(fmt.Sprint("block.", r), of))
		if r == n.Rank() {
			own, mine = block.Write(), of
		}
	}
	if p.mended > 0 {
		own = own.Writing(mine)
	}
	for range 10 * p.times {
		err := n.Set(own).Do(func() {
			for i := range p.block {
				a.Slice()[n.Rank()*p.block+i]++
			}
			compute(n, 100*p.us)
		})
		if err := errors.Join(err, n.Barrier()); err != nil {
			return err
		}
	}
	return nil
}

// ownPace makes ranks change variables of their own: in phases each waits for the others.
func ownPace(n *fagus.Node, p params) error {
	var own *fagus.Guarded[int64]
	for r := range n.Nodes() {
		x := fagus.NewGuarded[int64](n, fmt.Sprint("x.", r), 1)
		if r == n.Rank() {
			own = x
		}
	}
	for i := range 20 * p.times {
		work := 100 * p.us
		if i%n.Nodes() == n.Rank() {
			work = 2000 * p.us
		}
		if err := n.Set(own.Write()).Do(func() { own.Slice()[0]++; compute(n, work) }); err != nil {
			return err
		}
	}
	return nil
}

// manyVariables makes each rank change a variable, and read those of all others: one request each.
func manyVariables(n *fagus.Node, p params) error {
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
	for range 20 * p.times {
		if err := n.Set(own.Write()).Do(func() { own.Slice()[0]++; compute(n, 50*p.us) }); err != nil {
			return err
		}
		if err := n.Fence(); err != nil {
			return err
		}
		if err := n.Set(read...).Do(func() { compute(n, 50*p.us) }); err != nil {
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

func analyse(t testing.TB, mode fagus.Mode, program func(*fagus.Node, params) error, mended int) *analysis.Result {
	t.Helper()
	return analysis.Of(record(t, simulation(t), mode, program, params{mended: mended, us: us, times: 1, block: 2048}))
}

func simulation(t testing.TB) dimmnet.Network {
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
func record(t testing.TB, net dimmnet.Network, mode fagus.Mode, program func(*fagus.Node, params) error, p params) *trace.Trace {
	t.Helper()
	tr := trace.New()
	cfg := fagus.Config{Nodes: 4, Net: net, Mode: mode, Trace: tr, Placement: placement(p)}
	if net.Clock() == dimmnet.Virtual {
		tr.Net = "dimmnet1"
	}
	if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error { return program(n, p) }); err != nil {
		t.Fatal(err)
	}
	return tr
}

func placement(p params) fagus.Placement {
	if p.mended == oneCopy {
		return fagus.PlaceShared
	}
	return fagus.PlacePrivate
}

// TestEdges: no advice says to make the edge of a block at the rank that needs it.
func TestEdges(t *testing.T) {
	advice := analyse(t, fagus.Phase, largeBinding, 512).Advice
	if !slices.ContainsFunc(advice, func(a analysis.Advice) bool { return a.Kind == analysis.Binding }) {
		t.Errorf("an edge of a quarter of a block takes no time: %v", advice)
	}
	for _, a := range advice {
		if a.Kind == analysis.Placement {
			t.Errorf("advice %v", a)
		}
	}
}

// TestApart: the analysis knows whether ranks change parts of a variable that do not overlap.
func TestApart(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for name, c := range map[string]struct {
			program func(*fagus.Node, params) error
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

// passAround makes one rank after the other change an array, which all others get.
func passAround(n *fagus.Node, p params) error {
	x := fagus.NewGuarded[float64](n, "x", p.block)
	for i := range 8 * p.times {
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

// TestPlacement: on a network where ranks share memory, one copy of the arrays is advised, if what
// moves takes time. Times are those of this machine, so no prediction is compared.
func TestPlacement(t *testing.T) {
	copies := analysis.Of(record(t, inproc.New(inproc.Config{}), fagus.Phase, passAround, params{times: 1, block: 1 << 18}))
	at := slices.IndexFunc(copies.Advice, func(a analysis.Advice) bool { return a.Kind == analysis.Placement })
	if at < 0 {
		t.Fatalf("no advice on the placement: %v", copies.Advice)
	}
	one := analysis.Of(record(t, inproc.New(inproc.Config{}), fagus.Phase, passAround, params{mended: oneCopy, times: 1, block: 1 << 18}))
	t.Logf("%v\n%v becomes %v", copies.Advice[at], copies.Total, one.Total)
	if len(one.Matrix) > 0 || slices.ContainsFunc(one.Advice, func(a analysis.Advice) bool { return a.Kind == analysis.Placement }) {
		t.Errorf("with one copy %v moves, and the advice is %v", one.Matrix, one.Advice)
	}
}
