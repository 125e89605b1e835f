package results

import (
	"fmt"
	"slices"
	"strings"
)

// input is what a program is given: flags of fagus run.
type input string

func (in input) args() []string { return strings.Fields(string(in)) }

// name is what pages call the input.
func (in input) name() string {
	if in == "" {
		return "as it comes"
	}
	return strings.TrimPrefix(strings.ReplaceAll(string(in), "--", ""), "class ")
}

// entry is what is run of a program.
type entry struct {
	name    string
	checked []input // on every network, with both engines
	curve   input   // on many simulated nodes
	race    input   // on this machine; empty: not at all
}

// entries is the plan.
func entries() []entry {
	var list []entry
	for _, name := range []string{"ep", "ft", "mg", "is", "cg"} {
		list = append(list, entry{name, []input{"--class S", "--class W"}, "--class W", "--class A"})
	}
	asItComes := []input{""}
	return append(list,
		entry{"dgemm", asItComes, "--n 1024 --iterations 2", "--n 1536 --iterations 4"},
		entry{"stencil", asItComes, "", "--n 4000 --iterations 20"},
		entry{"transpose", asItComes, "", "--n 2048 --iterations 20"},
		entry{"nstream", asItComes, "", "--length 20000000"},
		entry{"p2p", asItComes, "", "--columns 4000 --rows 4000 --batch 64"},
		entry{"matmul", asItComes, "--n 1024", "--n 2048"},
		entry{"sor", asItComes, "--n 256", "--n 768"},
		entry{"lu", asItComes, "--n 1024", "--n 2048 --block 64"},
		entry{"radix", asItComes, "--keys 1048576", "--keys 16777216"},
		entry{"tsp", asItComes, "", ""},
		entry{"water", asItComes, "", "--molecules 1728 --steps 10"},
		entry{"barnes", asItComes, "", "--bodies 65536 --steps 4"},
		entry{"kmeans", asItComes, "--points 65536", "--points 300000"},
		entry{"pagerank", asItComes, "--pages 200000 --links 2000000", "--pages 1000000 --links 8000000"},
		entry{"conjugate", asItComes, "", "--grid 512"},
		entry{"mandelbrot", asItComes, "--static", "--static --width 1920 --height 1080"},
		entry{"workqueue", asItComes, "", ""},
		entry{"many", asItComes, "", ""})
}

// Programs are the names of all that there is a plan for.
func Programs() (names []string) {
	for _, e := range entries() {
		names = append(names, e.name)
	}
	return names
}

// Known reports a name that is none of Programs.
func Known(names []string) error {
	for _, name := range names {
		if !slices.Contains(Programs(), name) {
			return fmt.Errorf("no program %q: there are %s", name, strings.Join(Programs(), ", "))
		}
	}
	return nil
}

// chosen are the entries of the programs that names has; all if it has none.
func chosen(names []string) ([]entry, error) {
	if err := Known(names); err != nil || len(names) == 0 {
		return entries(), err
	}
	return slices.DeleteFunc(entries(), func(e entry) bool { return !slices.Contains(names, e.name) }), nil
}

// quick makes inputs small and few, for those who want to see that it works.
func (e entry) quick() entry {
	e.checked, e.curve, e.race = e.checked[:1], e.checked[0], e.checked[0]
	return e
}

// rivalry is two ways to do the same, of which one shows what something costs.
type rivalry struct {
	what, program string
	a, b          input
	why           string
}

// rivalries are where entry consistency or phases lose, and by what.
func rivalries() []rivalry {
	return []rivalry{
		{"a pipeline (p2p, 32 nodes)", "p2p", "--nodes 32 --mode phase", "--nodes 32 --mode threaded",
			"every rank needs its left neighbour's last column, row for row. A phase is collective: all ranks send each other acquire lists for a number that one of them wants."},
		{"small hand-overs in a pipeline (p2p, 4 nodes)", "p2p", "--nodes 4 --batch 1", "--nodes 4 --batch 64",
			"what a hand-over costs does not depend on how little it carries: entry consistency wants large bindings, a pipeline small ones."},
		{"a queue of rows (mandelbrot, 4 nodes)", "mandelbrot", "--nodes 4 --mode phase", "--nodes 4 --mode threaded",
			"a queue asks when it has nothing to do; in phase mode it has to wait until all others ask for something, too."},
		{"what can be shared out beforehand (mandelbrot, 4 nodes)", "mandelbrot", "--nodes 4 --mode phase", "--nodes 4 --mode phase --static",
			"the same rows without a queue: phases like work that is known."},
		{"branch and bound (tsp, 4 nodes)", "tsp", "--nodes 4 --mode phase", "--nodes 4 --mode threaded",
			"the bound is worth most at once, and in phases it comes with the next queue."},
		{"a lock a molecule (water, 16 nodes)", "water", "--nodes 16 --bind lock", "--nodes 16 --bind block",
			"locks of single molecules, as SPLASH has them, become as many variables, each with its own line in a list and its own transfer."},
		{"all from all, for a vector (cg, 16 nodes)", "cg", "--nodes 16 --mode threaded", "--nodes 16 --mode phase",
			"here it is threaded mode that loses: a request for each block of each owner, where a phase merges them."},
		{"what Midway did (matmul, 4 nodes)", "matmul", "--n 512 --nodes 4 --mode threaded", "--n 512 --nodes 4 --mode phase",
			"both move every variable once, and a phase asks for all of them at once."},
	}
}
