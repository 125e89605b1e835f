package fagus_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

var update = flag.Bool("update", false, "write docs/misuse.md anew")

// misuse is a wrong program. It runs on two ranks, unless cfg says otherwise.
type misuse struct {
	what    string
	cfg     fagus.Config
	program func(n *fagus.Node, s *shared) error
}

// shared is what every misuse finds ready.
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
	{what: "want a variable twice", program: func(n *fagus.Node, s *shared) error {
		return n.Acquire(n.Set(fagus.Want(s.v, fagus.Shared), fagus.Want(s.v, fagus.Exclusive)))
	}},
	{what: "want a mode that does not exist", program: func(n *fagus.Node, s *shared) error {
		return n.Acquire(n.Set(fagus.Want(s.v, 7)))
	}},
	{what: "declare writes on a shared variable", program: func(n *fagus.Node, s *shared) error {
		return n.Acquire(n.Set(fagus.Want(s.v, fagus.Shared).Writing(s.a.Range(0, 1))))
	}},
	{what: "declare writes that the variable does not guard", program: func(n *fagus.Node, s *shared) error {
		return n.Acquire(n.Set(fagus.Want(s.v, fagus.Exclusive).Writing(s.a.Range(60, 61))))
	}},
	{what: "tell of writes without a tenure", program: func(n *fagus.Node, s *shared) error { return n.Wrote(s.a.Range(0, 1)) }},
	{what: "tell of writes to what is held shared", program: func(n *fagus.Node, s *shared) error {
		return n.During(n.Set(fagus.Want(s.v, fagus.Shared)), func() error { return n.Wrote(s.a.Range(0, 1)) })
	}},
	{what: "tell of writes that are to be found out", program: func(n *fagus.Node, s *shared) error {
		return n.During(n.Set(fagus.Want(s.v, fagus.Exclusive)), func() error { return n.Wrote(s.a.Range(0, 1)) })
	}},
	{what: "tell of writes to what nothing guards", program: func(n *fagus.Node, s *shared) error {
		return n.During(n.Set(fagus.Want(s.v, fagus.Exclusive).Telling()), func() error { return n.Wrote(s.a.Range(90, 91)) })
	}},
	{what: "release what was not acquired", program: func(n *fagus.Node, s *shared) error {
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
	{what: "bind nothing", program: func(n *fagus.Node, s *shared) error {
		_, err := n.Bind("nothing")
		return err
	}},
	{what: "bind beyond the end of an array", program: func(n *fagus.Node, s *shared) error {
		_, err := n.Bind("outside", s.a.Range(99, 101))
		return err
	}},
	{what: "bind what another variable guards", program: func(n *fagus.Node, s *shared) error {
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
	{what: "a way of transfer that does not exist", cfg: fagus.Config{Transfer: 9}},
	{what: "a way to check that does not exist", cfg: fagus.Config{Check: 9}},
	{what: "no program"},
}

func addInts(a, b int) int { return a + b }

// run returns what the misuse's error says on net.
func (m misuse) run(net dimmnet.Network, mode fagus.Engine) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
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
	_, err := fagus.Run(ctx, cfg, program)
	return err
}

// untold ends the table.
const untold = `
## What is not told

These are wrong, too. Config.Check (fagus run --check) tells them, in the words of
[gallery.md](gallery.md), as far as pages show them ([check.md](check.md)); without it
nothing notices:

- writing to what is held shared, or not held at all: the other ranks do not see
  it, and the next Acquire may overwrite it or carry it along
- reading what is not held: it is as old as the last Acquire or Update
- changing other elements than Writing has declared

And these nothing notices in any case:

- using a slice of an array after the program function has returned: its memory
  is gone, and the process crashes
- a Reduce of another type on another rank: each folds the others' bits as its own type
- a collective call that only some ranks make while the others have not returned:
  it waits for them, as long as they compute

The table is of phase mode. Threaded mode tells each of these mistakes, too, in words of its own
where ranks disagree. It does not tell of a program that counts on the order of phases (an
Acquire may come before a Release of another rank that phases put first), nor of one that
waits in a loop of Acquire and Release for a condition that never comes.
`

var stack = regexp.MustCompile(`(?s)\n.*`)

// TestMisuse runs every wrong program on the simulator and on goroutines, and
// compares the errors with the table in docs/misuse.md. On goroutines threaded mode
// has to notice them, too.
func TestMisuse(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What mistakes are told\n\nMade by `go test ./fagus -run TestMisuse -update`. Where two ranks fail, the first error is shown.\n\n| mistake | error |\n|---|---|\n")
	for _, m := range misuses {
		err := m.run(newSim(t, sim.Config{}), fagus.Phase)
		if err == nil {
			t.Errorf("%s: no error", m.what)
			continue
		}
		text := stack.ReplaceAllString(err.Error(), "")
		fmt.Fprintf(&b, "| %s | `%s` |\n", m.what, text)
		if m.cfg.Nodes > 100 {
			continue // goroutines have more memory
		}
		for _, mode := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
			if live := m.run(inproc.New(inproc.Config{}), mode); live == nil || errors.Is(live, context.DeadlineExceeded) {
				t.Errorf("%s: on goroutines, %v mode: %v", m.what, mode, live)
			}
		}
	}
	b.WriteString(untold)
	const file = "../docs/misuse.md"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s says something else; go test ./fagus -run TestMisuse -update writes:\n%s", file, b.String())
	}
}
