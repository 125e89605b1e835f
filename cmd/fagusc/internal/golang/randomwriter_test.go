package golang

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// writer generates random loop nests.
type writer struct {
	*rand.Rand
	strings.Builder
	local     bool     // the function has the local arrays z, u and v
	tidy      bool     // most writes go to the arrays in written, at the indices of the loops
	written   []string // names of arrays
	indices   []string // of enclosing loops
	scalars   []string // scalars that may be read
	names     int
	exchanges bool // two arrays are exchanged
}

// pick returns a random one of the texts.
func (w *writer) pick(all ...string) string { return all[w.IntN(len(all))] }

// odds reports true once in so many times.
func (w *writer) odds(one int) bool { return w.IntN(one) == 0 }

// printf writes formatted text.
func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *writer) fresh(prefix string) string {
	w.names++
	return fmt.Sprintf("%s%d", prefix, w.names)
}

// loopNest is a random loop nest.
type loopNest struct {
	text  string
	local bool // it needs local arrays
	// exchanges says that it exchanges two arrays, as one nest of a function may.
	exchanges bool
}

// randomNest returns the loop nest of a seed.
func randomNest(seed uint64) loopNest {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 9))}
	w.local = w.odds(4)
	w.tidy = !w.odds(6)
	w.written = []string{w.pick("a", "b", "c"), w.pick("q", "r"), w.pick("x", "y")}
	switch {
	case w.odds(4):
		w.timeLoop()
	case w.odds(8):
		w.sweep()
	default:
		w.loop(0)
	}
	return loopNest{w.String(), w.local, w.exchanges}
}

// parameters of random functions: two n x n arrays, two arrays of 8n + 16 elements, two slices of n
// rows of n elements, n x n pixels of 3 elements, indices of the long arrays, and numbers.
const parameters = "a, b, x, y, c []T, q, r [][]T, index []int, n, m int, f bounds"

// function returns a random function of loop nests. Loop indices run from 1 to n-2, so that all
// subscripts are in range.
func function(name string, nests []loopNest) string {
	var s strings.Builder
	fmt.Fprintf(&s, "//%s\nfunc %s(%s) (s, p T) {\np = -100\nbest, at, least, where := p, p, -p, p\n", "fagus:parallel", name, parameters)
	s.WriteString("low, high := false, true\nvar c0, c1, c2, c3 int\n_, _, _, _ = c0, c1, c2, c3\nh := n - 1\nif m > 1 {\nh = min(h, 4)\n}\n_ = h\n")
	if nests[0].local {
		s.WriteString("z := make([]T, 8*n+16)\nhalf := n / 2\n_ = half\nu := make([]T, n)\nv := make([][]T, n)\nfor i := range v {\nv[i] = make([]T, n)\n}\n")
	}
	for _, n := range nests {
		s.WriteString(n.text)
	}
	if nests[0].local {
		s.WriteString("_ = len(z) + len(u) + len(v)\n")
	}
	s.WriteString("if low {\ns += 10\n}\nif high {\ns += 20\n}\nreturn s + best*3 - least, p ^ at ^ where\n}\n\n")
	return s.String()
}

// list writes loops and, inside loops, statements.
func (w *writer) list(count, depth int) {
	for range count {
		switch {
		case depth < 3 && w.odds(3):
			w.loop(depth)
		case w.odds(6):
			w.condition(depth)
		case depth > 1 && w.odds(15):
			w.choice(depth)
		case w.local && w.odds(4):
			w.scratch()
		default:
			w.statement()
		}
	}
}

func (w *writer) timeLoop() {
	t, scalars := w.fresh("t"), len(w.scalars)
	w.printf("for %s := 0; %s < m; %s++ {\n", t, t, t)
	w.list(1+w.IntN(2), 1)
	w.scalars = w.scalars[:scalars]
	if w.odds(4) {
		w.exchanges = true
		w.WriteString(w.pick("a, b = b, a\n", "x, y = y, x\n", "r, q = q, r\n"))
	}
	w.WriteString("}\n")
}

// sweep writes a nest in which elements depend on their neighbours, in any direction.
func (w *writer) sweep() {
	i, j := w.fresh("i"), w.fresh("i")
	up, down := "for %[1]s := %[2]s; %[1]s < %[3]s; %[1]s++ {\n", "for %[1]s := %[3]s - 1; %[1]s >= %[2]s; %[1]s-- {\n"
	w.printf(w.pick(up, up, down), i, "1", w.pick("n-1", "n-1", "h"))
	w.printf(w.pick(up, up, down), j, w.pick("1", "1", i), w.pick("n-1", "n-1", i+"+1", "min(n-1, "+i+"+3)"))
	w.indices = append(w.indices, i, j)
	format := w.pick("a[(%s)*n+%s]", "b[(%s)*n+%s]", "q[%s][%s]", "c[((%s)*n+%s)*3+1]")
	if w.odds(4) {
		w.printf("if %s {\ncontinue\n}\n", w.comparison())
	}
	near := []string{fmt.Sprintf(format, i+w.pick("-1", "", "+1"), j+w.pick("-1", "+1"))}
	for range 1 + w.IntN(3) {
		near = append(near, fmt.Sprintf(format, i+w.pick("-1", "", "+1"), j+w.pick("-1", "", "+1")))
	}
	w.printf("%s %s %s\n", fmt.Sprintf(format, i, j), w.pick("=", "+=", "^="), strings.Join(near, w.pick(" + ", " - ", "*3 ^ ")))
	w.indices = nil
	w.WriteString("}\n}\n")
}

// bounds returns the bounds of a loop.
func (w *writer) bounds() (lo, hi string) {
	lo, hi = "1", "n-1"
	if len(w.indices) > 0 {
		j := w.indices[w.IntN(len(w.indices))]
		switch w.IntN(8) {
		case 0:
			lo = j
		case 1:
			lo = j + "+1"
		case 2:
			hi = j
		case 3:
			lo, hi = "max("+j+"-1, 1)", "min("+j+"+2, n-1)"
		case 4:
			lo = w.pick("1 + "+j+"%2", "2 + ("+j+"-3)%2", j+"/3 + 1")
		case 5:
			hi = w.pick("n-1-"+j+"%2", "n/2+"+j+"/2")
		}
	}
	switch w.IntN(14) {
	case 0:
		hi = "h"
	case 1, 2:
		lo, hi = "1", "min(3, n-1)"
	case 3:
		lo, hi = "f.lo", "f.hi"
	}
	return lo, hi
}

func (w *writer) loop(depth int) {
	switch {
	case depth < 2 && w.odds(8):
		w.pivot(depth)
		return
	case depth < 3 && w.odds(10):
		w.solve(depth)
		return
	}
	i := w.fresh("i")
	lo, hi := w.bounds()
	define := ":="
	if w.odds(5) {
		i, define = fmt.Sprintf("c%d", depth), "="
	}
	switch w.IntN(14) {
	case 0, 1:
		w.printf("for %s %s %s; %s < %s; %s += 2 {\n", i, define, lo, i, hi, i)
	case 2:
		w.printf("for %s %s %s - 1; %s >= %s; %s-- {\n", i, define, hi, i, lo, i)
	case 3:
		w.printf("for %s %s %s - 1; %s < %s+1; %s -= %d {\n", i, define, hi, lo, i, i, 1+w.IntN(3))
	case 4:
		w.printf("for %s %s %s; %s > %s && n-1 > %s; %s = 1 + %s {\n", i, define, lo, hi, i, i, i, i)
	case 5:
		w.printf("if n > 1 {\nfor %s %s 1; %s != n-1; %s++ {\n", i, define, i, i)
		defer w.WriteString("}\n")
	case 6:
		i = w.fresh("i")
		w.printf("for %s := range n-2 {\n%s := 1 + %s\n_ = %[2]s\n", w.fresh("r"), i, fmt.Sprintf("r%d", w.names))
	default:
		w.printf("for %s %s %s; %s < %s; %s++ {\n", i, define, lo, i, hi, i)
	}
	indices, scalars := len(w.indices), len(w.scalars)
	w.indices = append(w.indices, i)
	if depth < 2 && w.odds(4) { // a deep nest, as of a product of matrices
		w.loop(depth + 1)
	} else {
		w.list(1+w.IntN(3), depth+1)
	}
	w.indices, w.scalars = w.indices[:indices], w.scalars[:scalars]
	w.WriteString("}\n")
}

// scratch writes statements that use an array for one iteration, and sometimes more.
func (w *writer) scratch() {
	k := w.fresh("k")
	lo, from := w.pick("0", "0", "0", "1"), w.slice()
	w.indices = append(w.indices, k)
	if w.odds(4) {
		w.printf("copy(u, %s)\n", from)
	} else {
		w.printf("for %s := 1; %s < n-1; %s++ {\nu[%s] = %s\n}\n", k, k, k, k, w.value())
	}
	w.printf("for %s := 1; %s < n-1; %s++ {\n%s += u[%s-%s]\n}\n", k, k, k, w.target(), k, lo)
	w.indices = w.indices[:len(w.indices)-1]
}

func (w *writer) comparison() string {
	switch w.IntN(5) {
	case 0:
		return w.source() + " > 5"
	case 1:
		return w.index() + "%3 == " + w.pick("0", "1")
	}
	return w.index() + w.pick(" != ", " < ", " >= ", " == ") + w.pick(w.index(), w.index()+"+1", "n/2")
}

func (w *writer) condition(depth int) {
	cond := w.comparison()
	if w.odds(5) && len(w.indices) > 0 {
		w.printf("if %s {\n%s\n}\n", cond, w.pick("continue", "continue", "continue", "break"))
		return
	}
	if w.odds(5) {
		cond += w.pick(" && ", " || ") + w.comparison()
	}
	scalars := len(w.scalars)
	w.printf("if %s {\n", cond)
	w.list(1+w.IntN(2), max(depth, 1))
	w.scalars = w.scalars[:scalars]
	if w.odds(4) {
		w.WriteString("} else {\n")
		w.list(1, max(depth, 1))
		w.scalars = w.scalars[:scalars]
	}
	w.WriteString("}\n")
}

// choice writes a switch.
func (w *writer) choice(depth int) {
	scalars := len(w.scalars)
	w.printf("switch %s {\n", w.pick(w.index()+" % 3", "m", w.element()))
	for _, c := range []string{"case 0:", "case 1, 2:", "default:"} {
		w.WriteString(c + "\n")
		w.list(1, max(depth, 2))
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

// near returns an index, or a number that differs by 1.
func (w *writer) near() string {
	if w.odds(3) {
		return w.index() + w.pick("-1", "+1")
	}
	return w.index()
}

// target returns an array element for a write.
func (w *writer) target() string {
	if !w.tidy || len(w.indices) == 0 || w.odds(12) {
		return w.element()
	}
	outer, inner := w.indices[0], w.indices[len(w.indices)-1]
	at := "(" + outer + w.pick("", "", "-1", "+1") + ")*n+" + inner
	switch of := w.written[w.IntN(3)]; of {
	case "c":
		return fmt.Sprintf("c[(%s)*3+%s]", at, w.pick("0", "1", "2"))
	case "q", "r":
		return fmt.Sprintf("%s[%s][%s]", of, outer, inner)
	case "x", "y":
		return fmt.Sprintf("%s[%s]", of, w.pick(outer, outer+"+1", "2*"+outer, "n-"+outer, outer+"+m"))
	default:
		return fmt.Sprintf("%s[%s]", of, at)
	}
}

// source returns an array element for a read.
func (w *writer) source() string {
	for range 3 {
		e := w.element()
		if name, _, _ := strings.Cut(e, "["); !w.tidy || !slices.Contains(w.written, name) || w.odds(8) {
			return e
		}
	}
	return w.target()
}

// element returns an array element.
func (w *writer) element() string {
	switch w.IntN(10) {
	case 0, 1, 2, 3:
		row, column := "("+w.near()+")", w.near()
		if w.odds(12) {
			row = w.pick("0", "(n-1)", "1")
		}
		if w.odds(3) {
			return fmt.Sprintf("%s[%s][%s]", w.matrix(), row, column)
		}
		return fmt.Sprintf("%s[%s*n+%s]", w.pick("a", "a", "b"), row, column)
	case 4:
		return fmt.Sprintf("x[index[%s]]", w.index())
	case 5:
		return fmt.Sprintf("c[((%s)*n+%s)*3+%s]", w.near(), w.near(), w.pick("0", "1", "2", w.index()+"%3"))
	case 6:
		if w.local {
			return fmt.Sprintf("z[%s+half]", w.index())
		}
	}
	i, j := w.index(), w.index()
	return fmt.Sprintf("%s[%s]", w.pick("x", "y"), w.pick(i, "2*"+i, "2*"+i+"+1", "n-"+i, "3*"+i+"-"+j+"+n", "4*"+i+"+"+j, "("+i+"*4+"+j+")*2%(8*n)",
		"("+i+"-3)%4+4", i+"/2", i+"+m", i+"+f.lo", i+"*m+"+j))
}

func (w *writer) matrix() string {
	if w.local {
		return w.pick("q", "r", "v")
	}
	return w.pick("q", "q", "r")
}

// slice returns a slice of n elements.
func (w *writer) slice() string {
	i := w.index()
	return w.pick("q["+i+"]", "r["+i+"]", "a["+i+"*n:("+i+"+1)*n]", "b["+i+"*n:("+i+"+1)*n]", "x["+i+":"+i+"+n]", "y[2*"+i+":2*"+i+"+n]")
}

// value returns an expression.
func (w *writer) value() string {
	var terms []string
	for range 1 + w.IntN(3) {
		switch {
		case len(w.scalars) > 0 && w.odds(3):
			terms = append(terms, w.scalars[w.IntN(len(w.scalars))])
		case w.odds(4):
			terms = append(terms, "T("+w.index()+")")
		default:
			terms = append(terms, w.source())
		}
	}
	return strings.Join(terms, w.pick(" + ", " - ", "*3 ^ "))
}

func (w *writer) statement() {
	switch w.IntN(18) {
	case 0:
		w.printf("s += %s\n", w.value())
	case 1:
		w.printf(w.pick("p = max(p, %s)\n", "p = max(%s, p, 3)\n"), w.value())
	case 2:
		v := w.fresh("v")
		w.printf("%s := %s\n_ = %s\n", v, w.value(), v)
		w.scalars = append(w.scalars, v)
	case 3, 4:
		w.printf("%s %s %s\n", w.target(), w.pick("+=", "-=", "^="), w.value())
	case 5:
		value := w.value()
		w.printf(w.pick("if %s > best {\nbest = %s\nat = T(%s)\n}\n", "if least > %s {\nleast, where = %s, T(%s)\n}\n"), value, value, w.index())
	case 6:
		w.printf(w.pick("low = low || %s > 20\n", "high = high && %s < 20\n", "if %s > 15 {\nlow = true\n}\n"), w.value())
	case 7:
		w.printf("copy(%s, %s)\n", w.slice(), w.slice())
	case 8:
		w.calls()
	case 9:
		w.row()
	case 10:
		e := w.target()
		w.printf("%s = max(%s, %s)\n", e, e, w.value())
	default:
		w.printf("%s = %s\n", w.target(), w.value())
	}
}

// row writes statements that use a row as a slice.
func (w *writer) row() {
	row, k := w.fresh("row"), w.fresh("k")
	w.printf("%s := %s\n", row, w.slice())
	w.indices = append(w.indices, k)
	if w.odds(3) {
		w.printf("for r%s, e := range %s[1:n-1] {\n%[1]s := r%[1]s + 1\n%[3]s += e\n%[2]s[%[1]s] ^= 1\n}\n", k, row, w.target())
	} else {
		w.printf("for %s := 1; %s < len(%s)-1; %s++ {\n%s[%s] = %s\n}\n", k, k, row, k, row, w.near(), w.value())
	}
	w.indices = w.indices[:len(w.indices)-1]
}

// calls writes calls of the functions in testdata/random_main.go.txt.
func (w *writer) calls() {
	switch w.IntN(5) {
	case 0, 1:
		v := w.fresh("v")
		w.printf("%s := mix(%s, %s, %s)\n_ = %s\n", v, w.pick("x", "y[1:]", w.slice()), w.pick(w.index(), "1")+"-1", w.index(), v)
		w.scalars = append(w.scalars, v)
	case 2:
		w.printf("stir(%s, %s, %s)\n", w.slice(), w.slice(), w.pick("n", "n-1", "2"))
	case 3:
		w.printf("exchange(%s, %s, %s)\n", w.slice(), w.near(), w.near())
	default:
		w.printf("blend(%s, %s, %s, m)\n", w.matrix(), w.matrix(), w.index())
	}
}
