package fagus_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// Sizes of the random program. The variables share pages, and one of them is
// longer than a page.
const (
	programVars   = 5
	programWords  = 1500
	programRounds = 6
)

// bounds says which words of the array a variable guards.
func bounds(v int) (lo, hi int) {
	edges := [programVars + 1]int{0, 1, 3, 200, 900, programWords}
	return edges[v], edges[v+1]
}

// randomProgram acquires random variables in random modes. Whoever holds a
// variable finds the same number in all of its words: how many exclusive
// tenures it has had; an exclusive holder adds one. tally[rank][v] counts a
// rank's exclusive tenures.
func randomProgram(seed uint64, tally [][programVars]int) func(*fagus.Node) error {
	return func(n *fagus.Node) error {
		random := rand.New(rand.NewPCG(seed, uint64(n.Rank())))
		a, err := fagus.NewArray[uint64](n, "words", programWords)
		if err != nil {
			return err
		}
		var vars [programVars]*fagus.SyncVar
		for v := range vars {
			if vars[v], err = n.Bind(fmt.Sprintf("v%d", v), a.Range(bounds(v))); err != nil {
				return err
			}
		}
		var seen [programVars]uint64
		for range programRounds + n.Rank()%3 { // not the same number of calls everywhere
			var wants []fagus.Request
			var modes [programVars]fagus.Mode
			for v := range vars {
				switch random.IntN(4) {
				case 0:
					modes[v] = fagus.Exclusive
				case 1:
					modes[v] = fagus.Shared
				default:
					continue
				}
				want := fagus.Want(vars[v], modes[v])
				if modes[v] == fagus.Exclusive && random.IntN(2) == 0 {
					want = want.Writing(a.Range(bounds(v)))
				}
				wants = append(wants, want)
			}
			set := n.Set(wants...)
			if err := n.Acquire(set); err != nil {
				return err
			}
			for v, mode := range modes {
				if mode == 0 {
					continue
				}
				lo, hi := bounds(v)
				words := a.Slice()[lo:hi]
				for i, w := range words {
					if w != words[0] || w < seen[v] {
						return fmt.Errorf("rank %d holds v%d: word %d is %d, word 0 is %d, seen before %d", n.Rank(), v, i, w, words[0], seen[v])
					}
				}
				seen[v] = words[0]
				if mode == fagus.Exclusive && random.IntN(3) > 0 {
					for i := range words {
						words[i]++
					}
					seen[v]++
					tally[n.Rank()][v]++
				}
			}
			n.Spend(fagus.Time(random.IntN(20)) * dimmnet.Microsecond)
			if err := n.Release(set); err != nil {
				return err
			}
		}
		return lastLook(n, a, vars, tally)
	}
}

// lastLook updates, and then lets rank 0 compare every variable with the tally.
func lastLook(n *fagus.Node, a *fagus.Array[uint64], vars [programVars]*fagus.SyncVar, tally [][programVars]int) error {
	if err := n.Update(); err != nil {
		return err
	}
	if n.Rank() != 0 {
		return nil
	}
	var wants []fagus.Request
	for _, v := range vars {
		wants = append(wants, fagus.Want(v, fagus.Shared))
	}
	set := n.Set(wants...)
	if err := n.Acquire(set); err != nil {
		return err
	}
	for v := range vars {
		lo, hi := bounds(v)
		sum := 0
		for _, t := range tally {
			sum += t[v]
		}
		for i, w := range a.Slice()[lo:hi] {
			if w != uint64(sum) {
				return fmt.Errorf("v%d had %d exclusive tenures, but word %d is %d", v, sum, i, w)
			}
		}
	}
	return n.Release(set)
}

// runRandom runs the random program of seed and fails the test with the seed.
func runRandom(t *testing.T, net dimmnet.Network, nodes int, seed uint64) fagus.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tally := make([][programVars]int, nodes)
	report, err := fagus.Run(ctx, fagus.Config{Nodes: nodes, Net: net}, randomProgram(seed, tally))
	if err != nil {
		t.Fatalf("seed %d, %d nodes: %v", seed, nodes, err)
	}
	return report
}

func newSim(t testing.TB, cfg sim.Config) *sim.Network {
	t.Helper()
	net, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

func TestRandomProgramsOnGoroutines(t *testing.T) {
	for seed := range uint64(60) {
		runRandom(t, inproc.New(inproc.Config{}), 1+int(seed%6), seed)
	}
}
