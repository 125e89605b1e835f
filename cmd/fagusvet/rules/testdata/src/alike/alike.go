package alike

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"maps"

	"example.com/lib"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func lengths(n *fagus.Node, size int) error {
	fagus.NewArray[int](n, "a", size+n.Rank()) // want `alike: length of NewArray depends on the rank: all ranks must pass the same`
	per := size / n.Nodes()
	lo, hi := n.Rank()*per, (n.Rank()+1)*per
	fagus.NewGuarded[int](n, "even", hi-lo)
	hi = min(hi, size)
	fagus.NewGuarded[int](n, "uneven", hi-lo)                    // want `alike: length of NewGuarded depends on the rank`
	fagus.NewGuarded[int](n, "now", int(time.Now().Unix())%5)    // want `alike: length of NewGuarded depends on the clock`
	fagus.NewGuarded[int](n, "random", rand.IntN(100))           // want `alike: length of NewGuarded depends on a random number`
	fagus.NewGuarded[int](n, fmt.Sprintf("r%d", n.Rank()), 10)   // want `alike: name of NewGuarded depends on the rank`
	fagus.NewGuarded[int](n, fmt.Sprint("pid", os.Getpid()), 10) // want `alike: name of NewGuarded depends on the process`
	fagus.NewGuarded[int](n, os.Getenv("FAGUS_RANK"), 10)        // want `alike: name of NewGuarded depends on the rank`
	random := rand.New(rand.NewPCG(1, 2))                        // the same numbers on all ranks
	fagus.NewGuarded[int](n, "seeded", 1+random.IntN(100))
	own := rand.New(rand.NewPCG(1, uint64(n.Rank())))
	fagus.NewGuarded[int](n, "ownseed", 1+own.IntN(100)) // want `alike: length of NewGuarded depends on the rank`
	fagus.NewGuarded[int](n, "twice", lib.Twice(size))
	fagus.NewGuarded[int](n, "twice of the rank", lib.Twice(n.Rank())) // want `alike: length of NewGuarded depends on the rank`
	return nil
}

func chosen(n *fagus.Node) {
	size := 10
	if n.Rank() == 0 {
		size = 20
	}
	fagus.NewGuarded[int](n, "a", size)             // want `alike: length of NewGuarded depends on the rank`
	fagus.NewGuarded[int](n, "b", byRank(n.Rank())) // want `alike: length of NewGuarded depends on the rank`
	fagus.NewGuarded[int](n, "c", byRank(3))
	ours := 0
	if lib.Root(n) {
		ours = 7
	}
	ours, _ = fagus.Reduce(n, ours, func(a, b int) int { return max(a, b) })
	fagus.NewGuarded[int](n, "reduced", ours)
}

func byRank(rank int) int {
	if rank == 0 {
		return 5
	}
	return 6
}

type worker struct {
	n    *fagus.Node
	rank int
	size int
}

func newWorker(n *fagus.Node, size int) *worker { return &worker{n: n, rank: n.Rank(), size: size} }

func (w *worker) arrays() {
	fagus.NewGuarded[int](w.n, "a", w.size)
	fagus.NewGuarded[int](w.n, "b", w.size+w.rank) // want `alike: length of NewGuarded depends on the rank`
	makeArray(w.n, w.rank+1)
}

func makeArray(n *fagus.Node, length int) {
	fagus.NewArray[int](n, "made", length) // want `alike: length of NewArray depends on the rank`
}

func ranges(n *fagus.Node, a *fagus.Array[int]) {
	per := a.Len() / n.Nodes()
	n.Bind("mine", a.Range(n.Rank()*per, (n.Rank()+1)*per)) // want `alike: ranges of Bind depends on the rank`
	for r := range n.Nodes() {
		n.Bind(fmt.Sprint("of ", r), a.Range(r*per, (r+1)*per))
	}
	parts.NewVectors[int](n, "v", n.Rank()+1) // want `alike: length of NewVectors depends on the rank`
	parts.Broadcast(n, []int{1}, n.Rank())    // want `alike: from of Broadcast depends on the rank`
	parts.Broadcast(n, []int{n.Rank()}, 0)
}

func order(n *fagus.Node, sizes map[string]int) {
	for name, size := range sizes {
		fagus.NewGuarded[int](n, name, size) // want `alike: name of NewGuarded comes from a loop over a map, whose order differs`
	}
	largest := 0
	for _, size := range sizes {
		largest = max(largest, size)
	}
	fagus.NewGuarded[int](n, "largest", largest)
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		fagus.NewGuarded[int](n, name, sizes[name])
	}
}

// Local counts are reduced before they are used.
func rounds(n *fagus.Node, data []float64) {
	lo, hi := n.Rank()*10, (n.Rank()+1)*10
	sum, most := 0.0, 0
	add := func() {
		for _, x := range data[lo:hi] {
			sum += x
			most++
		}
	}
	add()
	most, _ = fagus.Reduce(n, most, func(a, b int) int { return max(a, b) })
	fagus.NewGuarded[int](n, "most", most)
}

func filtered(n *fagus.Node) {
	var mine []int
	for i := range 1000 {
		if i%n.Nodes() == n.Rank() {
			mine = append(mine, i)
		}
	}
	out := fagus.NewGuarded[int](n, "out", len(mine)) // want `alike: length of NewGuarded depends on the rank`
	n.Set(out.Write()).Do(func() { copy(out.Slice(), mine) })
}

func shares(n *fagus.Node) error {
	size := 0
	if n.Rank() == 0 {
		size = 100
	}
	size, err := fagus.Reduce(n, size, func(a, b int) int { return max(a, b) })
	if err != nil {
		return err
	}
	out := fagus.NewGuarded[int](n, "out", size)
	return n.Set(out.Write()).Do(func() { out.Slice()[size-1] = 1 })
}
