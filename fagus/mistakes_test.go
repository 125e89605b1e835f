package fagus_test

import (
	"errors"
	"log"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// mistake is an ordinary mistake: a program of two ranks that runs as a command of its own.
type mistake struct {
	title string
	flags string // in addition to the network, the mode and the number of ranks
	body  func(n *fagus.Node) error
}

var mistakes = []mistake{
	{"A rank calls os.Exit(0)", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			os.Exit(0)
		}
		return n.Barrier()
	}},
	{"A rank calls os.Exit(3)", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			os.Exit(3)
		}
		return n.Barrier()
	}},
	{"A rank calls log.Fatal", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			log.Fatal("no more")
		}
		return n.Barrier()
	}},
	{"A rank calls runtime.Goexit", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			runtime.Goexit()
		}
		return n.Barrier()
	}},
	{"A rank panics", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			panic("lost the way")
		}
		return n.Barrier()
	}},
	{"A goroutine of a rank panics", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			go func() { panic("lost the way") }()
		}
		time.Sleep(100 * time.Millisecond)
		return n.Barrier()
	}},
	{"A rank returns early", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			return nil
		}
		return n.Barrier()
	}},
	{"A rank returns an error", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			return errors.New("no input")
		}
		return n.Barrier()
	}},
	{"Arrays of different lengths", "", func(n *fagus.Node) error {
		a := fagus.NewGuarded[float64](n, "a", 1000)
		b := fagus.NewGuarded[float64](n, "b", 2048*(1+n.Rank()))
		fagus.NewGuarded[float64](n, "c", 10)
		return n.Set(a.Write(), b.Write()).Do(func() {})
	}},
	{"Arrays of different element types", "", func(n *fagus.Node) error {
		if n.Rank() == 0 {
			fagus.NewGuarded[float64](n, "b", 100)
		} else {
			fagus.NewGuarded[int64](n, "b", 100)
		}
		return n.Barrier()
	}},
	{"Arrays of different names", "", func(n *fagus.Node) error {
		fagus.NewGuarded[float64](n, []string{"left", "right"}[n.Rank()], 100)
		return n.Barrier()
	}},
	{"Arrays in another order", "", func(n *fagus.Node) error {
		names := []string{"left", "right"}
		fagus.NewGuarded[float64](n, names[n.Rank()], 100)
		fagus.NewGuarded[float64](n, names[1-n.Rank()], 5000)
		return n.Barrier()
	}},
	{"An array that one rank does not make", "", func(n *fagus.Node) error {
		a := fagus.NewGuarded[float64](n, "a", 100)
		if n.Rank() == 1 {
			fagus.NewGuarded[float64](n, "b", 100)
		}
		return n.Set(a.Write()).Do(func() {})
	}},
	{"Different bindings", "", func(n *fagus.Node) error {
		a, err := fagus.NewArray[float64](n, "a", 100)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.Range(0, 50+n.Rank()))
		if err != nil {
			return err
		}
		return n.Set(v.Write()).Do(func() {})
	}},
	{"Grids of different widths", "", func(n *fagus.Node) error {
		if _, err := parts.NewGrid[float64](n, "grid", parts.Shape{Rows: 10, Columns: 10 + n.Rank()}); err != nil {
			return err
		}
		return n.Barrier()
	}},
	{"Update on one rank, Barrier on the other", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			return n.Update()
		}
		return n.Barrier()
	}},
	{"Reduce on one rank, Barrier on the other", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			_, err := fagus.Reduce(n, 1, addInts)
			return err
		}
		return n.Barrier()
	}},
	{"A Barrier that only rank 0 calls", "", func(n *fagus.Node) error {
		if n.Rank() == 0 {
			if err := n.Barrier(); err != nil {
				return err
			}
		}
		return n.Update()
	}},
	{"A Fence that only rank 0 calls", "", func(n *fagus.Node) error {
		if n.Rank() == 0 {
			if err := n.Fence(); err != nil {
				return err
			}
		}
		return n.Barrier()
	}},
	{"A rank waits for a channel", "--timeout 3s --roll-call 1s", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			<-n.Context().Done() // nobody sends
		}
		return n.Barrier()
	}},
	{"A rank computes forever", "--timeout 3s --roll-call 1s", func(n *fagus.Node) error {
		for n.Rank() == 1 {
			time.Sleep(time.Millisecond)
		}
		return n.Barrier()
	}},
	{"A rank waits while it holds a variable", "--timeout 3s --roll-call 1s", func(n *fagus.Node) error {
		a := fagus.NewGuarded[float64](n, "a", 100)
		if n.Rank() == 1 {
			return n.Set(a.Write()).Do(func() { <-n.Context().Done() })
		}
		time.Sleep(200 * time.Millisecond)
		return n.Set(a.Write()).Do(func() {})
	}},
	{"A forgotten Update", "--check", func(n *fagus.Node) error {
		a := fagus.NewGuarded[int](n, "a", 2*4096)
		if err := n.Set(a.Read()).Do(func() {}); err != nil {
			return err
		}
		if n.Rank() == 1 {
			_ = n.Set(a.Write()).Do(func() { a.Slice()[0] = 1 })
		} else if n.Mode() == fagus.Phase {
			_ = n.Set().Do(func() {})
		}
		if err := n.Barrier(); err != nil {
			return err
		}
		if n.Rank() == 0 && a.Slice()[0] != 1 {
			return errors.New("an old value")
		}
		return n.Barrier()
	}},
	{"A Node used by two goroutines", "", func(n *fagus.Node) error {
		a := fagus.NewGuarded[int64](n, "a", 100)
		if n.Rank() == 0 {
			return n.Set(a.Write()).Do(func() {})
		}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				for range 100 {
					_ = n.Set(a.Write()).Do(func() { a.Slice()[0]++ })
				}
			})
		}
		both.Wait()
		return n.Err()
	}},
}
