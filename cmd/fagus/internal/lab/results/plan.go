package results

import (
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

type input string

func (in input) args() []string { return strings.Fields(string(in)) }

func (in input) name() string {
	if in == "" {
		return "as it comes"
	}
	return strings.TrimPrefix(strings.ReplaceAll(string(in), "--", ""), "class ")
}

type entry struct {
	name    string
	checked []input // inputs of the runs on every network, in both modes
	curve   input   // input of the runs on many simulated nodes
	race    input   // input of the runs on this machine
}

func entries() []entry {
	var list []entry
	for _, name := range []string{"ep", "ft", "mg", "is", "cg", "bt", "sp", "ssor"} {
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
		entry{"wordcount", asItComes, "--words 1000000", "--words 10000000"},
		entry{"workqueue", asItComes, "", ""},
		entry{"many", asItComes, "", ""})
}

// chosen returns the plan for the named programs, or for all programs if names is empty.
func chosen(names []string) ([]entry, error) {
	all := entries()
	known := base.Map(all, func(e entry) string { return e.name })
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, usage.Errorf("no program %q: there are %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(e entry) bool { return len(names) > 0 && !slices.Contains(names, e.name) }), nil
}

// quick returns the entry with one small input, for a trial.
func (e entry) quick() entry {
	e.checked, e.curve, e.race = e.checked[:1], e.checked[0], e.checked[0]
	return e
}

// rivalry is a pair of inputs that solve the same problem in different ways.
type rivalry struct {
	what, program string
	a, b          input
	why           string
}

// rivalries returns pairs in which entry consistency or a mode is slower, each with the reason.
func rivalries() []rivalry {
	return []rivalry{
		{"a pipeline (p2p, 32 nodes)", "p2p", "--nodes 32 --mode phase", "--nodes 32 --mode threaded",
			"every rank needs its left neighbour's last column, row by row. A phase is collective: all ranks send each other acquire lists for a number that one of them needs."},
		{"small hand-overs in a pipeline (p2p, 4 nodes)", "p2p", "--nodes 4 --batch 1", "--nodes 4 --batch 64",
			"the cost of a hand-over does not shrink with its data: entry consistency needs large bindings, a pipeline small ones."},
		{"a queue of rows (mandelbrot, 4 nodes)", "mandelbrot", "--nodes 4 --mode phase", "--nodes 4 --mode threaded",
			"a rank asks the queue when it is idle; in phase mode it then waits until all other ranks call as well."},
		{"what can be shared out beforehand (mandelbrot, 4 nodes)", "mandelbrot", "--nodes 4 --mode phase", "--nodes 4 --mode phase --static",
			"the same rows without a queue: phases suit work that is known beforehand."},
		{"branch and bound (tsp, 4 nodes)", "tsp", "--nodes 4 --mode phase", "--nodes 4 --mode threaded",
			"a new bound helps most at once; in phases it arrives with the next access to the queue."},
		{"a lock a molecule (water, 16 nodes)", "water", "--nodes 16 --bind lock", "--nodes 16 --bind block",
			"a lock per molecule, as SPLASH has it, becomes a variable per molecule, each with its own entry in a list and its own transfer."},
		{"all from all, for a vector (cg, 16 nodes)", "cg", "--nodes 16 --mode threaded", "--nodes 16 --mode phase",
			"here threaded mode loses: it sends a request for each block to each owner, while a phase merges them."},
		{"what Midway did (matmul, 4 nodes)", "matmul", "--n 512 --nodes 4 --mode threaded", "--n 512 --nodes 4 --mode phase",
			"both move every variable once, and a phase requests all of them at once."},
	}
}
