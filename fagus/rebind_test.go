package fagus_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/internal/guard"
)

// TestRebindRandomPrograms: bytes keep their values when variables are bound to others of them, and
// the tenures before and after keep the axioms.
func TestRebindRandomPrograms(t *testing.T) {
	longtest.Third(t)
	methods := detections(t)
	for seed := uint64(1); seed <= cases(18, 1); seed++ {
		all := everyRuntime(t, seed)
		if shm.Supported() == nil {
			for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
				all[mode.String()+", shm"] = fagus.Config{Mode: mode, Net: shm.New(shm.Config{Heap: 1 << 20}), Placement: fagus.PlacePrivate}
				all[mode.String()+", tcp"] = fagus.Config{Mode: mode, Net: tcp.New(tcp.Config{})}
			}
			all["phase, shm, shared"] = fagus.Config{Net: shm.New(shm.Config{Heap: 1 << 20})}
		}
		for name, cfg := range all {
			cfg.Nodes = 1 + int(seed%5)
			o := newOracle(seed)
			o.rebinds, o.lawful = 3, true // unlawful reads find what the tenures of Rebind bring
			cfg.History, cfg.WriteDetection = history.New(), methods[seed%uint64(len(methods))]
			if guard.Supported() == nil && seed%3 == 0 {
				cfg.Check, cfg.WriteDetection = fagus.CheckOn, fagus.DetectAuto
			}
			if _, err := runFor(t, cfg, o.program(seed)); err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			if bad := cfg.History.Check(); bad != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, bad)
			}
		}
	}
}

// cutArray makes an array of the given size, and binds v to its elements below cut, and w to those
// from cut up to, but not including, end.
func cutArray[T any](n *fagus.Node, size, cut, end int) (a *fagus.Array[T], v, w *fagus.SyncVar, err error) {
	if a, err = fagus.NewArray[T](n, "a", size); err != nil {
		return nil, nil, nil, err
	}
	if v, err = n.Bind("v", a.Range(0, cut)); err != nil {
		return nil, nil, nil, err
	}
	w, err = n.Bind("w", a.Range(cut, end))
	return a, v, w, err
}

// TestRebindOfNothing: a Rebind that changes nothing is a Fence.
func TestRebindOfNothing(t *testing.T) {
	report, err := runFor(t, fagus.Config{Nodes: 2, Net: goroutines()}, func(n *fagus.Node) error {
		a, v, w, err := cutArray[byte](n, 100, 50, 100)
		if err != nil {
			return err
		}
		for range 5 {
			n.Rebind(v.To(a.Range(20, 50), a.Range(0, 20)), w.To(a.Range(50, 100)))
		}
		return n.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Ranks[0].Phases; got != 5 {
		t.Errorf("%d phases, want 4 between 5 Fences in a row, and that of the end", got)
	}
}

// TestRebindKeepsRequests: a request of before a Rebind asks for the ranges of after it.
func TestRebindKeepsRequests(t *testing.T) {
	for name, cfg := range everyRuntime(t, 1) {
		cfg.Nodes = 2
		_, err := runFor(t, cfg, func(n *fagus.Node) error {
			a, v, w, err := cutArray[int32](n, 4, 3, 4)
			if err != nil {
				return err
			}
			own, other := v, w
			if n.Rank() == 1 {
				own, other = w, v
			}
			write, read, declared := n.Set(own.Write()), n.Set(other.Read()), n.Set(v.Write().Writing(a.Range(2, 3)))
			var got []int32
			for round := range int32(4) {
				cut := 1 + int(round)%3
				n.Rebind(v.To(a.Range(0, cut)), w.To(a.Range(cut, 4)))
				lo, hi := 0, cut
				if n.Rank() == 1 {
					lo, hi = cut, 4
				}
				write.Do(func() {
					for i := lo; i < hi; i++ {
						a.Slice()[i] += 10*round + int32(n.Rank())
					}
				})
				n.Fence()
				read.Do(func() { got = a.Copy() })
				n.Fence()
				if cut == 3 && n.Rank() == 0 {
					declared.Do(func() {})
				} else {
					n.Set().Do(func() {})
				}
			}
			if want := []int32{60, 62, 63, 64}; !slices.Equal(got, want) {
				t.Errorf("%s: rank %d has %v at the end, want %v", name, n.Rank(), got, want)
			}
			n.Rebind(v.To(a.Range(0, 2)), w.To(a.Range(2, 4)))
			if err := n.Acquire(declared); err == nil || !strings.Contains(err.Error(), `Writing: consistency: "v" does not guard a[2:3]`) {
				t.Errorf("%s: after v[2] went to w, Acquire with Writing(a[2:3]) returns %v", name, err)
			}
			return nil
		})
		if err == nil {
			t.Errorf("%s: the error does not stick", name)
		}
	}
}

// TestRebindErrors: a call that is not right names the elements, and changes nothing.
func TestRebindErrors(t *testing.T) {
	for _, c := range []struct {
		bindings func(v, w *fagus.SyncVar, a *fagus.Array[int32]) []fagus.Binding
		want     string
	}{
		{func(v, w *fagus.SyncVar, a *fagus.Array[int32]) []fagus.Binding {
			return []fagus.Binding{v.To(a.Range(0, 2)), w.To(a.Range(3, 6))}
		}, "no variable would guard a[2:3] any more"},
		{func(v, w *fagus.SyncVar, a *fagus.Array[int32]) []fagus.Binding {
			return []fagus.Binding{v.To(a.Range(0, 3)), w.To(a.Range(2, 6))}
		}, "a[2:3] is in two ranges"},
		{func(v, w *fagus.SyncVar, a *fagus.Array[int32]) []fagus.Binding {
			return []fagus.Binding{v.To(a.Range(0, 3)), w.To(a.Range(3, 8))}
		}, "none of the variables guards a[6:8] so far"},
		{func(v, w *fagus.SyncVar, a *fagus.Array[int32]) []fagus.Binding {
			return []fagus.Binding{v.To(a.Range(0, 1)), v.To(a.Range(1, 3))}
		}, `"v": it is named twice`},
		{func(v, w *fagus.SyncVar, a *fagus.Array[int32]) []fagus.Binding {
			return []fagus.Binding{v.To(a.Range(0, 6)), w.To()}
		}, `"w": no range`},
		{func(v, w *fagus.SyncVar, a *fagus.Array[int32]) []fagus.Binding {
			return []fagus.Binding{v.To(a.Range(0, 6)), w.To(a.Range(6, 6))}
		}, `"w": range [6, 6) of array "a"`},
		{func(v, w *fagus.SyncVar, a *fagus.Array[int32]) []fagus.Binding {
			return []fagus.Binding{{}}
		}, "a Binding is of a variable that Bind did not make"},
	} {
		_, err := runFor(t, fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
			a, v, w, err := cutArray[int32](n, 10, 3, 6)
			if err != nil {
				return err
			}
			if err := n.Rebind(c.bindings(v, w, a)...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that contains %q", err, c.want)
			}
			return nil
		})
		if err == nil {
			t.Errorf("%s: the error does not stick", c.want)
		}
	}
}

// TestRebindDealtDifferently: ranks that give the same ranges to different variables are told.
func TestRebindDealtDifferently(t *testing.T) {
	for name, cfg := range everyRuntime(t, 1) {
		cfg.Nodes = 2
		for what, bindings := range map[string]func(rank int, v, w *fagus.SyncVar, a *fagus.Array[int32]) []fagus.Binding{
			"another number of ranges": func(rank int, v, w *fagus.SyncVar, a *fagus.Array[int32]) []fagus.Binding {
				if rank == 0 {
					return []fagus.Binding{v.To(a.Range(0, 4), a.Range(4, 6)), w.To(a.Range(6, 10))}
				}
				return []fagus.Binding{v.To(a.Range(0, 4)), w.To(a.Range(4, 6), a.Range(6, 10))}
			},
			"another order": func(rank int, v, w *fagus.SyncVar, a *fagus.Array[int32]) []fagus.Binding {
				if rank == 0 {
					return []fagus.Binding{v.To(a.Range(0, 4)), w.To(a.Range(4, 10))}
				}
				return []fagus.Binding{w.To(a.Range(0, 4)), v.To(a.Range(4, 10))}
			},
		} {
			_, err := runFor(t, cfg, func(n *fagus.Node) error {
				a, v, w, err := cutArray[int32](n, 10, 5, 10)
				if err != nil {
					return err
				}
				n.Rebind(bindings(n.Rank(), v, w, a)...)
				return n.Err()
			})
			if err == nil || !strings.Contains(err.Error(), "declared different things") {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

// TestRebindDifferently: ranks that name different ranges are told, with both lines.
func TestRebindDifferently(t *testing.T) {
	for name, cfg := range everyRuntime(t, 1) {
		cfg.Nodes = 2
		_, err := runFor(t, cfg, func(n *fagus.Node) error {
			a, v, w, err := cutArray[int32](n, 10, 3, 10)
			if err != nil {
				return err
			}
			cut := 4 + n.Rank()
			n.Rebind(v.To(a.Range(0, cut)), w.To(a.Range(cut, 10)))
			return n.Err()
		})
		if err == nil || !strings.Contains(err.Error(), "declared different things") || !strings.Contains(err.Error(), "a rebinding of 2 variables, the first \"v\" to 1 ranges, the first a[0:5] (fagus/rebind_test.go:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRebindAdvice: what Rebind moves is nothing that the program has asked for.
func TestRebindAdvice(t *testing.T) {
	needGuard(t)
	const size = 100_000
	r := succeed(t, fagus.Config{Nodes: 2, Net: goroutines(), Check: fagus.CheckOn}, func(n *fagus.Node) error {
		a, v, w, err := cutArray[int32](n, size, size/2, size)
		if err != nil {
			return err
		}
		own := []*fagus.SyncVar{v, w}[n.Rank()]
		for cut := size / 2; cut < size/2+5000 && n.Err() == nil; cut += 1000 {
			n.Rebind(v.To(a.Range(0, cut)), w.To(a.Range(cut, size)))
			lo, hi := n.Rank()*cut, cut+n.Rank()*(size-cut)
			n.Set(own.Write()).Do(func() {
				for i := lo; i < hi; i++ {
					a.Slice()[i]++
				}
			})
		}
		return n.Err()
	})
	for _, a := range r.Advice {
		t.Errorf("advice on a program that touches all that it acquires: %v", a)
	}
}
