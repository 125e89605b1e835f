package fagus_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

const us, ms = fagus.Microsecond, fagus.Millisecond

// steps makes steps of a function and a Barrier.
func steps(n *fagus.Node, times int, f func()) error {
	for range times {
		f()
		if err := n.Barrier(); err != nil {
			return err
		}
	}
	return nil
}

// at returns one time for rank 0, and another one for the others.
func at(n *fagus.Node, first, others fagus.Time) fagus.Time {
	if n.Rank() == 0 {
		return first
	}
	return others
}

// tipCase is a program with an inefficiency or without one.
type tipCase struct {
	name    string
	want    string // the advice; "": none
	program func(*fagus.Node) error
	other   string // the advice in phase mode, if it is another one
}

// linePattern is a line of this file.
const linePattern = `fagus/tips_test\.go:\d+`

// unevenCases are programs whose ranks compute for different times, or not.
func unevenCases() []tipCase {
	const line = linePattern
	return []tipCase{
		{"balanced", "", func(n *fagus.Node) error {
			return steps(n, 50, func() { n.Spend(ms) })
		}, ""},
		{"a little uneven", "", func(n *fagus.Node) error {
			return steps(n, 50, func() { n.Spend(at(n, 1100*us, ms)) })
		}, ""},
		{"by turns, but even", "", func(n *fagus.Node) error {
			turn := 0
			return steps(n, 48, func() {
				if turn%n.Nodes() == n.Rank() {
					n.Spend(ms)
				}
				n.Spend(4 * ms)
				turn++
			})
		}, ""},
		{"one rank computes longer", `rank 0 computes 3\.0 times as long as the others before the call at ` + line + ` \(57\.\d* ms, the others 19\.\d* ms in the mean\), and they wait for it: give it less to do, or deal the work out by a parts\.Queue`, func(n *fagus.Node) error {
			return steps(n, 20, func() { n.Spend(at(n, 3*ms, ms)) })
		}, ""},
		{"one rank computes longer in one place", `rank 0 computes 4\.0 times as long as the others between ` + line + ` and ` + line + ` .*: give it less`, func(n *fagus.Node) error {
			for range 20 {
				n.Spend(ms)
				if err := n.Barrier(); err != nil {
					return err
				}
				n.Spend(at(n, 4*ms, ms))
				if err := n.Update(); err != nil {
					return err
				}
			}
			return nil
		}, ""},
		{"one rank returns later", `rank 0 computes 5\.0 times as long as the others after its last call at ` + line + ` .*: give it less`, func(n *fagus.Node) error {
			if err := n.Barrier(); err != nil {
				return err
			}
			n.Spend(at(n, 100*ms, 20*ms))
			return nil
		}, ""},
		{"a serial part at rank 0", `only rank 0 computes between ` + line + ` and ` + line + `, for 40\.\d* ms, while the others wait for it: divide this work among the 4 ranks$`, func(n *fagus.Node) error {
			for range 20 {
				n.Spend(ms)
				if err := n.Barrier(); err != nil {
					return err
				}
				n.Spend(at(n, 2*ms, 0))
				if err := n.Update(); err != nil {
					return err
				}
			}
			return nil
		}, ""},
	}
}

// partCases are programs with input, output, fine grain, and parts.
func partCases() []tipCase {
	const line = linePattern
	return []tipCase{
		{"input at rank 0", `only rank 0 computes before its first call at ` + line + `, for 81\.\d* ms, .* or, if it reads the input, let each rank read a part`, func(n *fagus.Node) error {
			n.Spend(at(n, 80*ms, 0))
			return steps(n, 20, func() { n.Spend(ms) })
		}, ""},
		{"input in a tenure of rank 0", `only rank 0 computes between fagus/helpers_test\.go:\d+ and ` + line + `, for 81\.\d* ms, .* or, if it is input or output, let each rank read or write a part`, func(n *fagus.Node) error {
			_, v, err := guarded[int64](n, 1)
			if err != nil {
				return err
			}
			if n.Rank() == 0 {
				if err := tenure(n, n.Set(fagus.Want(v, fagus.Exclusive)), func() { n.Spend(80 * ms) }); err != nil {
					return err
				}
			}
			return steps(n, 20, func() { n.Spend(ms) })
		}, ""},
		{"output at rank 0", `only rank 0 computes after its last call at ` + line + `, for 80\.\d* ms, .* or, if it writes the output, let each rank write a part`, func(n *fagus.Node) error {
			if err := steps(n, 20, func() { n.Spend(ms) }); err != nil {
				return err
			}
			n.Spend(at(n, 80*ms, 0))
			return nil
		}, ""},
		{"input that is not measured", "", func(n *fagus.Node) error {
			n.Spend(at(n, 80*ms, 0))
			_, err := n.Measure(func() error { return steps(n, 20, func() { n.Spend(ms) }) })
			n.Spend(at(n, 80*ms, 0))
			return err
		}, ""},
		{"too fine a grain", `500 calls of each rank take \d+\.\d+ us each, and ranks compute 2\.\d+ us between two of them, many of them at ` + line + `: do more work between two calls \(larger blocks\), or use fewer ranks`, func(n *fagus.Node) error {
			return steps(n, 500, func() { n.Spend(2 * us) })
		}, ""},
		{"a grid that is too small", `calls of each rank take .* at ` + line + `: give ranks larger blocks of the parts\.Pair, or use fewer ranks`, func(n *fagus.Node) error {
			p, err := parts.NewPair[int64](n, "p", parts.Shape{Rows: 8, Columns: 4, Halo: 1})
			for i := 0; err == nil && i < 200; i++ {
				err = p.Step(func() error { n.Spend(2 * us); return nil })
			}
			return err
		}, ""},
		{"a queue in batches of one", `give the parts\.Queue larger batches \(NewQueue\)`, func(n *fagus.Node) error {
			q, err := parts.NewQueue(n, "q", 2000, 1)
			if err != nil {
				return err
			}
			return q.Each(func(int) error { n.Spend(us); return nil }, parts.Results{})
		}, "none"}, // a rank gets many batches in a phase
		{"a queue with a long item", `rank \d computes .* times as long as the others.*: give the parts\.Queue smaller batches \(NewQueue\), divide its longest items, or hand them out first`, func(n *fagus.Node) error {
			q, err := parts.NewQueue(n, "q", 64, 1)
			if err != nil {
				return err
			}
			err = q.Each(func(b int) error {
				n.Spend(ms)
				if b == 62 {
					n.Spend(60 * ms)
				}
				return nil
			}, parts.Results{})
			if err != nil {
				return err
			}
			return n.Barrier()
		}, ""},
		{"a pipeline with a slow stage", `only rank 1 computes before the call at ` + line + `.*: let more ranks do what this one does, as any number may send to a parts\.Channel and receive from it`, pipeline(1, 40, func(n *fagus.Node) { n.Spend(at(n, us, 4*ms)) }),
			`rank 0 waited .* held by rank 1 .*each call of the parts\.Channel is a phase of all ranks: send several values at a time`},
		{"a slow producer", "", inSlices(3, 120, 1, func(n *fagus.Node) { n.Spend(at(n, ms, 300*us)) }), `each call of the parts\.Channel is a phase of all ranks`},
		{"one rank works in several places", `only rank 0 computes, for 90\.\d* ms, while the others wait for it: divide this work among the 4 ranks`, func(n *fagus.Node) error {
			work := func() { n.Spend(at(n, 30*ms, 0)) }
			work()
			if err := n.Barrier(); err != nil {
				return err
			}
			work()
			if err := n.Update(); err != nil {
				return err
			}
			work()
			return n.Barrier()
		}, ""},
		{"others work before the section", `rank 0 computes.* for 100\.\d* ms, the others not at all, and they wait for it: give it less to do`, func(n *fagus.Node) error {
			n.Spend(at(n, 0, 40*ms))
			_, err := n.Measure(func() error {
				n.Spend(at(n, 100*ms, 0))
				return n.Barrier()
			})
			return err
		}, ""},
		{"a channel of small values", `rank \d waited .*; send several values at a time by the parts\.Channel, in a slice`, pipeline(1, 1000, func(n *fagus.Node) { n.Spend(us) }), ""},
		{"ranks compute at different lines", `rank 0 computes 3\.0 times as long as the others`, func(n *fagus.Node) error {
			for range 20 {
				var err error
				if n.Rank() == 0 {
					err = n.Update()
					n.Spend(3 * ms)
				} else {
					err = n.Update()
					n.Spend(ms)
				}
				if err == nil {
					err = n.Barrier()
				}
				if err != nil {
					return err
				}
			}
			return nil
		}, ""},
		{"one hot variable", `rank \d waited \d\d % of the time for exclusive "v", held .*; 3 more ranks waited for it; `, serialised(20, func(n *fagus.Node) { n.Spend(ms) }), ""},
	}
}

// pipeline sends values from rank 0 to so many ranks, and calls work for each value on both sides.
func pipeline(ranks, values int, work func(*fagus.Node)) func(*fagus.Node) error {
	return inSlices(ranks, values, 1, work)
}

// inSlices sends the values in slices of a length.
func inSlices(ranks, values, length int, work func(*fagus.Node)) func(*fagus.Node) error {
	return func(n *fagus.Node) error {
		c, err := parts.NewChannel[[]int64](n, "c", 8, 1)
		if err != nil {
			return err
		}
		switch {
		case n.Rank() == 0:
			for i := 0; i < values; i += length {
				for range length {
					work(n)
				}
				if err := c.Send(make([]int64, length)); err != nil {
					return err
				}
			}
			return c.Close()
		case n.Rank() <= ranks:
			for values, err := range c.All() {
				if err != nil {
					return err
				}
				for range values {
					work(n)
				}
			}
		}
		return nil
	}
}

// TestTips runs programs with a planted inefficiency on four simulated nodes, in both modes. Each
// gets one advice, which says what was planted. Those without one get none.
func TestTips(t *testing.T) {
	for _, c := range slices.Concat(unevenCases(), partCases()) {
		for _, mode := range modes {
			want := c.want
			if mode == fagus.Phase && c.other != "" {
				want = strings.TrimPrefix(c.other, "none")
			}
			r := succeed(t, fagus.Config{Nodes: 4, Mode: mode, Net: newSim(t, sim.Config{Env: "fagus2"})}, c.program)
			var advice []string
			for line := range strings.Lines(r.String()) {
				if text, ok := strings.CutPrefix(line, "advice: "); ok {
					advice = append(advice, strings.TrimSpace(text))
				}
			}
			if want == "" && len(advice) > 0 || want != "" && (len(advice) != 1 || !regexp.MustCompile(want).MatchString(advice[0])) {
				t.Errorf("%s, %v: the advice is %q, want %q\n%s", c.name, mode, advice, want, r.String())
			}
		}
	}
}

// followed returns the programs of TestTips after their advice was followed, by name.
func followed() map[string]func(*fagus.Node) error {
	even := func(each fagus.Time) func(*fagus.Node) error {
		return func(n *fagus.Node) error { return steps(n, 20, func() { n.Spend(each) }) }
	}
	return map[string]func(*fagus.Node) error{
		"one rank computes longer":              even(1500 * us),
		"one rank computes longer in one place": even(2750 * us),
		"one rank returns later":                func(n *fagus.Node) error { n.Spend(40 * ms); return n.Barrier() },
		"a serial part at rank 0":               even(1500 * us),
		"input at rank 0":                       func(n *fagus.Node) error { n.Spend(20 * ms); return even(ms)(n) },
		"input in a tenure of rank 0":           func(n *fagus.Node) error { n.Spend(20 * ms); return even(ms)(n) },
		"output at rank 0":                      func(n *fagus.Node) error { err := even(ms)(n); n.Spend(20 * ms); return err },
		"too fine a grain":                      func(n *fagus.Node) error { return steps(n, 50, func() { n.Spend(20 * us) }) },
		"a queue in batches of one": func(n *fagus.Node) error {
			q, err := parts.NewQueue(n, "q", 2000, 100)
			if err != nil {
				return err
			}
			return q.Each(func(int) error { n.Spend(100 * us); return nil }, parts.Results{})
		},
		"a queue with a long item": func(n *fagus.Node) error {
			q, err := parts.NewQueue(n, "q", 64+60, 1) // the long item is 60 more
			if err != nil {
				return err
			}
			err = q.Each(func(int) error {
				n.Spend(ms)
				return nil
			}, parts.Results{})
			if err != nil {
				return err
			}
			return n.Barrier()
		},
		"a pipeline with a slow stage": pipeline(3, 40, func(n *fagus.Node) { n.Spend(at(n, us, 4*ms)) }),
		"a channel of small values":    inSlices(1, 1000, 50, func(n *fagus.Node) { n.Spend(us) }),
		"one hot variable":             func(n *fagus.Node) error { n.Spend(20 * ms); return n.Barrier() },
	}
}

// TestFollowTips follows the advice of the programs of TestTips: each saves time.
func TestFollowTips(t *testing.T) {
	after := followed()
	for _, c := range slices.Concat(unevenCases(), partCases()) {
		follow := after[c.name]
		if follow == nil {
			continue
		}
		for _, mode := range modes {
			if mode == fagus.Phase && c.other != "" { // nothing, or that threaded mode is better
				continue
			}
			took := func(program func(*fagus.Node) error) (longest fagus.Time, tips []fagus.Tip) {
				r := succeed(t, fagus.Config{Nodes: 4, Mode: mode, Net: newSim(t, sim.Config{Env: "fagus2"})}, program)
				for i := range r.Ranks {
					longest = max(longest, r.Ranks[i].Total())
				}
				return longest, r.Tips
			}
			before, tips := took(c.program)
			now, _ := took(follow)
			saved, most := 1-float64(now)/float64(before), "unknown"
			least := 0.1
			if len(tips) > 0 {
				least, most = tips[0].Share/2, fmt.Sprintf("%.0f %%", 100*tips[0].Share)
			}
			t.Logf("%-38s %-8v %9.2f ms, %9.2f ms after: %2.0f %% less; at most, by the tip: %s", c.name, mode, float64(before)/float64(ms), float64(now)/float64(ms), 100*saved, most)
			if saved < least {
				t.Errorf("%s, %v: following the advice saves %.0f %%, want %.0f %% or more", c.name, mode, 100*saved, 100*least)
			}
		}
		delete(after, c.name)
	}
	if len(after) > 0 {
		t.Errorf("advice is followed in programs that TestTips has not: %v", after)
	}
}

// TestTipsOverTree: where lists travel over a tree nobody knows whose list was the last.
func TestTipsOverTree(t *testing.T) {
	r := succeed(t, fagus.Config{Nodes: 20, Net: newSim(t, sim.Config{Env: "fagus2"})}, func(n *fagus.Node) error {
		return steps(n, 20, func() { n.Spend(at(n, 3*ms, ms)) })
	})
	if len(r.Late) > 0 || len(r.Tips) != 1 || r.Tips[0].Kind != fagus.Imbalance || r.Tips[0].Rank != 0 {
		t.Errorf("late ranks %v, tips %v: want no late ranks, and rank 0 in the tip", r.Late, r.Tips)
	}
}
