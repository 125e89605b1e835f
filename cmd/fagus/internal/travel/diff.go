package travel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

const diffSchema = "fagus.diff/v1"

// difference is the document of fagus diff. docs/reference/json.md describes it.
type difference struct {
	Schema string   `json:"schema"`
	Equal  bool     `json:"equal"`
	A      side     `json:"a"`
	B      side     `json:"b"`
	By     string   `json:"by"`     // "values" or "hashes"
	Points int      `json:"points"` // calls in which all ranks meet that were compared
	Arrays []string `json:"arrays"` // that were compared
	Unlike []string `json:"unlike"` // arrays that were not compared, and why
	Last   string   `json:"last"`   // the last point
	// Unknown is how many elements may differ at the last point: hashes do not say.
	Unknown int      `json:"unknown_elements"`
	First   *first   `json:"first,omitempty"`
	Notes   []string `json:"notes"`
}

// side is one of the runs.
type side struct {
	Directory string `json:"directory"`
	Program   string `json:"program"`
	Nodes     int    `json:"nodes"`
	Mode      string `json:"mode"`
	Net       string `json:"net"`
	Meetings  int    `json:"meetings"`
}

// first is the first element that differs.
type first struct {
	Array    string    `json:"array"`
	Element  int       `json:"element"`        // with hashes: the first of those that may differ
	Elements int       `json:"elements"`       // with values: how many of the array differ
	Last     int       `json:"last,omitempty"` // with hashes: the last element of which one differs
	Call     string    `json:"call"`
	Line     string    `json:"line"`
	Count    int       `json:"count"` // the point is the Count-th call at this line
	A        whichSide `json:"a"`
	B        whichSide `json:"b"`
	Other    []string  `json:"other"` // other arrays that differ at the point
}

// whichSide is what one run has in the element.
type whichSide struct {
	Value string  `json:"value,omitempty"`
	Step  uint64  `json:"step"`         // of rank 0 when it made the call
	By    *author `json:"by,omitempty"` // nil: nobody has written it
}

func diff(c *cli.Context) error {
	if c.NArg() != 2 {
		return usage.Errorf("want two records, such as rec1 rec2; see 'fagus diff --help'")
	}
	tolerance := c.Float64("tolerance")
	if !(tolerance >= 0 && tolerance < 1) { // also NaN
		return usage.Errorf("--tolerance %v: want 0 or more, and less than 1", tolerance)
	}
	var runs [2]*run
	for i, dir := range c.Args().Slice() {
		var err error
		if runs[i], err = openRun(c.Context, dir); err != nil {
			return err
		}
	}
	d, err := compareRuns(c.Context, runs, splitNames(c.String("arrays")), tolerance)
	if err != nil {
		return err
	}
	if err := base.PrintText(c, d, d.text); err != nil {
		return err
	}
	switch {
	case !d.Equal:
		return errors.New("the runs differ")
	case !d.whole():
		return usage.Errorf("no difference was found, but not everything could be compared")
	}
	return nil
}

// whole reports whether the runs were compared up to their ends, and all elements are known.
func (d *difference) whole() bool {
	return d.Unknown == 0 && d.Last == (meeting{call: rollcall.End}).String()
}

// comparison compares two runs.
type comparison struct {
	difference
	both      [2]*contents
	tolerance float64
}

// splitNames returns the names in a text with commas between; nil if it is empty.
func splitNames(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// compareRuns compares the arrays with the given names, or all if names is nil.
func compareRuns(ctx context.Context, runs [2]*run, names []string, tolerance float64) (*difference, error) {
	c := comparison{tolerance: tolerance}
	c.difference = difference{Schema: diffSchema, Equal: true, A: runs[0].side(), B: runs[1].side(), By: "hashes", Arrays: []string{}, Unlike: []string{}, Notes: []string{}}
	values := runs[0].Values && runs[1].Values
	if values {
		c.By = "values"
	}
	for _, name := range names {
		for _, r := range runs {
			if _, err := r.array(name); err != nil {
				return nil, err
			}
		}
	}
	common := c.common(runs, func(name string) bool { return names == nil || slices.Contains(names, name) })
	if len(c.Arrays) == 0 {
		return nil, usage.Errorf("%s and %s have no array in common with the same name, elements and length: there is nothing to compare", runs[0].Dir, runs[1].Dir)
	}
	wanted := func(a *array) bool { return common[a.Name] }
	if err := fits(runs[0].need(values, wanted)+runs[1].need(values, wanted), runs[0].Dir+" and "+runs[1].Dir); err != nil {
		return nil, err
	}
	for i, r := range runs {
		for _, note := range r.notes {
			c.Notes = append(c.Notes, r.Dir+": "+note)
		}
		var err error
		if c.both[i], err = r.newContents(point{step: math.MaxUint64, time: math.MaxInt64}, values, wanted); err != nil {
			return nil, err
		}
		defer c.both[i].close()
	}
	points := c.points(runs)
	for _, p := range points {
		met, err := c.goTo(ctx, p)
		if err != nil {
			return nil, err
		}
		if !met {
			c.Notes = append(c.Notes, fmt.Sprintf("the comparison ends before %v, where a record ends", runs[0].meetings[p[0]]))
			break
		}
		c.Points++
		c.Last = runs[0].meetings[p[0]].String()
		if c.compare(p); !c.Equal {
			break
		}
	}
	return &c.difference, nil
}

func (r *run) side() side {
	return side{r.Dir, r.Program, r.Nodes, r.Mode, r.Net, len(r.meetings)}
}

// common finds the arrays that can be compared, of those that want returns true for.
func (c *comparison) common(runs [2]*run, want func(name string) bool) map[string]bool {
	common := make(map[string]bool)
	for i := range runs[0].arrays {
		a := &runs[0].arrays[i]
		b, err := runs[1].array(a.Name)
		switch {
		case !want(a.Name):
		case err != nil:
			c.Unlike = append(c.Unlike, fmt.Sprintf("%s is only in %s", base.Printable(a.Name), runs[0].Dir))
		case a.Kind != b.Kind || a.Bytes != b.Bytes || a.Element != b.Element:
			c.Unlike = append(c.Unlike, fmt.Sprintf("%s has %s, and %s", base.Printable(a.Name), base.Printable(a.Kind), base.Printable(b.Kind)))
		default:
			common[a.Name] = true
			c.Arrays = append(c.Arrays, a.Name)
		}
	}
	for i := range runs[1].arrays {
		if a := &runs[1].arrays[i]; want(a.Name) && !slices.ContainsFunc(runs[0].arrays, func(b array) bool { return b.Name == a.Name }) {
			c.Unlike = append(c.Unlike, fmt.Sprintf("%s is only in %s", base.Printable(a.Name), runs[1].Dir))
		}
	}
	return common
}

// label names a meeting in both runs: the count-th one of a call at a line.
type label struct {
	call  rollcall.Call
	line  string
	count int
}

func labels(all []meeting) []label {
	counts := make(map[label]int)
	out := make([]label, len(all))
	for i, m := range all {
		l := label{call: m.call, line: m.line}
		counts[l]++
		l.count = counts[l]
		out[i] = l
	}
	return out
}

// points returns the meetings that correspond, as indices in both runs.
func (c *comparison) points(runs [2]*run) [][2]int {
	a, b := runs[0].meetings, runs[1].meetings
	points := match(labels(a), labels(b))
	switch less := len(points) < min(len(a), len(b)); {
	case runs[0].resumed || runs[1].resumed:
		points = slices.DeleteFunc(points, func(p [2]int) bool { return a[p[0]].call != rollcall.End })
		c.Notes = append(c.Notes, "only the ends are compared, because a run that goes on from a checkpoint makes only the last calls")
	case less && slices.EqualFunc(a, b, func(x, y meeting) bool { return x.call == y.call }):
		points = points[:0]
		for i := range a {
			points = append(points, [2]int{i, i})
		}
		c.Notes = append(c.Notes, "the runs make the same calls at other lines: the first call is compared with the first, and so on")
	case less:
		c.Notes = append(c.Notes, "the runs make other calls, or at other lines: only those at the same line are compared, and the ends")
	}
	return points
}

func match(a, b []label) (points [][2]int) {
	where := make(map[label]int, len(b))
	for j, l := range b {
		where[l] = j
	}
	last := -1
	for i, l := range a {
		if j, ok := where[l]; ok && j > last {
			points, last = append(points, [2]int{i, j}), j
		}
	}
	return points
}

// goTo goes on to a meeting in both runs. It returns false if a record ends before.
func (c *comparison) goTo(ctx context.Context, p [2]int) (bool, error) {
	for i, all := range c.both {
		for all.meeting <= p[i] {
			if met, err := all.advance(ctx); err != nil || !met {
				return false, err
			}
		}
	}
	return true, nil
}

// compare compares what has changed since the last point in one of the runs.
func (c *comparison) compare(p [2]int) {
	c.Unknown = 0
	for i, a := range c.both[0].arrays {
		if a == nil {
			continue
		}
		b := c.both[1].memory(a.Name)
		d := found{first: -1}
		for _, s := range merged(a, b) {
			if a.bytes != nil {
				d.values(a, b, s, c.tolerance)
			} else {
				d.hashes(c.both, a, b, s)
			}
		}
		a.changed, b.changed = a.changed[:0], b.changed[:0]
		a.unknown, b.unknown = d.unknown, nil
		for _, s := range d.unknown {
			c.Unknown += (s.hi - s.lo) * a.unit / a.Element
		}
		switch {
		case d.first < 0:
		case c.First == nil:
			c.Equal = false
			c.First = c.describe(i, b, &d, p)
		default:
			c.First.Other = append(c.First.Other, a.Name)
		}
	}
}

func (c *contents) memory(name string) *memory {
	for _, m := range c.arrays {
		if m != nil && m.Name == name {
			return m
		}
	}
	return nil
}

// merged returns the units of an array that have changed in one of two runs, and those of which it
// was unknown whether they are equal, in order.
func merged(a, b *memory) (all []span) {
	sorted := slices.Concat(a.changed, b.changed, a.unknown)
	slices.SortFunc(sorted, func(x, y span) int { return cmp.Compare(x.lo, y.lo) })
	for _, s := range sorted {
		if n := len(all); n > 0 && all[n-1].hi >= s.lo {
			all[n-1].hi = max(all[n-1].hi, s.hi)
		} else {
			all = append(all, s)
		}
	}
	return all
}

func (c *comparison) describe(i int, b *memory, d *found, p [2]int) *first {
	a := c.both[0].arrays[i]
	m := c.both[0].meetings[p[0]]
	f := &first{Array: a.Name, Element: d.first, Elements: d.count, Last: d.last, Call: m.call.String(), Line: m.line, Other: []string{}}
	for _, other := range c.both[0].meetings[:p[0]+1] {
		if other.call == m.call && other.line == m.line {
			f.Count++
		}
	}
	f.A = whichSide{a.value(d.first), m.step, c.both[0].authorOf(a, d.first)}
	f.B = whichSide{b.value(d.first), c.both[1].meetings[p[1]].step, c.both[1].authorOf(b, d.first)}
	return f
}
