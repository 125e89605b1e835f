package csession_test

import (
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/cmd/internal/csession"
	"github.com/fagus-dsm/fagus/fagus"
)

// run runs a program on the given number of ranks twice: with Sessions, then with Clients and a
// Serve per rank.
func run(t *testing.T, nodes int, mode fagus.Mode, program func(csession.Calls) error) {
	t.Helper()
	sessions, clients := runBoth(t, fagus.Config{Nodes: nodes, Mode: mode}, program)
	if sessions != nil {
		t.Errorf("%d nodes, %v mode: %v", nodes, mode, sessions)
	}
	if clients != nil {
		t.Errorf("%d nodes, %v mode, with Clients: %v", nodes, mode, clients)
	}
}

// runBoth runs a program with Sessions, then with Clients, and returns the errors of the runs.
func runBoth(t *testing.T, cfg fagus.Config, program func(csession.Calls) error) (sessions, clients error) {
	t.Helper()
	_, sessions = fagus.Run(t.Context(), cfg, func(n *fagus.Node) error { return program(csession.Begin(n)) })
	_, clients = fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
		here, there := net.Pipe()
		done := make(chan error, 1)
		go func() { done <- remote(there, program) }()
		err := csession.Serve(n, here)
		here.Close()
		return errors.Join(err, <-done)
	})
	return sessions, clients
}

// remote runs a program with a Client and ends it.
func remote(conn net.Conn, program func(csession.Calls) error) error {
	defer conn.Close()
	c, err := csession.Connect(conn, func(bytes int) ([]byte, error) { return make([]byte, bytes), nil })
	if err != nil {
		return err
	}
	if err := program(c); err != nil {
		return err
	}
	return c.End()
}

// TestCounter has every rank add to two counters, one with declared writes and one without. All
// ranks must see both sums.
func TestCounter(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for nodes := 1; nodes <= 4; nodes++ {
			run(t, nodes, mode, func(s csession.Calls) error {
				a, err1 := s.Alloc("a", 100)
				v, err2 := s.Bind("v", csession.Span{Array: a, Offset: 10, Bytes: 10}, csession.Span{Array: a, Offset: 99, Bytes: 1})
				w, err3 := s.Bind("w", csession.Span{Array: a, Offset: 0, Bytes: 10})
				set, err4 := s.NewSet()
				if err := errors.Join(err1, err2, err3, err4, s.Add(set, w, csession.Exclusive), s.Add(set, v, csession.Declared)); err != nil {
					return err
				}
				memory := s.Memory(a)
				for range 3 {
					if err := s.Acquire(set); err != nil {
						return err
					}
					memory[3]++
					memory[99]++
					if err := errors.Join(s.Wrote(csession.Span{Array: a, Offset: 99, Bytes: 1}), s.Release(set)); err != nil {
						return err
					}
				}
				if err := errors.Join(s.Barrier(), s.Clear(set), s.Add(set, v, csession.Shared), s.Add(set, w, csession.Shared), s.Acquire(set)); err != nil {
					return err
				}
				if got, want := [2]byte{memory[3], memory[99]}, byte(3*s.Size()); got != [2]byte{want, want} {
					return fmt.Errorf("rank %d sees %d, want %d", s.Rank(), got, want)
				}
				return errors.Join(s.Release(set), s.Update(), s.Spend(5))
			})
		}
	}
}

// TestOrder has rank 0 write a variable that rank 1 reads later, with nothing, a Fence, or
// Unordered requests in between. Config.Check reports the first.
func TestOrder(t *testing.T) {
	for _, how := range []string{"phases", "fence", "unordered"} {
		cfg := fagus.Config{Nodes: 2, Check: fagus.CheckOn}
		sessions, clients := runBoth(t, cfg, func(s csession.Calls) error {
			a, err1 := s.Alloc("a", 100)
			v, err2 := s.Bind("v", csession.Span{Array: a, Offset: 10, Bytes: 10})
			set, err3 := s.NewSet()
			add := s.Add
			if how == "unordered" {
				add = s.AddUnordered
			}
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			tenure := func(rank int, access csession.Access) error {
				if err := s.Clear(set); err != nil {
					return err
				}
				if s.Rank() == rank {
					if err := add(set, v, access); err != nil {
						return err
					}
				}
				return errors.Join(s.Acquire(set), s.Release(set))
			}
			if err := tenure(0, csession.Exclusive); err != nil {
				return err
			}
			if how == "fence" {
				if err := s.Fence(); err != nil {
					return err
				}
			}
			return tenure(1, csession.Shared)
		})
		for _, err := range []error{sessions, clients} {
			if reported := err != nil && strings.Contains(err.Error(), "nothing but the order of phases"); reported != (how == "phases") || err != nil && !reported {
				t.Errorf("%s: %v", how, err)
			}
		}
	}
}

// TestReduce checks the three operations on both number types.
func TestReduce(t *testing.T) {
	run(t, 3, fagus.Phase, func(s csession.Calls) error {
		for _, c := range []struct {
			op   csession.Op
			want int64
		}{{csession.Sum, 9}, {csession.Least, 2}, {csession.Most, 4}} {
			i, err1 := s.ReduceInt(c.op, int64(2+s.Rank()))
			f, err2 := s.ReduceFloat(c.op, float64(2+s.Rank()))
			if err := errors.Join(err1, err2); err != nil || i != c.want || f != float64(c.want) {
				return fmt.Errorf("operation %d: %d and %g, want %d: %v", c.op, i, f, c.want, err)
			}
		}
		x := 1.0
		if s.Rank() == 1 {
			x = math.NaN()
		}
		if f, err := s.ReduceFloat(csession.Least, x); err != nil || !math.IsNaN(f) {
			return fmt.Errorf("the least with a NaN is %g: %v", f, err)
		}
		return nil
	})
}

// TestMistakes checks that each invalid call returns its code and that the run continues.
func TestMistakes(t *testing.T) {
	run(t, 1, fagus.Phase, func(s csession.Calls) error {
		a, _ := s.Alloc("a", 100)
		v, _ := s.Bind("v", csession.Span{Array: a, Offset: 0, Bytes: 50})
		set, _ := s.NewSet()
		other, _ := s.NewSet()
		first := func(_ any, err error) error { return err }
		free := func() map[string]error {
			return map[string]error{
				"alloc nothing":                 first(s.Alloc("b", 0)),
				"alloc a name again":            first(s.Alloc("a", 1)),
				"bind nothing":                  first(s.Bind("w")),
				"bind no such array":            first(s.Bind("w", csession.Span{Array: 1, Bytes: 1})),
				"bind beyond the end":           first(s.Bind("w", csession.Span{Array: a, Offset: 99, Bytes: 2})),
				"bind what is bound":            first(s.Bind("w", csession.Span{Array: a, Offset: 49, Bytes: 2})),
				"bind a name again":             first(s.Bind("v", csession.Span{Array: a, Offset: 60, Bytes: 2})),
				"ask for no such variable":      s.Add(set, 1, csession.Shared),
				"ask for a variable in no set":  s.Add(7, v, csession.Shared),
				"ask in no such mode":           s.Add(other, v, 3),
				"ask twice":                     s.Add(set, v, csession.Shared),
				"clear no such set":             s.Clear(-1),
				"acquire no such set":           s.Acquire(2),
				"release what is not held":      s.Release(set),
				"tell of what is not held":      s.Wrote(csession.Span{Array: a, Bytes: 1}),
				"no such operation":             first(s.ReduceInt(3, 1)),
				"computing that takes negative": s.Spend(-1),
			}
		}
		if err := s.Add(set, v, csession.Exclusive); err != nil {
			return err
		}
		codes := map[string]csession.Code{
			"alloc nothing": csession.Argument, "alloc a name again": csession.Name, "bind nothing": csession.Argument, "bind no such array": csession.Address,
			"bind beyond the end": csession.Address, "bind what is bound": csession.Bound, "bind a name again": csession.Name, "ask for no such variable": csession.Handle,
			"ask for a variable in no set": csession.Handle, "ask in no such mode": csession.Argument, "ask twice": csession.Twice, "clear no such set": csession.Handle,
			"acquire no such set": csession.Handle, "release what is not held": csession.NotHeld, "tell of what is not held": csession.NotHeld,
			"no such operation": csession.Argument, "computing that takes negative": csession.Argument,
		}
		for what, err := range free() {
			if got := codeOf(err); got != codes[what] {
				t.Errorf("%s returns %v (%v), want %v", what, got, err, codes[what])
			}
		}
		if err := s.Acquire(set); err != nil {
			return err
		}
		for what, err := range map[string]error{
			"acquire": s.Acquire(other), "barrier": s.Barrier(), "fence": s.Fence(), "update": s.Update(), "alloc": first(s.Alloc("c", 1)), "end": s.End(),
			"ask": s.Add(set, v, csession.Shared), "clear": s.Clear(set), "reduce": first(s.ReduceInt(csession.Sum, 1)),
		} {
			if codeOf(err) != csession.Held {
				t.Errorf("%s while a set is held returns %v", what, err)
			}
		}
		if err := s.Wrote(csession.Span{Array: a, Bytes: 1}); codeOf(err) != csession.NotHeld {
			t.Errorf("Wrote for an Exclusive variable returns %v", err)
		}
		if err := s.Release(other); codeOf(err) != csession.NotHeld {
			t.Errorf("Release of a set that is not held returns %v", err)
		}
		return s.Release(set)
	})
}

func codeOf(err error) csession.Code {
	var e *csession.Error
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return csession.Internal
	}
	return csession.OK
}

// TestLost checks that every call fails after the run has failed.
func TestLost(t *testing.T) {
	failed := errors.New("rank 1 gives up")
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		if n.Rank() == 1 {
			return failed
		}
		s := csession.Begin(n)
		for range 2 {
			if err := s.Barrier(); codeOf(err) != csession.Lost {
				t.Errorf("Barrier after the failure returns %v", err)
			}
		}
		if _, err := s.Alloc("a", 1); codeOf(err) != csession.Lost {
			t.Errorf("Alloc after the failure returns %v", err)
		}
		return n.Err()
	})
	if !errors.Is(err, failed) {
		t.Error(err)
	}
}

// TestCodes checks that every code has a unique text.
func TestCodes(t *testing.T) {
	seen := make(map[string]bool)
	for c := csession.OK; c <= csession.Internal; c++ {
		if text := c.String(); text == "" || seen[text] {
			t.Errorf("the text of code %d is %q: want a unique text", c, text)
		} else {
			seen[text] = true
		}
	}
	if got := csession.Code(99).String(); got != "code 99" {
		t.Errorf("the text of an unknown code is %q", got)
	}
}

// TestGone checks that Serve fails if its process exits early, and that a Client gets an error if
// the simulator exits.
func TestGone(t *testing.T) {
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		here, there := net.Pipe()
		go func() {
			if _, err := csession.Connect(there, nil); err != nil {
				t.Error(err)
			}
			there.Close()
		}()
		return csession.Serve(n, here)
	})
	if err == nil || !strings.Contains(err.Error(), "ended without calling fagus_finalize") {
		t.Errorf("Serve returns %v after the process has exited", err)
	}
	here, there := net.Pipe()
	here.Close()
	if _, err := csession.Connect(there, nil); codeOf(err) != csession.Lost {
		t.Errorf("the Client returns %v after the simulator has exited", err)
	}
}
