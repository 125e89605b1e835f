package variable

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/lib"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var (
	filled   = make([]int, 8)
	output   strings.Builder
	document struct{ A int }
	memo     = make(map[string]int)
	memoLock sync.Mutex
	load     = sync.OnceValue(func() int { computed = 3; return 3 })
	computed int
	kept     sync.Map
	method   counter
	buffer   lib.Buffer
)

type counter struct{ n int }

func (c *counter) run(n *fagus.Node) error {
	c.n++ // want `variable: c is written by every rank`
	return nil
}

func facts() {
	program.Main(method.run)
	program.Main(func(n *fagus.Node) error {
		lib.Fill(filled) // want `variable: filled is written`
		lib.Count()      // want `variable: Count writes lib.Calls on every rank`
		set := buffer.Set
		set(1)                                  // want `variable: buffer is written`
		lib.Calls = 3                           // want `variable: Calls is written`
		fmt.Fprintln(&output, "a")              // want `variable: output is written`
		json.Unmarshal([]byte("{}"), &document) // want `variable: document is written`
		lib.Lookup("a")
		remember("b")
		load()
		kept.Store(1, 2) // want `variable: kept is written by every rank: a lock orders ranks that are goroutines, but ranks that are processes have one each`
		var own bytes.Buffer
		own.WriteString("mine")
		return nil
	})
}

func remember(key string) int {
	memoLock.Lock()
	defer memoLock.Unlock()
	if x, ok := memo[key]; ok {
		return x
	}
	memo[key] = len(key)
	return memo[key]
}

// Ranks are goroutines of this process for sure.
func here() {
	var count atomic.Int64
	var raced, single int
	results := make([]int, 4)
	done := make(chan int, 4)
	fagus.Run(context.Background(), fagus.Config{Nodes: 4}, func(n *fagus.Node) error {
		count.Add(1)
		done <- 1
		results[n.Rank()] = 1
		raced++ // want `variable: raced is written by every rank without a lock`
		return nil
	})
	fagus.Run(context.Background(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		single++
		return nil
	})
	runAll(func(n *fagus.Node) error {
		count.Add(1)
		return nil
	})
	cluster.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error {
		count.Add(1) // want `variable: count is written by every rank: a lock orders`
		return nil
	})
}

func runAll(program func(*fagus.Node) error) {
	fagus.Run(context.Background(), fagus.Config{}, program)
}
