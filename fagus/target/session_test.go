package target_test

import (
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/target"
)

// run runs a program of sessions on so many ranks: of its own Node, and of one at the other end of a connection.
func run(t *testing.T, nodes int, mode fagus.Engine, program func(target.Calls) error) {
	t.Helper()
	cfg := fagus.Config{Nodes: nodes, Mode: mode}
	if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error { return program(target.Begin(n)) }); err != nil {
		t.Errorf("%d nodes, %v mode: %v", nodes, mode, err)
	}
	if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
		here, there := net.Pipe()
		done := make(chan error, 1)
		go func() { done <- remote(there, program) }()
		err := target.Serve(n, here)
		here.Close()
		return errors.Join(err, <-done)
	}); err != nil {
		t.Errorf("%d nodes, %v mode, from afar: %v", nodes, mode, err)
	}
}

// remote runs a program of a Client, and ends it.
func remote(conn net.Conn, program func(target.Calls) error) error {
	defer conn.Close()
	c, err := target.Connect(conn, func(bytes int) ([]byte, error) { return make([]byte, bytes), nil })
	if err != nil {
		return err
	}
	if err := program(c); err != nil {
		return err
	}
	return c.End()
}

// TestCounter: every rank adds to a counter and tells of it, to another and does not, and all see both.
func TestCounter(t *testing.T) {
	for _, mode := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
		for nodes := 1; nodes <= 4; nodes++ {
			run(t, nodes, mode, func(s target.Calls) error {
				a, err1 := s.Alloc("a", 100)
				v, err2 := s.Bind("v", target.Span{Array: a, Offset: 10, Bytes: 10}, target.Span{Array: a, Offset: 99, Bytes: 1})
				w, err3 := s.Bind("w", target.Span{Array: a, Offset: 0, Bytes: 10})
				set, err4 := s.NewSet()
				if err := errors.Join(err1, err2, err3, err4, s.Ask(set, w, target.Exclusive), s.Ask(set, v, target.Telling)); err != nil {
					return err
				}
				memory := s.Memory(a)
				for range 3 {
					if err := s.Acquire(set); err != nil {
						return err
					}
					memory[3]++
					memory[99]++
					if err := errors.Join(s.Wrote(target.Span{Array: a, Offset: 99, Bytes: 1}), s.Release(set)); err != nil {
						return err
					}
				}
				if err := errors.Join(s.Barrier(), s.Clear(set), s.Ask(set, v, target.Shared), s.Ask(set, w, target.Shared), s.Acquire(set)); err != nil {
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

// TestReduce: the three operations on both kinds of number.
func TestReduce(t *testing.T) {
	run(t, 3, fagus.Phase, func(s target.Calls) error {
		for _, c := range []struct {
			op   target.Op
			want int64
		}{{target.Sum, 9}, {target.Least, 2}, {target.Most, 4}} {
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
		if f, err := s.ReduceFloat(target.Least, x); err != nil || !math.IsNaN(f) {
			return fmt.Errorf("the least with a NaN is %g: %v", f, err)
		}
		return nil
	})
}

// TestMistakes: each has a code, and the run goes on.
func TestMistakes(t *testing.T) {
	run(t, 1, fagus.Phase, func(s target.Calls) error {
		a, _ := s.Alloc("a", 100)
		v, _ := s.Bind("v", target.Span{Array: a, Offset: 0, Bytes: 50})
		set, _ := s.NewSet()
		other, _ := s.NewSet()
		first := func(_ any, err error) error { return err }
		free := func() map[string]error {
			return map[string]error{
				"alloc nothing":                 first(s.Alloc("b", 0)),
				"alloc a name again":            first(s.Alloc("a", 1)),
				"bind nothing":                  first(s.Bind("w")),
				"bind no such array":            first(s.Bind("w", target.Span{Array: 1, Bytes: 1})),
				"bind beyond the end":           first(s.Bind("w", target.Span{Array: a, Offset: 99, Bytes: 2})),
				"bind what is bound":            first(s.Bind("w", target.Span{Array: a, Offset: 49, Bytes: 2})),
				"bind a name again":             first(s.Bind("v", target.Span{Array: a, Offset: 60, Bytes: 2})),
				"ask for no such variable":      s.Ask(set, 1, target.Shared),
				"ask for a variable in no set":  s.Ask(7, v, target.Shared),
				"ask in no such mode":           s.Ask(other, v, 3),
				"ask twice":                     s.Ask(set, v, target.Shared),
				"clear no such set":             s.Clear(-1),
				"acquire no such set":           s.Acquire(2),
				"release what is not held":      s.Release(set),
				"tell of what is not held":      s.Wrote(target.Span{Array: a, Bytes: 1}),
				"no such operation":             first(s.ReduceInt(3, 1)),
				"computing that takes negative": s.Spend(-1),
			}
		}
		if err := s.Ask(set, v, target.Exclusive); err != nil {
			return err
		}
		codes := map[string]target.Code{
			"alloc nothing": target.Argument, "alloc a name again": target.Name, "bind nothing": target.Argument, "bind no such array": target.Address,
			"bind beyond the end": target.Address, "bind what is bound": target.Bound, "bind a name again": target.Name, "ask for no such variable": target.Handle,
			"ask for a variable in no set": target.Handle, "ask in no such mode": target.Argument, "ask twice": target.Twice, "clear no such set": target.Handle,
			"acquire no such set": target.Handle, "release what is not held": target.NotHeld, "tell of what is not held": target.NotHeld,
			"no such operation": target.Argument, "computing that takes negative": target.Argument,
		}
		for what, err := range free() {
			if got := codeOf(err); got != codes[what] {
				t.Errorf("%s: %v (%v), want %v", what, got, err, codes[what])
			}
		}
		if err := s.Acquire(set); err != nil {
			return err
		}
		for what, err := range map[string]error{
			"acquire": s.Acquire(other), "barrier": s.Barrier(), "update": s.Update(), "alloc": first(s.Alloc("c", 1)), "end": s.End(),
			"ask": s.Ask(set, v, target.Shared), "clear": s.Clear(set), "reduce": first(s.ReduceInt(target.Sum, 1)),
		} {
			if codeOf(err) != target.Held {
				t.Errorf("%s while holding: %v", what, err)
			}
		}
		if err := s.Wrote(target.Span{Array: a, Bytes: 1}); codeOf(err) != target.NotHeld {
			t.Errorf("told of what is to be found out: %v", err)
		}
		if err := s.Release(other); codeOf(err) != target.NotHeld {
			t.Errorf("released another set: %v", err)
		}
		return s.Release(set)
	})
}

func codeOf(err error) target.Code {
	var e *target.Error
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return target.Internal
	}
	return target.OK
}

// TestLost: what fails in the run fails every later call.
func TestLost(t *testing.T) {
	failed := errors.New("rank 1 gives up")
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		if n.Rank() == 1 {
			return failed
		}
		s := target.Begin(n)
		for range 2 {
			if err := s.Barrier(); codeOf(err) != target.Lost {
				t.Errorf("barrier: %v", err)
			}
		}
		if _, err := s.Alloc("a", 1); codeOf(err) != target.Lost {
			t.Errorf("alloc: %v", err)
		}
		return n.Err()
	})
	if !errors.Is(err, failed) {
		t.Error(err)
	}
}

// TestCodes: every code has words of its own.
func TestCodes(t *testing.T) {
	seen := make(map[string]bool)
	for c := target.OK; c <= target.Internal; c++ {
		if text := c.String(); text == "" || seen[text] {
			t.Errorf("code %d is %q", c, text)
		} else {
			seen[text] = true
		}
	}
	if got := target.Code(99).String(); got != "code 99" {
		t.Errorf("an unknown code is %q", got)
	}
}

// TestGone: a process that ends without saying so fails its rank, and one whose simulator goes is told.
func TestGone(t *testing.T) {
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		here, there := net.Pipe()
		go func() {
			if _, err := target.Connect(there, nil); err != nil {
				t.Error(err)
			}
			there.Close()
		}()
		return target.Serve(n, here)
	})
	if err == nil || !strings.Contains(err.Error(), "ended without saying so") {
		t.Errorf("the process has gone: %v", err)
	}
	here, there := net.Pipe()
	here.Close()
	if _, err := target.Connect(there, nil); codeOf(err) != target.Lost {
		t.Errorf("the simulator has gone: %v", err)
	}
}
