package golang

import (
	"fmt"
	"strings"
)

// pivot writes a loop over rows that use one of the rows, often in a loop over this one.
func (w *writer) pivot(depth int) {
	i, j, end := w.fresh("i"), w.fresh("j"), ""
	k := w.pick("0", "n-1", "n/2", "m/2", "n", w.index())
	if depth == 0 || w.odds(3) {
		k, end = w.fresh("k"), "}\n"
		w.printf("for %s := %s; %s < n-1; %s++ {\n", k, w.pick("1", "1", "n-2"), k, k)
		w.indices = append(w.indices, k)
	}
	indices, scalars := len(w.indices), len(w.scalars)
	header := w.pick("for %[1]s := 0; %[1]s < n; %[1]s++ {\n", "for %[1]s := n - 1; %[1]s > 0; %[1]s-- {\n", "for %[1]s := range h {\n", "for %[1]s := 1; %[1]s < n-1; %[1]s++ {\n", "for %[1]s := 1; %[1]s < n-1; %[1]s += 2 {\n")
	w.printf(header, i)
	for range 1 + w.IntN(2) {
		w.printf("for %s := 0; %s < n; %s++ {\n", j, j, j)
		write, read := w.pick("a[%s*n+%s]", "b[%s*n+%s]"), ""
		if w.odds(3) && k != "n" {
			write = "q[%s][%s]"
		}
		if read = write; k == "n" {
			read = "x[%s+%s]"
		}
		row := func(text, i, j string) string { return fmt.Sprintf(text, i, j) }
		w.printf("%s %s %s", row(write, i, j), w.pick("=", "+=", "-="), row(read, k, j))
		if k != "n" && w.odds(2) {
			w.printf(" - %s", row(write, i, k))
		}
		w.WriteString(w.pick("\n}\n", " + T("+i+")\n}\n"))
	}
	if strings.Contains(header, ":= 1;") && w.odds(3) { // from 1 to n-2, as other indices
		w.indices = append(w.indices, i)
		w.condition(depth + 2)
	}
	w.indices, w.scalars = w.indices[:indices], w.scalars[:scalars]
	w.WriteString("}\n" + end)
	if end != "" {
		w.indices = w.indices[:indices-1]
	}
}

// solve writes a loop that reduces an element, perhaps from elements before it, often in a loop
// over these elements.
func (w *writer) solve(depth int) {
	i, j, end := w.index(), w.fresh("j"), ""
	if depth == 0 || w.odds(3) {
		i, end = w.fresh("i"), "}\n"
		w.printf("for %s := 1; %s < n-1; %s++ {\n", i, i, i)
	}
	element := w.pick("x[%[1]s]", "a[%[1]s*n+%[1]s]", "q[%[1]s][%[1]s]", "y[%[1]s+1]", "b[%[1]s*n+1]")
	w.printf("for %s := 0; %s < %s; %s++ {\n", j, j, w.pick(i, i, i, i+"-1", "n-1", "1"), j)
	w.printf(element+" %s ", i, w.pick("+=", "-=", "^=", "|=", "*="))
	w.printf(w.pick("a[%[1]s*n+%[2]s]", "x[%[2]s]", "x[%[2]s] * y[%[2]s]", "q[%[1]s][%[2]s] - b[%[1]s*n+%[2]s]")+"\n", i, j)
	if w.odds(4) {
		w.printf("y[2*n+%s]++\n", j)
	}
	w.WriteString("}\n")
	if w.odds(2) {
		w.printf(element+" -= 3\n", i)
	}
	w.WriteString(end)
}
