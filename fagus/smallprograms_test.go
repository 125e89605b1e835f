package fagus_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

var everyProgram = flag.Bool("every-program", false, "let TestSmallPrograms run all programs")

// smallOperations are the operations of small programs: tenures of two variables. Exclusive ones
// read an item and add 1, so the value that a tenure reads is the version.
var smallOperations = []string{"Xs x++", "Ss x", "Xt y++", "St y"}

// smallPrograms calls f with every program of up to 3 ranks and 6 tenures of two variables. Of
// programs that differ only by the names of ranks and variables, it generates one.
func smallPrograms(f func(ranks [][]string)) {
	shapes := [][]int{{1, 1}, {2, 1}, {1, 1, 1}, {3, 1}, {2, 2}, {2, 1, 1}, {4, 1}, {3, 2}, {3, 1, 1}, {2, 2, 1},
		{5, 1}, {4, 2}, {3, 3}, {4, 1, 1}, {3, 2, 1}, {2, 2, 2}}
	for _, shape := range shapes {
		total, all := 0, 1
		for _, n := range shape {
			total += n
		}
		for range total {
			all *= len(smallOperations)
		}
		for code := range all / 2 { // the first operation uses s: t instead gives no new program
			ranks, rest := make([][]string, len(shape)), code
			// The highest digit of code selects the first operation.
			for weight, r, i := all/len(smallOperations), 0, 0; weight > 0; weight /= len(smallOperations) {
				ranks[r] = append(ranks[r], smallOperations[rest/weight])
				rest %= weight
				if i++; i == shape[r] {
					r, i = r+1, 0
				}
			}
			f(ranks)
		}
	}
}

// TestSmallPrograms runs small programs in virtual time with random delays, and compares their
// outcomes with those that the axioms allow. With -every-program it runs all of them.
func TestSmallPrograms(t *testing.T) {
	step := longtest.Cases(23, 97)
	switch {
	case *everyProgram:
		step = 1
	case testing.Short():
		step = 499
	}
	number, run := 0, 0
	smallPrograms(func(ranks [][]string) {
		if number++; number%step != 0 {
			return
		}
		run++
		l := litmus{name: fmt.Sprint(ranks), bound: both, ranks: ranks}
		allowed := l.allowed()
		for mode, cfg := range engines() {
			net := newSim(t, sim.Config{Seed: uint64(number), Limit: 100 * dimmnet.Second})
			cfg.Net, cfg.Nodes = net, len(ranks)
			if outcome := l.run(t, cfg, uint64(number)); !allowed[outcome] {
				t.Errorf("%q, %s, seed %d: saw %q, allowed are %v", ranks, mode, number, outcome, allowed)
			}
		}
	})
	t.Logf("%d of %d programs", run, number)
}
