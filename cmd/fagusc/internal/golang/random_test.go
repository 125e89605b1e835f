package golang

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

var programs = flag.Int("programs", 0, "how many random programs TestRandomPrograms makes; 0: 100 in long tests, otherwise 40")
var firstSeed = flag.Uint64("seed", 1, "the first of their seeds; each has the next")

// batch is the number of functions compiled at once.
const batch = 250

// writer generates a random function.
type writer struct {
	*rand.Rand
	strings.Builder
	indices []string // of enclosing loops
	scalars []string // scalars that may be read
	names   int
}

// pick returns a random one of the texts.
func (w *writer) pick(all ...string) string { return all[w.IntN(len(all))] }

func (w *writer) fresh(prefix string) string {
	w.names++
	return fmt.Sprintf("%s%d", prefix, w.names)
}

// random returns the text of a function with two n x n arrays, two arrays of 8n + 16 elements, and
// one array of indices into these. Loop indices run from 1 to n-2, so that all subscripts are in
// range.
func random(name string, seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 9))}
	fmt.Fprintf(w, "//%s\nfunc %s(a, b, x, y []int64, index []int, n, m int) (s, p int64) {\n", "fagus:parallel", name)
	w.WriteString("p = -1 << 40\n")
	if w.IntN(5) == 0 {
		w.WriteString("z := make([]int64, 8*n+16)\nhalf := n / 2\n_ = half\n")
		w.list(1+w.IntN(3), 0, true)
		w.WriteString("_ = z\n")
	} else {
		w.list(1+w.IntN(3), 0, false)
	}
	w.WriteString("return s, p\n}\n\n")
	return w.String()
}

// list writes loops and, inside loops, statements.
func (w *writer) list(count, depth int, z bool) {
	for range count {
		switch {
		case depth == 0 || depth < 3 && w.IntN(3) == 0:
			w.loop(depth, z)
		case w.IntN(6) == 0:
			w.condition(depth, z)
		default:
			w.statement(z)
		}
	}
}

func (w *writer) loop(depth int, z bool) {
	if depth == 0 && w.IntN(4) == 0 { // a time loop
		t, scalars := w.fresh("t"), len(w.scalars)
		fmt.Fprintf(w, "for %s := 0; %s < m; %s++ {\n", t, t, t)
		w.list(1+w.IntN(2), 1, z)
		w.scalars = w.scalars[:scalars]
		w.WriteString("}\n")
		return
	}
	i := w.fresh("i")
	lo, hi := "1", "n-1"
	if len(w.indices) > 0 {
		j := w.indices[w.IntN(len(w.indices))]
		switch w.IntN(6) {
		case 0:
			lo = j
		case 1:
			lo = j + "+1"
		case 2:
			hi = j
		case 3:
			lo, hi = "max("+j+"-1, 1)", "min("+j+"+2, n-1)"
		case 4:
			lo = "1 + " + j + "%2"
		}
	}
	switch w.IntN(6) {
	case 0:
		fmt.Fprintf(w, "for %s := %s; %s < %s; %s += 2 {\n", i, lo, i, hi, i)
	case 1:
		fmt.Fprintf(w, "for %s := %s - 1; %s >= %s; %s-- {\n", i, hi, i, lo, i)
	default:
		fmt.Fprintf(w, "for %s := %s; %s < %s; %s++ {\n", i, lo, i, hi, i)
	}
	indices, scalars := len(w.indices), len(w.scalars)
	w.indices = append(w.indices, i)
	w.list(1+w.IntN(3), depth+1, z)
	w.indices, w.scalars = w.indices[:indices], w.scalars[:scalars]
	w.WriteString("}\n")
}

func (w *writer) condition(depth int, z bool) {
	var cond string
	switch w.IntN(5) {
	case 0:
		cond = w.element(z) + " > 5"
	case 1:
		cond = w.index() + "%3 == 1"
	default:
		cond = w.index() + w.pick(" != ", " < ", " >= ", " == ") + w.pick(w.index(), w.index()+"+1", "n/2")
	}
	if w.IntN(5) == 0 && len(w.indices) > 0 {
		fmt.Fprintf(w, "if %s {\ncontinue\n}\n", cond)
		return
	}
	scalars := len(w.scalars)
	fmt.Fprintf(w, "if %s {\n", cond)
	w.list(1+w.IntN(2), max(depth, 1), z)
	w.scalars = w.scalars[:scalars]
	if w.IntN(4) == 0 {
		w.WriteString("} else {\n")
		w.list(1, max(depth, 1), z)
		w.scalars = w.scalars[:scalars]
	}
	w.WriteString("}\n")
}

// index returns a loop index or a number in its range.
func (w *writer) index() string {
	if len(w.indices) == 0 {
		return "1"
	}
	if w.IntN(3) > 0 {
		return w.indices[len(w.indices)-1]
	}
	return w.indices[w.IntN(len(w.indices))]
}

// element returns an array element.
func (w *writer) element(z bool) string {
	switch w.IntN(8) {
	case 0, 1, 2, 3:
		row, column := w.index(), w.index()
		if w.IntN(3) == 0 {
			row = "(" + row + w.pick("-1", "+1") + ")"
		}
		if w.IntN(3) == 0 {
			column += w.pick("-1", "+1")
		}
		return fmt.Sprintf("%s[%s*n+%s]", w.pick("a", "a", "b"), row, column)
	case 4:
		return fmt.Sprintf("x[index[%s]]", w.index())
	case 5:
		if z {
			return fmt.Sprintf("z[%s+half]", w.index())
		}
	}
	return fmt.Sprintf("%s[%s]", w.pick("x", "y"), w.pick(w.index(), "2*"+w.index(), "2*"+w.index()+"+1", "n-"+w.index(), "3*"+w.index()+"-"+w.index()+"+n", w.index()+"/2", w.index()+"+m"))
}

// value returns an expression.
func (w *writer) value(z bool) string {
	var terms []string
	for range 1 + w.IntN(3) {
		switch {
		case len(w.scalars) > 0 && w.IntN(3) == 0:
			terms = append(terms, w.scalars[w.IntN(len(w.scalars))])
		case w.IntN(4) == 0:
			terms = append(terms, "int64("+w.index()+")")
		default:
			terms = append(terms, w.element(z))
		}
	}
	return strings.Join(terms, w.pick(" + ", " - ", "*3 ^ "))
}

func (w *writer) statement(z bool) {
	switch w.IntN(10) {
	case 0:
		fmt.Fprintf(w, "s += %s\n", w.value(z))
	case 1:
		fmt.Fprintf(w, "p = max(p, %s)\n", w.value(z))
	case 2:
		v := w.fresh("v")
		fmt.Fprintf(w, "%s := %s\n_ = %s\n", v, w.value(z), v)
		w.scalars = append(w.scalars, v)
	case 3, 4:
		fmt.Fprintf(w, "%s %s %s\n", w.element(z), w.pick("+=", "-=", "^="), w.value(z))
	default:
		fmt.Fprintf(w, "%s = %s\n", w.element(z), w.value(z))
	}
}

// harness runs functions with and without Fagus and compares the results.
const harness = `
func main() {
	for number, f := range functions {
		for trial := range 3 {
			r := rand.New(rand.NewPCG(uint64(number), uint64(trial)))
			n, m := 4+r.IntN(7), r.IntN(4)
			make := func() (all [4][]int64, index []int) {
				r := rand.New(rand.NewPCG(uint64(number), uint64(trial)+100))
				for i, length := range []int{n * n, n * n, 8*n + 16, 8*n + 16} {
					for range length {
						all[i] = append(all[i], int64(r.IntN(20)-5))
					}
				}
				for range 8*n + 16 {
					index = append(index, r.IntN(8*n+16))
				}
				return all, index
			}
			want, index := make()
			const calls = 3
			var s, p [calls]int64
			for call := range calls { // with the results of the one before; the last repeats the first
				s[call], p[call] = f.alone(want[0], want[1], want[2], want[3], index, n, m+call%2)
			}
			cfg := fagus.Config{Nodes: 1 + r.IntN(5), Placement: fagus.PlacePrivate}
			switch r.IntN(4) {
			case 0:
				cfg.Placement = fagus.PlaceShared
			case 1:
				cfg.Mode = fagus.Threaded
			}
			stays := r.IntN(16) // one bit for each array
			var got [4][]int64
			_, err := fagus.Run(context.Background(), cfg, func(node *fagus.Node) error {
				all, index := make()
				if node.Rank() == 0 {
					got = all
				}
				var kept [4]*region.Resident[int64]
				args := all
				for i := range args {
					if stays>>i&1 == 1 {
						var err error
						if kept[i], err = region.Place(node, "kept", all[i]); err != nil {
							return err
						}
						args[i] = kept[i].Slice()
					}
				}
				for call := range calls {
					s1, p1, err := f.on(node, args[0], args[1], args[2], args[3], index, n, m+call%2)
					if err != nil {
						return err
					}
					if s1 != s[call] || p1 != p[call] {
						return fmt.Errorf("call %d: rank %d returned %d and %d, want %d and %d", call, node.Rank(), s1, p1, s[call], p[call])
					}
				}
				for i := range kept {
					if kept[i] != nil {
						if err := kept[i].Fetch(all[i]); err != nil {
							return err
						}
					}
				}
				return nil
			})
			if err != nil || !reflect.DeepEqual(got, want) {
				fmt.Printf("%s: n %d, m %d, %d nodes, %v mode, %v, resident %b: %v\n%v\n%v\n", f.name, n, m, cfg.Nodes, cfg.Mode, cfg.Placement, stays, err, got, want)
				os.Exit(1)
			}
		}
	}
}
`

// TestRandomPrograms compares random functions with their parallel versions. For 10000 functions
// run
//
//	go test ./cmd/fagusc/internal/golang -run TestRandomPrograms -programs 10000 -timeout 1h
func TestRandomPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	wanted := *programs
	if wanted == 0 {
		wanted = longtest.Cases(100, 40)
	}
	parallel, refused := 0, 0
	for seed := *firstSeed; parallel < wanted; {
		count := min(batch, 4*(wanted-parallel)+20)
		made := testBatch(t, seed, count, wanted-parallel)
		parallel, refused = parallel+made, refused+count-made
		seed += uint64(count)
		if t.Failed() {
			return
		}
		t.Logf("%d programs ran in parallel, %d were refused or are not needed; next seed %d", parallel, refused, seed)
	}
}

// testBatch generates functions from count seeds and tests the functions that can be parallel; most
// limits their number. It returns how many it tested.
func testBatch(t *testing.T, seed uint64, count, most int) int {
	dir := module(t)
	var text bytes.Buffer
	text.WriteString("package main\n\n")
	for i := range count {
		text.WriteString(random(fmt.Sprintf("F%d", seed+uint64(i)), seed+uint64(i)))
	}
	write(t, dir, "random.go", text.Bytes())
	files, err := Load(dir)
	if err != nil {
		t.Fatalf("seeds from %d: %v", seed, err)
	}
	f := files[0]
	f.Functions = slices.DeleteFunc(f.Functions, func(fn *Function) bool { _, err := fn.Plan(); return err != nil })
	f.Functions = f.Functions[:min(most, len(f.Functions))]
	out, err := f.Emit(Options{Spend: int64(seed % 2)})
	if err != nil {
		t.Fatalf("seeds from %d: %v", seed, err)
	}
	write(t, dir, "random_fagus.go", out)
	var table strings.Builder
	table.WriteString("package main\n\nimport (\n\"context\"\n\"fmt\"\n\"math/rand/v2\"\n\"os\"\n\"reflect\"\n\n\"github.com/fagus-dsm/fagus/fagus\"\n\"github.com/fagus-dsm/fagus/fagus/region\"\n)\n\n")
	table.WriteString("var functions = []struct {\nname string\nalone func(a, b, x, y []int64, index []int, n, m int) (int64, int64)\non func(node *fagus.Node, a, b, x, y []int64, index []int, n, m int) (int64, int64, error)\n}{\n")
	for _, fn := range f.Functions {
		fmt.Fprintf(&table, "{%q, %s, %sOn},\n", fn.Name, fn.Name, fn.Name)
	}
	write(t, dir, "main.go", []byte(table.String()+"}\n"+harness))
	if said, err := run(t, dir, "."); err != nil {
		keep := filepath.Join(os.TempDir(), fmt.Sprintf("fagusc-random-%d", seed))
		_ = os.RemoveAll(keep)
		_ = os.CopyFS(keep, os.DirFS(dir))
		t.Errorf("seeds from %d: %v; the program is in %s\n%s", seed, err, keep, said)
	}
	return len(f.Functions)
}
