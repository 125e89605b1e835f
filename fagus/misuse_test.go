package fagus_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

var update = flag.Bool("update", false, "write the documents that the tests compare")

// misuse is a wrong program. It runs on two ranks, unless cfg.Nodes is set.
type misuse struct {
	what    string
	cfg     fagus.Config
	program func(n *fagus.Node, s *shared) error
}

// shared holds the array and the variables that every misuse uses.
type shared struct {
	a    *fagus.Array[float64]
	v, w *fagus.SyncVar
}

var misuses = []misuse{
	{what: "acquire a variable that Bind did not make", program: func(n *fagus.Node, s *shared) error {
		return n.Acquire(n.Set(fagus.Want(nil, fagus.Shared)))
	}},
	{what: "acquire a zero SyncVar", program: func(n *fagus.Node, s *shared) error {
		return n.Acquire(n.Set(fagus.Want(new(fagus.SyncVar), fagus.Shared)))
	}},
	{what: "acquire without a set", program: func(n *fagus.Node, s *shared) error { return n.Acquire(nil) }},
	{what: "request a variable twice", program: func(n *fagus.Node, s *shared) error {
		return n.Acquire(n.Set(fagus.Want(s.v, fagus.Shared), fagus.Want(s.v, fagus.Exclusive)))
	}},
	{what: "request an access that does not exist", program: func(n *fagus.Node, s *shared) error {
		return n.Acquire(n.Set(fagus.Want(s.v, 7)))
	}},
	{what: "declare writes on a shared variable", program: func(n *fagus.Node, s *shared) error {
		return n.Acquire(n.Set(fagus.Want(s.v, fagus.Shared).Writing(s.a.Range(0, 1))))
	}},
	{what: "declare writes that the variable does not guard", program: func(n *fagus.Node, s *shared) error {
		return n.Acquire(n.Set(fagus.Want(s.v, fagus.Exclusive).Writing(s.a.Range(60, 61))))
	}},
	{what: "report writes without a tenure", program: func(n *fagus.Node, s *shared) error { return n.Wrote(s.a.Range(0, 1)) }},
	{what: "report writes to a variable that is held shared", program: func(n *fagus.Node, s *shared) error {
		return n.During(n.Set(fagus.Want(s.v, fagus.Shared)), func() error { return n.Wrote(s.a.Range(0, 1)) })
	}},
	{what: "report writes to a variable that was requested without Reporting", program: func(n *fagus.Node, s *shared) error {
		return n.During(n.Set(fagus.Want(s.v, fagus.Exclusive)), func() error { return n.Wrote(s.a.Range(0, 1)) })
	}},
	{what: "report writes to elements that no variable guards", program: func(n *fagus.Node, s *shared) error {
		return n.During(n.Set(fagus.Want(s.v, fagus.Exclusive).Reporting()), func() error { return n.Wrote(s.a.Range(90, 91)) })
	}},
	{what: "release a set that was not acquired", program: func(n *fagus.Node, s *shared) error {
		return n.Release(n.Set(fagus.Want(s.v, fagus.Shared)))
	}},
	{what: "release twice", program: func(n *fagus.Node, s *shared) error {
		set := n.Set(fagus.Want(s.v, fagus.Shared))
		if err := errors.Join(n.Acquire(set), n.Release(set)); err != nil {
			return err
		}
		return n.Release(set)
	}},
	{what: "acquire while holding", program: func(n *fagus.Node, s *shared) error {
		if err := n.Acquire(n.Set(fagus.Want(s.v, fagus.Shared))); err != nil {
			return err
		}
		return n.Acquire(n.Set(fagus.Want(s.w, fagus.Shared)))
	}},
	{what: "update while holding", program: func(n *fagus.Node, s *shared) error {
		if err := n.Acquire(n.Set(fagus.Want(s.v, fagus.Shared))); err != nil {
			return err
		}
		return n.Update()
	}},
	{what: "barrier while holding", program: func(n *fagus.Node, s *shared) error {
		if err := n.Acquire(n.Set(fagus.Want(s.v, fagus.Shared))); err != nil {
			return err
		}
		return n.Barrier()
	}},
	{what: "reduce while holding", program: func(n *fagus.Node, s *shared) error {
		if err := n.Acquire(n.Set(fagus.Want(s.v, fagus.Shared))); err != nil {
			return err
		}
		_, err := fagus.Reduce(n, 1, addInts)
		return err
	}},
	{what: "return while holding", program: func(n *fagus.Node, s *shared) error {
		return n.Acquire(n.Set(fagus.Want(s.v, fagus.Shared)))
	}},
	{what: "update on one rank, barrier on another", program: func(n *fagus.Node, s *shared) error {
		if n.Rank() == 0 {
			return n.Update()
		}
		return n.Barrier()
	}},
	{what: "barrier that one rank does not call", program: func(n *fagus.Node, s *shared) error {
		if n.Rank() == 0 {
			return nil
		}
		return n.Barrier()
	}},
	{what: "reduce on one rank, barrier on another", program: func(n *fagus.Node, s *shared) error {
		if n.Rank() == 0 {
			_, err := fagus.Reduce(n, 1, addInts)
			return err
		}
		return n.Barrier()
	}},
	{what: "fence that one rank does not call", program: func(n *fagus.Node, s *shared) error {
		if n.Rank() == 0 {
			if err := n.Fence(); err != nil {
				return err
			}
		}
		return n.Barrier()
	}},
	{what: "arrays of different sizes on different ranks", program: func(n *fagus.Node, s *shared) error {
		if _, err := fagus.NewArray[int32](n, "uneven", 10+n.Rank()); err != nil {
			return err
		}
		return n.Barrier()
	}},
	{what: "a binding on one rank only", program: func(n *fagus.Node, s *shared) error {
		if n.Rank() == 1 {
			if _, err := n.Bind("x", s.a.Range(60, 70)); err != nil {
				return err
			}
		}
		return n.Barrier()
	}},
	{what: "an array of pointers", program: func(n *fagus.Node, s *shared) error {
		_, err := fagus.NewArray[struct{ name string }](n, "strings", 10)
		return err
	}},
	{what: "an array without elements", program: func(n *fagus.Node, s *shared) error {
		_, err := fagus.NewArray[byte](n, "nothing", 0)
		return err
	}},
	{what: "an array that does not fit the address space", program: func(n *fagus.Node, s *shared) error {
		_, err := fagus.NewArray[float64](n, "too much", 1<<60)
		return err
	}},
	{what: "a name used twice", program: func(n *fagus.Node, s *shared) error {
		_, err := n.Bind("v", s.a.Range(60, 61))
		return err
	}},
	{what: "bind no range", program: func(n *fagus.Node, s *shared) error {
		_, err := n.Bind("nothing")
		return err
	}},
	{what: "bind beyond the end of an array", program: func(n *fagus.Node, s *shared) error {
		_, err := n.Bind("outside", s.a.Range(99, 101))
		return err
	}},
	{what: "bind elements that another variable guards", program: func(n *fagus.Node, s *shared) error {
		_, err := n.Bind("overlapping", s.a.Range(40, 60))
		return err
	}},
	{what: "a set of another rank", program: func(n *fagus.Node, s *shared) error {
		return n.Acquire(new(fagus.SyncSet))
	}},
	{what: "ignore an error and go on", program: func(n *fagus.Node, s *shared) error {
		if n.Rank() == 0 {
			_ = n.Update()
		} else {
			_ = n.Barrier()
		}
		return n.Acquire(n.Set())
	}},
	{what: "panic", program: func(n *fagus.Node, s *shared) error {
		if n.Rank() == 1 {
			_ = s.a.Slice()[100:][1]
		}
		return n.Barrier()
	}},
	{what: "fewer than one node", cfg: fagus.Config{Nodes: -1}},
	{what: "more nodes than the LLCM has slots for", cfg: fagus.Config{Nodes: 1000, Transfer: fagus.Rings}},
	{what: "a transfer method that does not exist", cfg: fagus.Config{Transfer: 9}},
	{what: "a level of access checking that does not exist", cfg: fagus.Config{Check: 9}},
	{what: "no program"},
}

func addInts(a, b int) int { return a + b }

// run runs the misuse on net and returns the error of the run.
func (m misuse) run(t *testing.T, net dimmnet.Network, mode fagus.Mode) error {
	cfg := m.cfg
	if cfg.Nodes == 0 {
		cfg.Nodes = 2
	}
	cfg.Net, cfg.Mode = net, mode
	program := func(n *fagus.Node) (err error) {
		s := new(shared)
		if s.a, err = fagus.NewArray[float64](n, "A", 100); err != nil {
			return err
		}
		if s.v, err = n.Bind("v", s.a.Range(0, 50)); err != nil {
			return err
		}
		if s.w, err = n.Bind("w", s.a.Range(50, 60)); err != nil {
			return err
		}
		return m.program(n, s)
	}
	if m.what == "no program" {
		program = nil
	}
	_, err := runFor(t, cfg, program)
	return err
}

// undetected is the last part of docs/reference/misuse.md.
const undetected = `
## Mistakes that are not detected

The following mistakes are detected only if Config.Check (fagus run --check) is on, with the
messages of [gallery.md](gallery.md) and within the limits that pages impose
([check.md](../guide/check.md)):

- writing to elements that the rank holds shared, or does not hold: the other ranks do not
  see the write, and the next Acquire may overwrite it or transfer it
- reading elements that the rank does not hold: they are as old as the last Acquire or Update
- changing elements other than those that Writing declares

The following are never detected:

- using a slice of an array after the program function has returned: the memory is unmapped,
  and the process crashes. fagusvet finds most of these uses
- calling Reduce with different types on different ranks: each rank interprets the bits of
  the others as its own type
- os.Exit, syscall.Exit and log.Fatal on ranks that are goroutines: the process ends with the code of
  the call, 0 for os.Exit(0), before Fagus can say anything. Where ranks are processes the run fails.
  fagusvet finds these calls ([vet.md](../guide/vet.md))
- writing Go variables that are not the rank's own, such as package variables: goroutines share them,
  processes do not. fagusvet finds most of these writes
- a collective call that only some ranks make while the others have not returned: it waits
  for the others as long as they compute

The table shows phase mode. Threaded mode detects each of these mistakes, too, with other
messages where ranks disagree. It does not detect a program that repeats Acquire and Release
until a condition holds that never becomes true. A program that depends on the order of phases
is wrong in threaded mode; Config.Check finds it in either mode ([check.md](../guide/check.md)).
`

// stack matches all lines of a panic's error except the first.
var stack = regexp.MustCompile(`(?s)\n.*`)

// TestMisuse runs every wrong program on the simulator and on goroutines, and compares the errors
// with the table in docs/reference/misuse.md. On goroutines threaded mode must return an error,
// too.
func TestMisuse(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Errors of wrong calls\n\nMade by `go test ./fagus -run TestMisuse -update`. Where two ranks fail, the first error is shown.\n\n| mistake | error |\n|---|---|\n")
	for _, m := range misuses {
		err := m.run(t, newSim(t, sim.Config{}), fagus.Phase)
		if err == nil {
			t.Errorf("%s: Run returns no error, want one", m.what)
			continue
		}
		text := stack.ReplaceAllString(err.Error(), "")
		fmt.Fprintf(&b, "| %s | `%s` |\n", m.what, text)
		if m.cfg.Nodes > 100 {
			continue // on goroutines the LLCM is large enough, so there is no error
		}
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			if live := m.run(t, goroutines(), mode); live == nil || errors.Is(live, context.DeadlineExceeded) {
				t.Errorf("%s: on goroutines, %v mode: %v", m.what, mode, live)
			}
		}
	}
	b.WriteString(undetected)
	compareFile(t, "../docs/reference/misuse.md", b.String())
}
