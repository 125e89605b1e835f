package fagus_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestCheckedRandomPrograms: Config.Check reports nothing about programs that keep the rules,
// however their variables share pages, and does not change their results.
func TestCheckedRandomPrograms(t *testing.T) {
	needGuard(t)
	for seed := uint64(1); seed <= cases(20, 3); seed++ {
		all := everyRuntime(t, seed)
		all["phase, shm"] = fagus.Config{Net: shm.New(shm.Config{Heap: 16 << 20})}
		all["locks, shm"] = fagus.Config{Net: shm.New(shm.Config{Heap: 16 << 20}), Mode: fagus.Threaded}
		for name, cfg := range all {
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
		at, part := 0, seed%2 == 0
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Net: goroutines(), Check: fagus.CheckOn}, func(n *fagus.Node) error {
			p := &rankProgram{oracle: newOracle(seed), n: n, random: rand.New(rand.NewPCG(seed, 7))}
			if err := p.declare(); err != nil {
				return err
			}
			return p.writeOutside(&at, part)
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

// errAllHeld reports that the program of a seed has no forbidden write, or no variable.
var errAllHeld = errors.New("there is no byte for the test")

// writeOutside acquires variables at random and changes one byte that the rank must not
// change, through Slice or a Part. It stores the byte's index in at.
func (p *rankProgram) writeOutside(at *int, part bool) error {
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
	return tenure(p.n, p.n.Set(wants...), func() {
		if part {
			p.a.Part(*at, *at+1)[0] = 1
		} else {
			p.a.Slice()[*at] = 1
		}
	})
}

// TestEveryReadOutsideIsFound: for any bindings, a read of one byte through a Part is reported with
// that byte if it is of a variable that the rank does not hold, and else it is not. So is a Copy.
func TestEveryReadOutsideIsFound(t *testing.T) {
	needGuard(t)
	for seed := uint64(1); seed <= cases(300, 20); seed++ {
		at, held, copies := 0, false, seed%4 == 0
		report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Net: goroutines(), Check: fagus.CheckOn}, func(n *fagus.Node) error {
			p := &rankProgram{oracle: newOracle(seed), n: n, random: rand.New(rand.NewPCG(seed, 7))}
			if err := p.declare(); err != nil {
				return err
			}
			return p.readOne(&at, &held, copies)
		})
		switch {
		case errors.Is(err, errAllHeld):
		case held && err != nil:
			t.Fatalf("seed %d: byte %d is held, but Run returns %v", seed, at, err)
		case !held && (err == nil || !strings.Contains(err.Error(), fmt.Sprintf(" a[%d], which ", at))):
			t.Fatalf("seed %d: byte %d was read, but Run returns %v", seed, at, err)
		case held && report.Coverage.Sharing > 0:
			t.Fatalf("seed %d: the program uses a Part alone, and %d variables are said to share pages", seed, report.Coverage.Sharing)
		}
	}
}

// readOne acquires variables at random and reads a byte of a variable, or copies the array of which
// it stores the first byte that is not held. It stores the byte's index and whether it is held.
func (p *rankProgram) readOne(at *int, held *bool, copies bool) error {
	may, guarded := make([]bool, p.size), make([]bool, p.size)
	var wants []fagus.Request
	for v, guard := range p.guards {
		access := []fagus.Access{0, fagus.Shared, fagus.Exclusive}[p.random.IntN(3)]
		if guard != nil && access != 0 {
			wants = append(wants, fagus.Want(guard, access))
		}
		for _, x := range p.vars[v] {
			for i := x.lo; i < x.hi; i++ {
				may[i], guarded[i] = access != 0, true
			}
		}
	}
	if *at = p.random.IntN(p.size); copies {
		*at = max(0, slices.Index(may, false))
	}
	if !slices.Contains(guarded, true) {
		return errAllHeld
	}
	for !copies && !guarded[*at] {
		*at = (*at + 1) % p.size
	}
	*held = may[*at]
	sum := byte(0)
	return tenure(p.n, p.n.Set(wants...), func() {
		if copies {
			sum += p.a.Copy()[0]
		} else {
			sum += p.a.Part(*at, *at+1)[0]
		}
	})
}
