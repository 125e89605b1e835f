package results

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
)

// TestPage: a page contains all results, and shows failures in bold.
func TestPage(t *testing.T) {
	good := func(ns int64) Run { return Run{Verified: true, TimeNs: ns, Messages: 1234, Bytes: 12e6} }
	d := &Document{
		Nodes: []int{1, 2, 4},
		Programs: []Program{{
			Name:    "ep",
			Checked: []Check{{Input: "S", Runs: 20, Verified: 19, Refused: 4, Bits: SameAll}},
			Curve:   Curve{Input: "W", Points: []Point{{1, good(8e6), good(9e6)}, {2, good(5e6), Run{Fault: experiment.Late}}, {4, Run{Fault: experiment.Refused}, Run{}}}},
			Race:    &Race{Input: "A", Rounds: 3, Plain: 20, Crowd: 25, One: 19, Two: 10, Threaded: 11, Inproc: 12, TCP: 13, Waiting: 0.25},
		}},
		Rivals: []Rival{{What: "a thing", Program: "p2p", InputA: "--a", InputB: "--b", A: good(30), B: good(20), Why: "it waits."}},
	}
	var page bytes.Buffer
	if err := d.Page(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| ep | S | 19 of 20 (4 refused) | everywhere |",
		"| ep | W | phase | 8.000 ms | 1.60 | - |",
		"| ep | W | threaded | 9.000 ms | late | **failed** |",
		"| ep | phase | 1.23 k / 12.0 MB | - |",
		"| 1.05 | **2.00** | 1.60 | 25 % | 1.82 | 1.67 | 1.54 |",
		"Medians of 3 rounds",
		"| a thing | `fagus run p2p --a` | 30.000 ns | 0 | 1.23 k | 12.0 MB | 1.50 |",
		"|  | `fagus run p2p --b` | 20.000 ns | 0 | 1.23 k | 12.0 MB |  |",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q:\n%s", want, &page)
		}
	}
	if faults := d.Faults(); len(faults) != 1 || !strings.Contains(faults[0], "verification failed") {
		t.Errorf("faults are %q, want the one on 4 nodes", faults)
	}
}

// TestSameness: a Check finds out for which node counts results were equal.
func TestSameness(t *testing.T) {
	for _, c := range []struct {
		bits []string // bits of the runs on 1, 2, 1, 2, ... nodes
		want Sameness
	}{
		{[]string{"", "", ""}, Unknown},
		{[]string{"a", "a", "a", "a"}, SameAll},
		{[]string{"a", "b", "a", "b"}, SameNodes},
		{[]string{"a", "b", "b", "b"}, Differ},
		{[]string{"a", "a", "b"}, Differ},
	} {
		check := Check{Bits: Unknown}
		for i, bits := range c.bits {
			check.add(1+i%2, Run{Verified: true, Bits: bits})
		}
		check.add(2, Run{Fault: experiment.Refused})
		if check.Bits != c.want || check.Runs != len(c.bits) || check.Verified != check.Runs || check.Refused != 1 {
			t.Errorf("%q: %+v, want %s", c.bits, check, c.want)
		}
	}
}

// TestMergeSimulated: what Config.Simulated leaves out stays as it was.
func TestMergeSimulated(t *testing.T) {
	old := &Document{Programs: []Program{{Name: "ep", Checked: []Check{{Input: "S"}}, Curve: Curve{Input: "old"}, Race: &Race{Input: "A"}}}}
	old.Merge(&Document{Programs: []Program{{Name: "ep", Curve: Curve{Input: "new"}}}})
	if p := old.Programs[0]; p.Curve.Input != "new" || len(p.Checked) != 1 || p.Race == nil {
		t.Errorf("merged to %+v, want the new curve and the old checks and race", p)
	}
}

// TestMerge: programs that were collected again replace the old ones, and programs stay in the
// plan's order.
func TestMerge(t *testing.T) {
	named := func(machine string, names ...string) *Document {
		d := &Document{Machine: machine}
		for _, name := range names {
			d.Programs = append(d.Programs, Program{Name: name, Curve: Curve{Input: machine}})
		}
		return d
	}
	d := named("old", "ep", "cg", "many")
	d.Merge(named("new", "cg", "ft"))
	var got []string
	for _, p := range d.Programs {
		got = append(got, p.Curve.Input+" "+p.Name)
	}
	if text := strings.Join(got, ", "); text != "old ep, new ft, new cg, old many" || d.Machine != "new" {
		t.Errorf("merged: %s of %s", text, d.Machine)
	}
}

// TestCollect collects the results of scripts with a fixed output. Failures must be recorded.
func TestCollect(t *testing.T) {
	for _, c := range []struct {
		script string
		faults int
		check  Check
	}{
		{`schema=run; case "$*" in *--plain*) schema=plain; esac; echo '{"schema": "fagus.'$schema'/v2", "verified": true, "bits": "ab", "measured_ns": 7, "time_ns": {"total": 9}, "messages": {"aotf": 2, "botf": 3}, "bytes": 5}'`, 0,
			Check{Input: "as it comes", Runs: 24, Verified: 24, Bits: SameAll}},
		{`echo "it broke" >&2; exit 1`, 24 + 6 + 7, Check{Input: "as it comes", Runs: 24, Bits: Unknown}},
		// A race that is refused is a fault.
		{`exit 2`, 7, Check{Input: "as it comes", Refused: 24, Bits: Unknown}},
		{`echo "no document"`, 24 + 6 + 7, Check{Input: "as it comes", Runs: 24, Bits: Unknown}},
	} {
		fagus := filepath.Join(t.TempDir(), "fagus")
		if err := os.WriteFile(fagus, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		runs, done := 0, 0
		d, err := Collect(context.Background(), Config{
			Fagus: fagus, Programs: []string{"nstream"}, Nodes: []int{1, 2, 4}, Rounds: 1, Limit: time.Minute, Quick: true,
			Begin: func(n int) { runs = n }, Done: func() { done++ },
		})
		if err != nil {
			t.Fatal(err)
		}
		got := d.Programs[0].Checked[0]
		if len(got.Faults) != 0 && len(got.Faults) != 24 {
			t.Errorf("script %q: %d runs are reported as failed, want none or 24", c.script, len(got.Faults))
		}
		got.Faults, got.seen = nil, nil
		if faults := d.Faults(); len(faults) != c.faults || got.Input != c.check.Input || got.Runs != c.check.Runs || got.Verified != c.check.Verified || got.Bits != c.check.Bits {
			t.Errorf("%s: %+v, %d faults; want %+v, %d: %q", c.script, got, len(faults), c.check, c.faults, faults)
		}
		if runs != 24+6+7 || done != runs {
			t.Errorf("script %q: Done was called for %d of %d runs, want 37", c.script, done, runs)
		}
	}
	if _, err := Collect(context.Background(), Config{Programs: []string{"nothing"}}); err == nil {
		t.Error("Collect of an unknown program: no error")
	}
}

// TestShort formats numbers in three digits with a prefix.
func TestShort(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 999: "999", 1000: "1.00 k", 12345: "12.3 k", 999_999: "1.00 M", 1e6: "1.00 M", 123_456_789: "123 M", 5e12: "5.00 T"} {
		if got := short(x); got != want {
			t.Errorf("short(%g) is %q, want %q", x, got, want)
		}
	}
}
