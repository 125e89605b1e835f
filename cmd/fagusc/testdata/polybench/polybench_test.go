package polybench

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// version is what fagusc has made of a kernel.
type version struct {
	on    any    // the parallel version; nil if the kernel is refused
	loops string // the indices of the parallel loops, or "refused"
	sums  bool   // floating-point sums have another order than those of the kernel
}

// clone returns a copy of arguments.
func clone(args []any) []any {
	copies := slices.Clone(args)
	for i, a := range args {
		switch a := a.(type) {
		case matrix[float64]:
			copies[i] = matrix[float64]{slices.Clone(a.data), a.width}
		case matrix[int]:
			copies[i] = matrix[int]{slices.Clone(a.data), a.width}
		case []float64:
			copies[i] = slices.Clone(a)
		case []int:
			copies[i] = slices.Clone(a)
		}
	}
	return copies
}

// call calls a function with arguments, after node if that is not nil. If cut is set, matrices
// are slices of rows. It returns the error of the function, if that returns one.
func call(f any, node *fagus.Node, cut bool, args []any) error {
	var in []reflect.Value
	if node != nil {
		in = append(in, reflect.ValueOf(node))
	}
	for _, a := range args {
		switch m := a.(type) {
		case matrix[float64]:
			a = m.argument(cut)
		case matrix[int]:
			a = m.argument(cut)
		}
		in = append(in, reflect.ValueOf(a))
	}
	if out := reflect.ValueOf(f).Call(in); len(out) > 0 {
		err, _ := out[0].Interface().(error)
		return err
	}
	return nil
}

func (m matrix[T]) argument(cut bool) any {
	if !cut {
		return m.data
	}
	return slices.Collect(slices.Chunk(m.data, m.width))
}

// tolerance bounds the error of results whose sums have another order, relative to the largest
// absolute value in the array.
const tolerance = 1e-11

// compare returns an error if arguments differ: in any bit, or if sums is set by more than
// tolerance.
func compare(got, want []any, sums bool) error {
	for i := range want {
		var g, w []float64
		switch a := want[i].(type) {
		case matrix[float64]:
			g, w = got[i].(matrix[float64]).data, a.data
		case []float64:
			g, w = got[i].([]float64), a
		default:
			if !reflect.DeepEqual(got[i], want[i]) {
				return fmt.Errorf("argument %d differs", i)
			}
			continue
		}
		limit := 0.0
		if sums {
			for _, x := range w {
				limit = max(limit, tolerance*math.Abs(x))
			}
		}
		for k := range w {
			if math.Float64bits(g[k]) != math.Float64bits(w[k]) && !(math.Abs(g[k]-w[k]) <= limit) {
				return fmt.Errorf("argument %d: element %d is %v, want %v with an error of %v or less", i, k, g[k], w[k], limit)
			}
		}
	}
	return nil
}

// sequential returns the arguments before and after the sequential function.
func (p problem) sequential(size int) (before, after []any) {
	before = p.input(size)
	after = clone(before)
	_ = call(p.seq, nil, false, after) // returns nothing
	return before, after
}

func sizes() []int {
	if longtest.Enabled() {
		return []int{1, 2, 3, 7, 12}
	}
	return []int{2, 7}
}

// TestPlain checks the functions on two goroutines, and those of package rows.
func TestPlain(t *testing.T) {
	for _, p := range problems() {
		sums := slices.Contains([]string{"Atax", "Bicg", "Durbin"}, p.name)
		for _, size := range append(sizes(), 33) {
			before, want := p.sequential(size)
			got := clone(before)
			_ = call(p.plain, nil, false, got)
			if err := compare(got, want, sums); err != nil {
				t.Errorf("%s of size %d on two goroutines: %v", p.name, size, err)
			}
			if reflect.DeepEqual(want, before) && size > 3 {
				t.Errorf("%s of size %d changes nothing", p.name, size)
			}
			if p.rows == nil {
				continue
			}
			got = before
			_ = call(p.rows, nil, true, got)
			if err := compare(got, want, false); err != nil {
				t.Errorf("rows.%s of size %d: %v", p.name, size, err)
			}
		}
	}
}

// TestSame checks that every accepted kernel gives the results of the sequential one on any
// number of ranks, in both modes, with private and shared copies, and that only the slices of
// rank 0 change.
func TestSame(t *testing.T) {
	all := made()
	for _, p := range problems() {
		for _, name := range []string{p.name, "rows." + p.name} {
			v, known := all[name]
			if known != (name == p.name || p.rows != nil) {
				t.Errorf("%s: the list in made_test.go and the problems disagree", name)
			}
			if v.on == nil {
				continue
			}
			for _, size := range sizes() {
				before, want := p.sequential(size)
				for nodes := 1; nodes <= 5; nodes++ {
					for _, cfg := range []fagus.Config{
						{},
						{Placement: fagus.PlacePrivate},
						{Placement: fagus.PlaceShared},
						{Placement: fagus.PlacePrivate, Mode: fagus.Threaded},
					} {
						cfg.Nodes = nodes
						if err := same(t, v, name != p.name, cfg, before, want); err != nil {
							t.Errorf("%s of size %d on %d nodes, %v mode, %v: %v", name, size, nodes, cfg.Mode, cfg.Placement, err)
						}
					}
				}
			}
		}
	}
}

func same(t *testing.T, v version, cut bool, cfg fagus.Config, before, want []any) error {
	_, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
		if n.Nodes() != 2 { // two ranks may find that one is faster
			region.Together(n)
		}
		args := clone(before)
		if n.Rank() > 0 {
			spoil(args)
		}
		untouched := clone(args)
		if err := call(v.on, n, cut, args); err != nil {
			return err
		}
		if n.Rank() > 0 {
			return compare(args, untouched, false)
		}
		return compare(args, want, v.sums && n.Nodes() > 1)
	})
	return err
}

// spoil changes the contents of the slices of a rank other than 0, which are not input.
func spoil(args []any) {
	for _, a := range args {
		switch a := a.(type) {
		case matrix[float64]:
			clear(a.data)
		case matrix[int]:
			clear(a.data)
		case []float64:
			clear(a)
		case []int:
			clear(a)
		}
	}
}
