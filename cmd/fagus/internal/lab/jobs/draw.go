package jobs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

const (
	mostRanks = 256
	// limit is how long a job may take. It is long, because 64 ranks may share two processors.
	limit = 5 * time.Minute
)

// kind is a program, and sizes of it that take some milliseconds. Each number is drawn between the
// two ends of its range.
type kind struct {
	program string
	flags   []numbers
	options []string // further flags, each drawn or not
	// most is the largest number of ranks; 0: any. Of more, the sizes are too small, or sums of all
	// ranks in each step take minutes in threaded mode on few processors.
	most int
}

type numbers struct {
	flag        string
	least, most int
}

func kinds() []kind {
	return []kind{
		{program: "matmul", flags: []numbers{{"n", 4, 96}}},
		{program: "many", flags: []numbers{{"variables", 1, 40}, {"rounds", 1, 8}}, options: []string{"--independent", "--work=0s"}},
		{program: "workqueue", flags: []numbers{{"tasks", 1, 60}, {"batch", 1, 4}}, options: []string{"--static", "--work=10us"}},
		{program: "tsp", flags: []numbers{{"cities", 5, 9}, {"depth", 1, 3}}},
		{program: "sor", flags: []numbers{{"n", 8, 40}}},
		{program: "radix", flags: []numbers{{"keys", 1, 20000}}},
		{program: "lu", flags: []numbers{{"n", 8, 128}, {"block", 4, 32}}},
		{program: "water", flags: []numbers{{"molecules", 27, 64}, {"steps", 1, 3}}, options: []string{"--bind=molecule"}},
		{program: "barnes", flags: []numbers{{"bodies", 100, 400}, {"steps", 1, 3}}},
		{program: "kmeans", most: 16, flags: []numbers{{"points", 200, 3000}, {"clusters", 2, 8}}},
		{program: "pagerank", most: 16, flags: []numbers{{"pages", 50, 500}, {"links", 500, 3000}}},
		{program: "conjugate", most: 16, flags: []numbers{{"grid", 5, 24}}},
		{program: "mandelbrot", flags: []numbers{{"width", 8, 80}, {"height", 8, 60}, {"batch", 1, 6}}, options: []string{"--static"}},
		{program: "wordcount", most: 64, flags: []numbers{{"words", 1, 20000}, {"vocabulary", 1, 2000}}},
		{program: "ep", most: 8}, {program: "is", most: 8}, {program: "cg", most: 4}, {program: "mg", most: 4}, {program: "bt", most: 4}, {program: "sp", most: 4}, {program: "ssor", most: 8},
		{program: "dgemm", flags: []numbers{{"n", 8, 96}, {"iterations", 1, 3}}},
		{program: "stencil", flags: []numbers{{"n", 16, 120}, {"iterations", 1, 5}}},
		{program: "transpose", flags: []numbers{{"n", 8, 128}, {"iterations", 1, 5}}},
		{program: "nstream", flags: []numbers{{"length", 100, 20000}, {"iterations", 1, 5}}},
		{program: "p2p", flags: []numbers{{"columns", 70, 120}, {"rows", 10, 100}, {"iterations", 1, 3}}},
	}
}

// draw returns the arguments of fagus for a random job.
func draw(random *rand.Rand, network string, nodes []int) []string {
	ranks := nodes[random.IntN(len(nodes))]
	all := kinds()
	k := all[random.IntN(len(all))]
	for k.most > 0 && ranks > k.most {
		k = all[random.IntN(len(all))]
	}
	args := []string{"run", k.program, "--net", network, "--nodes", fmt.Sprint(ranks), "--seed", fmt.Sprint(random.IntN(100)), "--json", "--timeout", limit.String()}
	for _, n := range k.flags {
		args = append(args, fmt.Sprintf("--%s=%d", n.flag, n.least+random.IntN(n.most-n.least+1)))
	}
	for _, o := range k.options {
		if random.IntN(2) == 0 {
			args = append(args, o)
		}
	}
	switch random.IntN(4) {
	case 0:
		args = append(args, "--mode=threaded")
	case 1:
		args = append(args, "--mode=threaded", "--notices")
	}
	if slices.Contains(args, "--mode=threaded") && random.IntN(2) == 0 {
		args = append(args, "--direct")
	}
	if random.IntN(3) == 0 {
		args = append(args, "--placement=private")
	}
	return args
}

// line returns a command line that a shell accepts.
func line(args []string) string { return "fagus " + strings.Join(args, " ") }
