package polybench

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

var update = flag.Bool("update", false, "measure all kernels that -run selects, and write their rows in docs/lab/polybench.md")

const (
	page  = "../../../../docs/lab/polybench.md"
	begin = "<!-- table: go test ./cmd/fagusc/testdata/polybench -run TestTable -update -timeout 2h -->\n"
	head  = `| kernel | parallel loops | with [][]float64 | simulated size | 4 nodes | 16 | 64 | live size | alone, ms | 2 goroutines | 2 ranks | plan, ms | with copies |
|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
`
	end = "<!-- end -->\n"
)

// TestTable checks the table in docs/lab/polybench.md: the accepted loops, and when tests are
// thorough also the simulated times. With -update it measures every kernel and writes its row at
// once, so that -run TestTable/gemm measures only this one.
func TestTable(t *testing.T) {
	counted := count()
	for _, p := range problems() {
		t.Run(p.title, func(t *testing.T) {
			text, rows := load(t)
			if *update {
				rows[p.title] = p.loops() + p.virtual(t) + p.measured(t)
				store(t, text, counted, rows)
				return
			}
			want := p.loops()
			if longtest.Thorough() {
				want += p.virtual(t)
			}
			if !strings.Contains(text, counted) || !strings.HasPrefix(rows[p.title], want) {
				t.Errorf("%s: the row of %s is\n%s\nwant %q and a row that starts with\n%s\ngo test ./cmd/fagusc/testdata/polybench -run TestTable/%s -update measures it", page, p.title, rows[p.title], counted, want, p.title)
			}
		})
	}
}

// load returns the page and the rows of its table, by kernel.
func load(t *testing.T) (text string, rows map[string]string) {
	t.Helper()
	all, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text, rows = string(all), make(map[string]string)
	_, after, found := strings.Cut(text, begin)
	table, _, ended := strings.Cut(after, end)
	if !found || !ended {
		t.Fatalf("%s: no table between %q and %q", page, begin, end)
	}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); len(cells) > 2 {
			rows[strings.TrimPrefix(cells[0], "| ")] = line
		}
	}
	return text, rows
}

// store replaces the table of the page.
func store(t *testing.T, text, counted string, rows map[string]string) {
	t.Helper()
	before, after, _ := strings.Cut(text, begin)
	_, after, _ = strings.Cut(after, end)
	table := counted + "\n" + head
	for _, p := range problems() {
		table += rows[p.title]
	}
	if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// count returns how many kernels fagusc accepts.
func count() string {
	flat, rows := 0, 0
	for name, v := range made() {
		switch {
		case v.on == nil:
		case strings.HasPrefix(name, "rows."):
			rows++
		default:
			flat++
		}
	}
	return fmt.Sprintf("fagusc accepts %d of 30 kernels, and %d of 10 with `[][]float64`.\n", flat, rows)
}

// loops returns the first cells of a row, which state what fagusc accepts.
func (p problem) loops() string {
	cell := func(v version) string {
		if v.sums {
			return v.loops + " (sums in parts)"
		}
		return v.loops
	}
	with := ""
	if p.rows != nil {
		with = cell(made()["rows."+p.name])
	}
	return fmt.Sprintf("| %s | %s | %s", p.title, cell(made()[p.name]), with)
}

// virtual returns the cells of the speed-up on simulated nodes.
func (p problem) virtual(t *testing.T) string {
	t.Helper()
	if made()[p.name].on == nil {
		return " | | | |"
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	row, alone := fmt.Sprintf(" | %d", p.small), 0.0
	for _, nodes := range []int{1, 4, 16, 64} {
		took, err := simulated(ctx, p, nodes)
		if err != nil {
			t.Fatal(err)
		}
		if nodes == 1 {
			alone = float64(took)
			continue
		}
		row += " | " + figures(alone/float64(took))
	}
	return row
}

// measured returns the cells of the times on this machine.
func (p problem) measured(t *testing.T) string {
	t.Helper()
	l, err := measure(t.Context(), p, p.full(), times(5))
	if err != nil {
		t.Fatal(err)
	}
	row := fmt.Sprintf(" | %d | %s | %s", p.full(), figures(median(l.alone).Seconds()*1e3), figures(ratio(l.alone, l.plain)))
	if len(l.ranks) == 0 {
		return row + " | | | |\n"
	}
	plan := "one rank"
	if l.apart > 0 {
		plan = figures(median(l.plans).Seconds() * 1e3)
	}
	return row + fmt.Sprintf(" | %s | %s | %s |\n", figures(ratio(l.alone, l.ranks)), plan, figures(ratio(l.alone, l.copies)))
}

// figures formats x > 0 with at least three significant digits.
func figures(x float64) string {
	return fmt.Sprintf("%.*f", max(0, 2-int(math.Floor(math.Log10(x)))), x)
}

// TestMeasure checks that the measurement of a small kernel yields all times.
func TestMeasure(t *testing.T) {
	for _, p := range problems() {
		if p.name != "Gemm" {
			continue
		}
		l, err := measure(t.Context(), p, 160, times(3)) // a smaller one runs on one rank
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range [][]time.Duration{l.alone, l.plain, l.ranks, l.plans, l.copies} {
			if len(list) != 3 || median(list) <= 0 {
				t.Errorf("times %v: want 3, more than 0", list)
			}
		}
		if median(l.plans) >= median(l.ranks) {
			t.Errorf("planning took %v of a run of %v", l.plans, l.ranks)
		}
		if v, err := simulated(t.Context(), p, 4); v <= 0 || err != nil {
			t.Errorf("on simulated nodes: %v, error %v", v, err)
		}
	}
}
