package variable

import (
	"sync"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var (
	total   int
	list    []int
	table   = make(map[string]int)
	current = new(state)
	plain   state
	whole   [8]int
	count   atomic.Int64
	number  int64
	words   = make(chan int)
	guarded int
	mu      sync.Mutex
	array   *fagus.Array[int]
	pointed = &total2
	total2  int
	helped  int
	inside  int
	through state
	alias   = make(map[int]int)
)

type state struct{ steps, rounds int }

func (s *state) next() { s.steps++ }

func (s *state) twice() { s.again(); s.again() }

func (s *state) again() { s.next() }

func main() {
	captured, deep := 0, 0
	program.Main(run)
	program.Main(func(n *fagus.Node) error {
		captured++               // want `variable: captured is written by every rank`
		add := func() { deep++ } // want `variable: deep is written by every rank`
		add()
		return nil
	})
	own := new(state)
	program.App{Run: own.run}.Main()
	total = 0 // no rank
}

func (s *state) run(n *fagus.Node) error {
	s.rounds = 3 // want `variable: s is written by every rank`
	return nil
}

func run(n *fagus.Node) error {
	total++                     // want `variable: total is written by every rank: ranks that are goroutines share it, ranks that are processes have one each; make it an array \(fagus.NewGuarded\), or a local variable of the program`
	total += 2                  // reported above
	list = append(list, 1)      // want `variable: list is written`
	table["a"]++                // want `variable: table is written`
	current.next()              // want `variable: current is written`
	plain.twice()               // want `variable: plain is written`
	whole[n.Nodes()%8] = 1      // want `variable: whole is written`
	count.Add(1)                // want `variable: count is written`
	atomic.AddInt64(&number, 1) // want `variable: number is written`
	words <- 1                  // want `variable: words is written`
	mu.Lock()
	guarded++ // want `variable: guarded is written`
	mu.Unlock()
	array, _ = fagus.NewArray[int](n, "a", 3) // want `variable: array is written`
	*pointed = 4                              // want `variable: pointed is written`
	help()
	go func() { inside = 1 }() // want `variable: inside is written`
	set(&through)              // want `variable: through is written`
	m := alias
	m[1] = 2 // want `variable: alias is written`
	return nil
}

func help() {
	helped++ // want `variable: helped is written`
}

func set(s *state) { s.steps = 1 }
