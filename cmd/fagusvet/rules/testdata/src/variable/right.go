package variable

import (
	"context"
	"sync"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var (
	result  float64
	results [8]float64
	size    = 100
	once    sync.Once
	cache   []int
	printed int
)

func right() {
	program.Main(func(n *fagus.Node) error {
		own := make(map[int]int)
		own[size]++
		s := new(state)
		s.twice()
		add := func() { own[0]++; s.rounds = 1 }
		add()
		if n.Rank() == 0 {
			result = 1
			print1()
		}
		results[n.Rank()] = 2
		once.Do(func() { cache = make([]int, size) })
		a, err := fagus.NewArray[int](n, "a", size)
		if err != nil {
			return err
		}
		a.Slice()[0] = 1
		return nil
	})
	var mine sync.Mutex
	sum := 0
	_, _ = fagus.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error {
		mine.Lock()
		defer mine.Unlock()
		sum++
		return nil
	})
	size = 3
}

func print1() { printed++ }

func unused() { result++ }
