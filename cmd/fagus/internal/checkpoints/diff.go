package checkpoints

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/elements"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const diffSchema = "fagus.checkpointdiff/v1"

// difference is the document of fagus checkpoint diff. docs/reference/json.md describes it.
type difference struct {
	Schema string      `json:"schema"`
	Equal  bool        `json:"equal"`
	A      side        `json:"a"`
	B      side        `json:"b"`
	State  bool        `json:"state_equal"`
	Arrays []arrayDiff `json:"arrays"`
}

// side is one of the checkpoints.
type side struct {
	Directory string          `json:"directory"`
	Number    uint64          `json:"number"`
	Made      time.Time       `json:"made"`
	Ranks     int             `json:"ranks"`
	State     json.RawMessage `json:"state"`
}

// What an array is in two checkpoints.
const (
	same     = "equal"
	contents = "contents differ"
	kinds    = "kinds differ"
	onlyA    = "only in a"
	onlyB    = "only in b"
)

type arrayDiff struct {
	Name     string `json:"name"`
	Result   string `json:"result"`
	Kind     string `json:"kind"`
	KindB    string `json:"kind_b,omitempty"` // if it is another
	Elements int    `json:"different_elements"`
	Bytes    int    `json:"different_bytes"`
	First    *first `json:"first,omitempty"`
	// Largest is the largest absolute difference of floating-point numbers that differ.
	Largest *float64 `json:"largest_difference,omitempty"`
	// Undefined is how many differ and have no finite difference.
	Undefined int `json:"undefined_differences,omitempty"`
}

// first is the first place where two arrays differ.
type first struct {
	Index string `json:"index"`
	A     string `json:"a"`
	B     string `json:"b"`
}

func diff(c *cli.Context) error {
	if c.NArg() != 2 {
		return usage.Errorf("want two checkpoints, such as ck:319 and ck:320; see 'fagus checkpoint diff --help'")
	}
	var choices [2]choice
	var open [2]*checkpoint.Snapshot
	for i, arg := range c.Args().Slice() {
		var err error
		choices[i] = parseChoice(arg)
		if open[i], err = choices[i].open(c); err != nil {
			return err
		}
		defer open[i].Close()
	}
	d, err := compare(c.Context, open[0], open[1])
	if err != nil {
		return err
	}
	d.A.Directory, d.B.Directory = choices[0].dir, choices[1].dir
	if err := base.PrintText(c, d, func() string { return d.text(choices) }); err != nil {
		return err
	}
	if !d.Equal {
		return errors.New("the checkpoints differ")
	}
	return nil
}

func sideOf(o *checkpoint.Snapshot) side {
	m := o.Manifest
	return side{Number: m.Number, Made: m.Made, Ranks: m.Nodes, State: m.State}
}

// compare compares two checkpoints.
func compare(ctx context.Context, a, b *checkpoint.Snapshot) (*difference, error) {
	d := &difference{Schema: diffSchema, A: sideOf(a), B: sideOf(b), State: sameState(a.State(), b.State()), Arrays: []arrayDiff{}}
	inB := map[string]int{}
	for i, array := range b.Arrays() {
		inB[array.Name] = i
	}
	inA := map[string]bool{}
	for i, array := range a.Arrays() {
		inA[array.Name] = true
		j, ok := inB[array.Name]
		one := arrayDiff{Name: array.Name, Result: onlyA, Kind: array.Kind}
		if ok {
			var err error
			if one, err = compareArrays(ctx, a, b, i, j); err != nil {
				return nil, err
			}
		}
		d.Arrays = append(d.Arrays, one)
	}
	for _, array := range b.Arrays() {
		if !inA[array.Name] {
			d.Arrays = append(d.Arrays, arrayDiff{Name: array.Name, Result: onlyB, Kind: array.Kind})
		}
	}
	d.Equal = d.State
	for _, one := range d.Arrays {
		d.Equal = d.Equal && one.Result == same
	}
	return d, nil
}

// sameState reports whether states are equal, except for space.
func sameState(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	if json.Compact(&x, a) != nil || json.Compact(&y, b) != nil {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(x.Bytes(), y.Bytes())
}

// comparison compares the contents of an array, piece by piece.
type comparison struct {
	arrayDiff
	array   fagus.SavedArray
	numbers *elements.Elements // nil if the elements are no numbers
	last    int                // the last element that differs; -1: none
}

func compareArrays(ctx context.Context, a, b *checkpoint.Snapshot, i, j int) (arrayDiff, error) {
	array := a.Arrays()[i]
	c := comparison{arrayDiff: arrayDiff{Name: array.Name, Result: same, Kind: array.Kind}, array: array, last: -1}
	if other := b.Arrays()[j]; other != array {
		c.Result, c.KindB = kinds, other.Kind
		return c.arrayDiff, nil
	}
	if e, err := elementsOf(array); err == nil {
		c.numbers = &e
	}
	const chunk = 1 << 20
	x, y := make([]byte, chunk), make([]byte, chunk)
	for from, end := range saved(a, b, i, j) {
		for ; from < end; from += chunk {
			if err := ctx.Err(); err != nil {
				return c.arrayDiff, err
			}
			n := min(chunk, end-from)
			if err := a.Read(i, from, x[:n]); err != nil {
				return c.arrayDiff, err
			}
			if err := b.Read(j, from, y[:n]); err != nil {
				return c.arrayDiff, err
			}
			if !bytes.Equal(x[:n], y[:n]) {
				c.add(from, x[:n], y[:n])
			}
		}
	}
	return c.arrayDiff, nil
}

// add compares bytes that begin at an offset of the array. No number is cut.
func (c *comparison) add(offset int, x, y []byte) {
	unit := 1
	if c.numbers != nil {
		unit = c.numbers.Number.Bytes
	}
	for at := 0; at < len(x); at += unit {
		a, b := x[at:at+unit], y[at:at+unit]
		if bytes.Equal(a, b) {
			continue
		}
		c.Result = contents
		for i := range a {
			if a[i] != b[i] {
				c.Bytes++
			}
		}
		if element := (offset + at) / c.array.Element; element != c.last {
			c.last = element
			c.Elements++
		}
		if c.First == nil {
			c.First = c.describe(offset+at, x[at:], y[at:])
		}
		if c.numbers != nil && c.numbers.Field != "integer" {
			c.measure(c.numbers.Distance(a, b))
		}
	}
}

// describe returns the place at an offset and both values: numbers, or bytes of other elements.
func (c *comparison) describe(offset int, x, y []byte) *first {
	if c.numbers != nil {
		return &first{c.numbers.Index(offset / c.numbers.Number.Bytes), c.numbers.Text(x), c.numbers.Text(y)}
	}
	element, inside := offset/c.array.Element, offset%c.array.Element
	n := min(8, len(x), c.array.Element-inside)
	return &first{fmt.Sprintf("[%d], byte %d", element, inside), hex.EncodeToString(x[:n]), hex.EncodeToString(y[:n])}
}

func (c *comparison) measure(distance float64) {
	switch {
	case math.IsNaN(distance) || math.IsInf(distance, 0):
		c.Undefined++
	case c.Largest == nil || distance > *c.Largest:
		c.Largest = &distance
	}
}

func (d *difference) text(choices [2]choice) string {
	t := base.NewTable(table.Row{"", choices[0].String(), choices[1].String()})
	t.AppendRow(table.Row{"made", madeText(d.A.Made), madeText(d.B.Made)})
	t.AppendRow(table.Row{"ranks", d.A.Ranks, d.B.Ranks})
	t.AppendRow(table.Row{"state", base.Short(string(d.A.State), 60), base.Short(string(d.B.State), 60)})
	text := t.Render() + "\n"
	if !d.State {
		text += "the state differs\n"
	}
	for _, a := range d.Arrays {
		text += fmt.Sprintf("array %s: %s\n", base.Printable(a.Name), a.text())
	}
	if d.Equal {
		text += "the checkpoints are equal\n"
	}
	return text
}

func (a *arrayDiff) text() string {
	switch a.Result {
	case same:
		return "equal, " + base.Printable(a.Kind)
	case kinds:
		return fmt.Sprintf("%s and %s", base.Printable(a.Kind), base.Printable(a.KindB))
	case onlyA:
		return "only in the first, " + base.Printable(a.Kind)
	case onlyB:
		return "only in the second, " + base.Printable(a.Kind)
	}
	text := fmt.Sprintf("%s, of which %d differ (%d bytes); the first is %s: %s and %s", base.Printable(a.Kind), a.Elements, a.Bytes, a.First.Index, a.First.A, a.First.B)
	if a.Largest != nil {
		text += fmt.Sprintf("; the largest difference is %.3g", *a.Largest)
	}
	if a.Undefined > 0 {
		text += fmt.Sprintf("; %d are infinite or not numbers", a.Undefined)
	}
	return text
}

// saved returns the ranges of an array of which one of two checkpoints has saved something, in
// ascending order. Everything else is 0 in both. Ranges begin and end at multiples of 16, or at the
// end of the array, so that no number is cut.
func saved(a, b *checkpoint.Snapshot, i, j int) iter.Seq2[int, int] {
	const align = 16
	length := a.Arrays()[i].Bytes
	pieces := append(slices.Collect(a.Pieces(i)), slices.Collect(b.Pieces(j))...)
	slices.SortFunc(pieces, func(x, y checkpoint.Piece) int { return cmp.Compare(x.Offset, y.Offset) })
	return func(yield func(from, end int) bool) {
		from, end := 0, 0
		for _, p := range pieces {
			lo, hi := p.Offset/align*align, length
			if p.Offset+p.Bytes < length-align {
				hi = (p.Offset + p.Bytes + align - 1) / align * align
			}
			if lo <= end {
				end = max(end, hi)
				continue
			}
			if end > from && !yield(from, end) {
				return
			}
			from, end = lo, hi
		}
		if end > from {
			yield(from, end)
		}
	}
}
