package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// TestPageOfModes checks that the table of docs/guide/modes.md has the times that its commands
// measure. They are virtual, so every machine measures the same.
func TestPageOfModes(t *testing.T) {
	longtest.Need(t)
	table := "| program | phases, 4 nodes | threads, 4 nodes | phases, 16 nodes | threads, 16 nodes |\n|---|---:|---:|---:|---:|\n"
	for _, program := range []string{
		"matmul --n 512", "kmeans", "stencil", "water", "p2p", "mandelbrot", "workqueue", "workqueue --skew 1", "tsp", "tsp --cities 14 --seed 3",
	} {
		table += "| `fagus run " + program + "` |"
		for _, nodes := range []string{"4", "16"} {
			for _, mode := range []string{"phase", "threaded"} {
				args := append([]string{"fagus", "run"}, strings.Fields(program)...)
				table += fmt.Sprintf(" %.1f |", measured(t, append(args, "--nodes", nodes, "--mode", mode, "--json")))
			}
		}
		table += "\n"
	}
	const page, from, to = "../../docs/guide/modes.md", "<!-- table -->\n", "<!-- end -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), from)
	old, after, ended := strings.Cut(rest, to)
	switch {
	case !begun || !ended:
		t.Fatalf("%s has no place for the table: want %q and %q", page, from, to)
	case *update:
		if err := os.WriteFile(page, []byte(before+from+table+to+after), 0o666); err != nil {
			t.Fatal(err)
		}
	case old != table:
		t.Errorf("%s has\n%swant\n%srun this test with -update", page, old, table)
	}
}

// measured returns the milliseconds that a run measures.
func measured(t *testing.T, args []string) float64 {
	t.Helper()
	var out, errs bytes.Buffer
	if code := execute(args, &out, &errs); code != 0 {
		t.Fatalf("%v: exit code %d\n%s", args, code, errs.String())
	}
	var report struct {
		Ns float64 `json:"measured_ns"`
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || report.Ns == 0 {
		t.Fatalf("%v: no time (%v)", args, err)
	}
	return report.Ns / 1e6
}
