package fagus_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestCheckedRandomPrograms: Config.Check reports nothing about programs that keep the rules,
// however their variables share pages, and does not change their results.
func TestCheckedRandomPrograms(t *testing.T) {
	needGuard(t)
	for seed := uint64(1); seed <= cases(20, 3); seed++ {
		for name, cfg := range everyRuntime(t, seed) {
			cfg.Nodes = 1 + int(seed%4)
			for _, cfg.Check = range []fagus.Check{fagus.CheckOn, fagus.CheckStrict} {
				o := newOracle(seed)
				o.lawful = true
				if _, err := runFor(t, cfg, o.program(seed)); err != nil {
					t.Fatalf("%s, seed %d, check %v: %v", name, seed, cfg.Check, err)
				}
			}
		}
	}
}

// TestCheckDoesNotChangeTheTrace: in virtual time checked and unchecked runs have the same trace.
func TestCheckDoesNotChangeTheTrace(t *testing.T) {
	needGuard(t)
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		hash := func(check fagus.Check) uint64 {
			o, net := newOracle(3), newSim(t, sim.Config{Seed: 3})
			o.lawful = true
			if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 3, Net: net, Mode: mode, Check: check}, o.program(3)); err != nil {
				t.Fatal(err)
			}
			return net.Result().TraceHash
		}
		if off, on := hash(fagus.CheckOff), hash(fagus.CheckOn); off != on {
			t.Errorf("%v mode: the trace hash is %x without checking, %x with it", mode, off, on)
		}
	}
}

// TestEveryWriteOutsideIsFound: for any bindings, a write to one byte that is not held
// exclusively, or not declared, is reported with that byte, immediately or at Release.
func TestEveryWriteOutsideIsFound(t *testing.T) {
	needGuard(t)
	atOnce, atRelease := 0, 0
	for seed := uint64(1); seed <= cases(300, 20); seed++ {
		var at int
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Net: goroutines(), Check: fagus.CheckOn}, func(n *fagus.Node) error {
			p := &rankProgram{oracle: newOracle(seed), n: n, random: rand.New(rand.NewPCG(seed, 7))}
			if err := p.declare(); err != nil {
				return err
			}
			return p.writeOutside(&at)
		})
		switch {
		case errors.Is(err, errAllHeld):
		case err == nil || !strings.Contains(err.Error(), fmt.Sprintf(" a[%d],", at)):
			t.Fatalf("seed %d: byte %d was changed, but Run returns %v", seed, at, err)
		case strings.Contains(err.Error(), ": writes "):
			atOnce++
		case strings.Contains(err.Error(), "the tenure that ends here wrote"):
			atRelease++
		}
	}
	if atOnce == 0 || atRelease == 0 {
		t.Errorf("%d writes were found at once, %d at Release: want some of each", atOnce, atRelease)
	}
}

// errAllHeld reports that the program of a seed has no forbidden write.
var errAllHeld = errors.New("every byte may be written")

// writeOutside acquires variables at random and changes one byte that the rank must not
// change. It stores the byte's index in at.
func (p *rankProgram) writeOutside(at *int) error {
	may := make([]bool, p.size)
	var wants []fagus.Request
	for v, guard := range p.guards {
		access := []fagus.Access{0, fagus.Shared, fagus.Exclusive}[p.random.IntN(3)]
		if guard == nil || access == 0 {
			continue
		}
		want, writes := fagus.Want(guard, access), p.vars[v]
		if access == fagus.Exclusive && p.random.IntN(2) == 0 {
			x := randomPart(p.random, writes)
			writes = []interval{x}
			want = want.Writing(p.a.Range(x.lo, x.hi))
		}
		wants = append(wants, want)
		for _, x := range writes {
			for i := x.lo; access == fagus.Exclusive && i < x.hi; i++ {
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
	return tenure(p.n, p.n.Set(wants...), func() { p.a.Slice()[*at] = 1 })
}
