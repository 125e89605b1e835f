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

// random returns the text of a function with two n x n arrays, two arrays of 8n + 16 elements, n
// rows of n elements, and one array of indices into the long arrays. Loop indices run from 1 to
// n-2, so that all subscripts are in range.
func random(name string, seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 9))}
	fmt.Fprintf(w, "//%s\nfunc %s(a, b, x, y []int64, q [][]int64, index []int, n, m int) (s, p int64) {\n", "fagus:parallel", name)
	w.WriteString("p = -1 << 40\nbest, at := p, p\nlow, high := false, true\nvar c0, c1, c2, c3 int\n_, _, _, _ = c0, c1, c2, c3\n")
	w.WriteString("h := n - 1\nif m > 1 {\nh = min(h, 4)\n}\n")
	if w.IntN(5) == 0 {
		w.WriteString("z := make([]int64, 8*n+16)\nhalf := n / 2\n_ = half\nu := make([]int64, n)\n")
		w.list(1+w.IntN(3), 0, true)
		w.WriteString("_ = len(z) + len(u)\n")
	} else {
		w.list(1+w.IntN(3), 0, false)
	}
	w.WriteString("if low {\ns += 1000\n}\nif high {\ns += 2000\n}\nreturn s + best*100, p ^ at\n}\n\n")
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
		case z && w.IntN(4) == 0:
			w.scratch()
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
	switch w.IntN(12) {
	case 0:
		hi = "h"
	case 1, 2:
		lo, hi = "1", "3"
	}
	define := ":="
	if w.IntN(5) == 0 {
		i, define = fmt.Sprintf("c%d", depth), "="
	}
	switch w.IntN(12) {
	case 0, 1:
		fmt.Fprintf(w, "for %s %s %s; %s < %s; %s += 2 {\n", i, define, lo, i, hi, i)
	case 2:
		fmt.Fprintf(w, "for %s %s %s - 1; %s >= %s; %s-- {\n", i, define, hi, i, lo, i)
	case 3:
		fmt.Fprintf(w, "for %s %s %s - 1; %s < %s+1; %s -= %d {\n", i, define, hi, lo, i, i, 1+w.IntN(3))
	case 4:
		fmt.Fprintf(w, "for %s %s %s; %s > %s && n-1 > %s; %s = 1 + %s {\n", i, define, lo, hi, i, i, i, i)
	case 5:
		fmt.Fprintf(w, "for %s %s 1; %s != n-1; %s++ {\n", i, define, i, i)
	default:
		fmt.Fprintf(w, "for %s %s %s; %s < %s; %s++ {\n", i, define, lo, i, hi, i)
	}
	indices, scalars := len(w.indices), len(w.scalars)
	w.indices = append(w.indices, i)
	w.list(1+w.IntN(3), depth+1, z)
	w.indices, w.scalars = w.indices[:indices], w.scalars[:scalars]
	w.WriteString("}\n")
}

// scratch writes statements that use an array for one iteration, and sometimes more.
func (w *writer) scratch() {
	k := w.fresh("k")
	lo := w.pick("0", "0", "0", "1")
	w.indices = append(w.indices, k)
	fmt.Fprintf(w, "for %s := 1; %s < n-1; %s++ {\nu[%s] = %s\n}\n", k, k, k, k, w.value(false))
	fmt.Fprintf(w, "for %s := 1; %s < n-1; %s++ {\n%s += u[%s-%s]\n}\n", k, k, k, w.element(false), k, lo)
	w.indices = w.indices[:len(w.indices)-1]
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
		if w.IntN(12) == 0 {
			row = w.pick("0", "(n-1)", "1")
		} else if w.IntN(3) == 0 {
			row = "(" + row + w.pick("-1", "+1") + ")"
		}
		if w.IntN(3) == 0 {
			column += w.pick("-1", "+1")
		}
		if w.IntN(4) == 0 {
			return fmt.Sprintf("q[%s][%s]", row, column)
		}
		return fmt.Sprintf("%s[%s*n+%s]", w.pick("a", "a", "b"), row, column)
	case 4:
		return fmt.Sprintf("x[index[%s]]", w.index())
	case 5:
		if z {
			return fmt.Sprintf("z[%s+half]", w.index())
		}
	}
	return fmt.Sprintf("%s[%s]", w.pick("x", "y"), w.pick(w.index(), "2*"+w.index(), "2*"+w.index()+"+1", "n-"+w.index(), "3*"+w.index()+"-"+w.index()+"+n", "4*"+w.index()+"+"+w.index(), "("+w.index()+"*4+"+w.index()+")*2+"+w.index(), w.index()+"/2", w.index()+"+m"))
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
	switch w.IntN(16) {
	case 14:
		v := w.fresh("v")
		fmt.Fprintf(w, "%s := mix(%s, %s, %s)\n_ = %s\n", v, w.pick("x", "y[1:]", "q["+w.index()+"]"), w.pick(w.index(), "1")+"-1", w.index(), v)
		w.scalars = append(w.scalars, v)
	case 15:
		i, j := w.index(), w.index()
		fmt.Fprintf(w, "stir(%s, %s, %s)\n", w.pick("q["+i+"]", "a["+i+"*n:("+i+"+1)*n]", "x["+i+":]"), w.pick("q["+j+"]", "b["+j+"*n:("+j+"+1)*n]", "y"), w.pick("n", "n-1", "2"))
	case 12, 13:
		if w.IntN(2) == 0 {
			i, j := w.index(), w.index()
			fmt.Fprintf(w, "copy(%s, %s)\n", w.pick("x["+i+":]", "q["+i+"]", "a["+i+"*n:("+i+"+1)*n]"), w.pick("y[2*"+j+":2*"+j+"+n]", "q["+j+"]", "x[:n]"))
			return
		}
		fmt.Fprintf(w, "%s = %s\n", w.element(z), w.value(z))
	case 10:
		value := w.value(z)
		fmt.Fprintf(w, "if %s > best {\nbest = %s\nat = int64(%s)\n}\n", value, value, w.index())
	case 11:
		fmt.Fprintf(w, w.pick("low = low || %s > 20\n", "high = high && %s < 20\n", "if %s > 15 {\nlow = true\n}\n"), w.value(z))
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

// helpers are functions that random functions call.
const helpers = `
func mix(v []int64, i, by int) int64 {
	s := int64(by)
	for j := 0; j < 3; j++ {
		s += v[i+j] * int64(j+by)
	}
	return s
}

func stir(v, w []int64, n int) {
	for j := 1; j < n; j++ {
		v[j] += w[j-1]
	}
}

`

// harness runs functions with and without Fagus and compares the results.
const harness = `
func rows(a []int64, n int) (all [][]int64) {
	for i := range n {
		all = append(all, a[i*n:(i+1)*n])
	}
	return all
}

func main() {
	for number, f := range functions {
		for trial := range 3 {
			r := rand.New(rand.NewPCG(uint64(number), uint64(trial)))
			n, m := 4+r.IntN(7), r.IntN(4)
			make := func() (all [5][]int64, index []int) {
				r := rand.New(rand.NewPCG(uint64(number), uint64(trial)+100))
				for i, length := range []int{n * n, n * n, 8*n + 16, 8*n + 16, n * n} {
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
			wanted := rows(want[4], n)
			const calls = 3
			var s, p [calls]int64
			for call := range calls { // with the results of the one before; the last repeats the first
				s[call], p[call] = f.alone(want[0], want[1], want[2], want[3], wanted, index, n, m+call%2)
			}
			cfg := fagus.Config{Nodes: 1 + r.IntN(5), Placement: fagus.PlacePrivate}
			switch r.IntN(5) {
			case 0:
				cfg.Placement = fagus.PlaceShared
			case 1:
				cfg.Mode = fagus.Threaded
			case 2, 3:
				cfg.Placement = fagus.PlaceAuto // in place
			}
			stays := r.IntN(16) // one bit for each array
			together := r.IntN(4) > 0 // or on one rank, where that is faster
			var got [5][]int64
			_, err := fagus.Run(context.Background(), cfg, func(node *fagus.Node) error {
				if together {
					region.Together(node)
				}
				all, index := make()
				if node.Rank() == 0 {
					got = all
				}
				var kept [4]*region.Resident[int64]
				args := all
				for i := range kept {
					if stays>>i&1 == 1 {
						var err error
						if kept[i], err = region.Place(node, "kept", all[i]); err != nil {
							return err
						}
						args[i] = kept[i].Slice()
					}
				}
				for call := range calls {
					s1, p1, err := f.on(node, args[0], args[1], args[2], args[3], rows(args[4], n), index, n, m+call%2)
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
	text.WriteString("package main\n\n" + helpers)
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
	table.WriteString("var functions = []struct {\nname string\nalone func(a, b, x, y []int64, q [][]int64, index []int, n, m int) (int64, int64)\non func(node *fagus.Node, a, b, x, y []int64, q [][]int64, index []int, n, m int) (int64, int64, error)\n}{\n")
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
