package region_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// doubles doubles x times times; the plan depends on its length only.
func doubles(n *fagus.Node, name string, x []int, times int) error {
	p := region.Open(n, name, "times", times)
	region.In(p, "x", &x)
	var steps struct{ step int }
	if !region.Known(p, &steps) {
		p.Begin("x")
		p.Repeat()
		steps.step = p.Step()
		p.Block(steps.step, 0, len(x), 1, 0, len(x))
		for rank := range p.Nodes() {
			part := p.Iterations(steps.step, rank)
			p.Reads(steps.step, rank, 0).Add(part.First, part.End)
			p.Overwrites(steps.step, rank, 0).Add(part.First, part.End)
		}
		p.End()
	}
	if err := p.Share("x"); err != nil {
		return err
	}
	for range times {
		if err := p.Enter(steps.step); err != nil {
			return err
		}
		part := p.Mine(steps.step)
		for i := part.First; i < part.End; i++ {
			x[i] *= 2
		}
		if err := p.Leave(steps.step); err != nil {
			return err
		}
	}
	return p.Finish()
}

// TestDisagreement: ranks that make different calls fail, with an error that says what differs.
func TestDisagreement(t *testing.T) {
	for _, c := range []struct {
		name    string
		program func(n *fagus.Node, odd bool) error // odd: this rank differs
		want    []string
		exact   []string // with a check
		inPlace []string // where ranks compute in place; nil: as exact
	}{
		{"another argument", func(n *fagus.Node, odd bool) error {
			times := 5
			if odd {
				times = 4
			}
			return doubles(n, "f", make([]int, 20), times)
		}, []string{"f(times 5), array x of 20 elements", "f(times 4)", "rank 2"}, []string{"call 1 ", "on rank 0 f(times 5)", "on rank 2 f(times 4)"}, nil},
		{"another argument in the middle", func(n *fagus.Node, odd bool) error {
			for call := range 50 {
				times := 3
				if odd && call == 31 {
					times = 2
				}
				if err := doubles(n, "f", make([]int, 20), times); err != nil {
					return err
				}
			}
			return nil
		}, []string{"call 50 of generated functions, f(times 3)", "rank 2"}, []string{"call 32 ", "on rank 0 f(times 3)", "on rank 2 f(times 2)"}, nil},
		{"fewer calls", func(n *fagus.Node, odd bool) error {
			for call := range 5 {
				if odd && call == 4 {
					break
				}
				if err := doubles(n, "f", make([]int, 20), 2); err != nil {
					return err
				}
			}
			return nil
		}, []string{"call 5 of generated functions, f(times 2)", "call 4 of generated functions, f(times 2)", "rank 2"}, []string{"call 5 ", "on rank 0 f(times 2)", "on rank 2 nothing more"}, []string{"rank 0 calls Barrier at region/agree_test.go:", "in call 5 of generated functions", "rank 2 calls Reduce at call 4"}},
		{"another function", func(n *fagus.Node, odd bool) error {
			for call := range 6 {
				name := "f"
				if call > 1 && (odd && call%2 == 0 || !odd && call%2 == 1) {
					name = "g"
				}
				if err := doubles(n, name, make([]int, 20), 2); err != nil {
					return err
				}
			}
			return nil
		}, []string{"of g"}, []string{"parameter 0 of g"}, []string{"call 3 of", "on rank 0 f(", "on rank 2 g("}},
		{"no call", func(n *fagus.Node, odd bool) error {
			if odd {
				return nil
			}
			return doubles(n, "f", make([]int, 20), 3)
		}, []string{"rank 2"}, []string{"rank 2"}, nil},
		{"another length", func(n *fagus.Node, odd bool) error {
			x := make([]int, 20)
			if odd {
				x = x[:19]
			}
			return doubles(n, "f", x, 3)
		}, []string{"f(times 3), array x of 20 elements", "f(times 3), array x of 19 elements"}, []string{"on rank 2 f(times 3), array x of 19 elements"}, nil},
		{"a resident array on some ranks", func(n *fagus.Node, odd bool) error {
			r, err := region.New[int](n, "r", 20)
			if err != nil {
				return err
			}
			x := r.Slice()
			if odd {
				x = make([]int, 20)
			}
			return doubles(n, "f", x, 3)
		}, []string{"block 1 of region, for parameter 0 of f"}, []string{"block 1 of region, for parameter 0 of f"}, []string{"on rank 0 f(times 3), resident array x", "on rank 2 f(times 3), array x"}},
	} {
		for _, cfg := range []fagus.Config{
			{}, {Mode: fagus.Threaded}, {Mode: fagus.Threaded, Helpers: true}, {Placement: fagus.PlaceShared},
			{Placement: fagus.PlacePrivate}, {Placement: fagus.PlacePrivate, Mode: fagus.Threaded}, {Placement: fagus.PlacePrivate, Mode: fagus.Threaded, Helpers: true},
			{Check: fagus.CheckOn}, {Check: fagus.CheckOn, Mode: fagus.Threaded},
		} {
			cfg.Nodes = 3
			wants := c.want
			if cfg.Placement == fagus.PlaceAuto {
				wants = c.exact
				if c.inPlace != nil {
					wants = c.inPlace
				}
			}
			if cfg.Check != fagus.CheckOff {
				if runtime.GOOS != "linux" {
					continue
				}
				wants = c.exact
			}
			_, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error { return c.program(n, n.Rank() == 2) })
			text := fmt.Sprint(err)
			for _, want := range wants {
				if err == nil || !strings.Contains(text, want) {
					t.Errorf("%s, %v mode, %v, helpers %v, check %v: error %q, want %q in it", c.name, cfg.Mode, cfg.Placement, cfg.Helpers, cfg.Check, text, want)
				}
			}
		}
	}
}
