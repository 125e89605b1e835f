package fagus_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestCheckedRandomPrograms: programs that keep the rules are let alone, however
// their variables share pages, and compute the same.
func TestCheckedRandomPrograms(t *testing.T) {
	needGuard(t)
	seeds := uint64(20)
	if testing.Short() {
		seeds = 3
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		for name, cfg := range everyRuntime(t, seed) {
			cfg.Nodes = 1 + int(seed%4)
			for _, cfg.Check = range []fagus.Check{fagus.CheckOn, fagus.CheckStrict} {
				o := newOracle(seed)
				o.lawful = true
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				_, err := fagus.Run(ctx, cfg, o.program(seed))
				cancel()
				if err != nil {
					t.Fatalf("%s, seed %d, check %v: %v", name, seed, cfg.Check, err)
				}
			}
		}
	}
}

// TestCheckLeavesTheRunAlone: in virtual time a checked run is the same run.
func TestCheckLeavesTheRunAlone(t *testing.T) {
	needGuard(t)
	for _, mode := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
		hash := func(check fagus.Check) uint64 {
			o, net := newOracle(3), newSim(t, sim.Config{Seed: 3})
			o.lawful = true
			if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 3, Net: net, Mode: mode, Check: check}, o.program(3)); err != nil {
				t.Fatal(err)
			}
			return net.Result().TraceHash
		}
		if off, on := hash(fagus.CheckOff), hash(fagus.CheckOn); off != on {
			t.Errorf("%v mode: trace hash %x, checked %x", mode, off, on)
		}
	}
}

// TestEveryWriteOutsideIsFound: whatever the bindings, one byte that is changed
// without an exclusive tenure, or outside of what is declared, is named: where it
// happens, or at Release.
func TestEveryWriteOutsideIsFound(t *testing.T) {
	needGuard(t)
	seeds := uint64(300)
	if testing.Short() {
		seeds = 60
	}
	atOnce, atRelease := 0, 0
	for seed := uint64(1); seed <= seeds; seed++ {
		var at int
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Net: inproc.New(inproc.Config{}), Check: fagus.CheckOn}, func(n *fagus.Node) error {
			p := &rankProgram{oracle: newOracle(seed), n: n, random: rand.New(rand.NewPCG(seed, 7))}
			if err := p.declare(); err != nil {
				return err
			}
			return p.writeOutside(&at)
		})
		switch {
		case errors.Is(err, errAllHeld):
		case err == nil || !strings.Contains(err.Error(), fmt.Sprintf(" a[%d],", at)):
			t.Fatalf("seed %d: byte %d was changed, Run says: %v", seed, at, err)
		case strings.Contains(err.Error(), ": writes "):
			atOnce++
		case strings.Contains(err.Error(), "the tenure that ends here wrote"):
			atRelease++
		}
	}
	if atOnce == 0 || atRelease == 0 {
		t.Errorf("%d were found at once, %d at Release", atOnce, atRelease)
	}
}

// errAllHeld says that a seed tests nothing.
var errAllHeld = errors.New("every byte may be written")

// writeOutside acquires at random and changes one byte that it must not.
func (p *rankProgram) writeOutside(at *int) error {
	may := make([]bool, p.size)
	var wants []fagus.Request
	for v, guard := range p.guards {
		mode := []fagus.Mode{0, fagus.Shared, fagus.Exclusive}[p.random.IntN(3)]
		if guard == nil || mode == 0 {
			continue
		}
		want, writes := fagus.Want(guard, mode), p.vars[v]
		if mode == fagus.Exclusive && p.random.IntN(2) == 0 {
			x := randomPart(p.random, writes)
			writes = []interval{x}
			want = want.Writing(p.a.Range(x.lo, x.hi))
		}
		wants = append(wants, want)
		for _, x := range writes {
			for i := x.lo; mode == fagus.Exclusive && i < x.hi; i++ {
				may[i] = true
			}
		}
	}
	var outside []int
	for i, may := range may {
		if !may {
			outside = append(outside, i)
		}
	}
	if len(outside) == 0 {
		return errAllHeld
	}
	*at = outside[p.random.IntN(len(outside))]
	set := p.n.Set(wants...)
	if err := p.n.Acquire(set); err != nil {
		return err
	}
	p.a.Slice()[*at] = 1
	return p.n.Release(set)
}
