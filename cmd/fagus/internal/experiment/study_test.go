package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// pretend makes the test binary behave as a command fagus.
const pretend = "FAGUS_EXPERIMENT_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(pretend) == "" {
		os.Exit(m.Run())
	}
	has := func(words ...string) bool {
		return strings.Contains(strings.Join(os.Args, " "), strings.Join(words, " "))
	}
	switch {
	case has("--size 3") || has("run nosuch"):
		fmt.Fprintln(os.Stderr, "fagus: not with three")
		os.Exit(runflags.ExitUsage)
	case has("--size 2 --way b"):
		os.Exit(runflags.ExitTimeout)
	case has("wrong"):
		fmt.Println(`{"schema": "fagus.run/v2", "verified": false, "time_ns": {"total": 9}}`)
	case has("broken"):
		fmt.Println(`{"schema": "fagus.run/v2", "verified": true}`)
	default:
		fmt.Printf("{\"schema\": \"fagus.run/v2\", \"verified\": true, \"app\": %q, \"measured_ns\": %d, \"time_ns\": {\"total\": 9}}\n", os.Args[2], 1000+len(os.Args[len(os.Args)-2]))
	}
	os.Exit(0)
}

func pretender(t *testing.T) Fagus {
	t.Setenv(pretend, "1")
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Fagus{Path: path, Limit: time.Minute}
}

// TestStudy: every combination runs as often as asked, and what a run ends with is its point's
// result: a time, or why there is none.
func TestStudy(t *testing.T) {
	s := Study{
		By: pretender(t), Programs: []string{"one --x 1", "wrong", "broken"}, Common: "--c", Repeat: 3,
		Axes: []Axis{{"--size", []string{"1", "2", "3"}}, {"--way", []string{"a", "b"}}},
	}
	done := 0
	if err := s.Run(t.Context(), func() { done++ }); err != nil {
		t.Fatal(err)
	}
	if done != s.Size() || done != 54 || len(s.Points) != 18 {
		t.Errorf("%d of %d runs, %d points", done, s.Size(), len(s.Points))
	}
	for i, p := range s.Points {
		want := ""
		switch {
		case p.Values[0] == "3":
			want = Refused
		case slices.Equal(p.Values, []string{"2", "b"}):
			want = Late
		case p.Program == "wrong":
			want = "the result is wrong"
		case p.Program == "broken":
			want = "no total time"
		}
		if right := want == "" && len(p.Runs) == 3; !strings.Contains(p.Fault, want) || right != (p.Fault == "") || right && p.TimeNs.Median != 1004 {
			t.Errorf("point %d: %+v, want fault %q", i, p, want)
		}
	}
	if table := s.Table(); !strings.Contains(table, "one --x 1  1     1.004 us  ") || strings.Count(table, "\n") != 10+1+6 {
		t.Errorf("table:\n%s", table)
	}
	if err := s.Failed(); err == nil || err.Error() != "6 of 18 combinations failed" {
		t.Error(err)
	}
	s.Points = s.Points[:6] // of the program that is right where it can run
	if err := s.Failed(); err != nil {
		t.Error(err)
	}
	if where := s.Where(); where != "fagus run PROGRAM --c; medians of 3 runs, ± the farthest of them" {
		t.Error(where)
	}
}

// TestStudyEnds: a program that cannot run at all is a mistake of the user, and a study ends with
// its context.
func TestStudyEnds(t *testing.T) {
	s := Study{By: pretender(t), Programs: []string{"one", "nosuch"}, Repeat: 1, Axes: []Axis{{"--way", []string{"a", "b"}}}}
	if err := s.Run(t.Context(), func() {}); err != nil {
		t.Error(err)
	}
	if err := s.Impossible(); !usage.Is(err) || !strings.Contains(err.Error(), "not with three") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	runs := 0
	err := s.Run(ctx, func() {
		if runs++; runs == 1 {
			cancel(enough)
		}
	})
	if !errors.Is(err, enough) || runs != 1 {
		t.Errorf("%v after %d runs", err, runs)
	}
	for i, p := range s.Points {
		if result := len(p.Runs) > 0 || p.Fault != ""; result != (p.Wall > 0) || i > 0 && result {
			t.Errorf("point %d of a study that has ended after one run: %+v", i, p)
		}
	}
}

// TestNothingToStudy: a study without programs, axes, values or runs is an error.
func TestNothingToStudy(t *testing.T) {
	some := []Axis{{"--way", []string{"a"}}}
	for _, s := range []Study{{}, {Programs: []string{"one"}, Repeat: 1}, {Axes: some, Repeat: 1}, {Programs: []string{"one"}, Axes: some}, {Programs: []string{"one"}, Axes: append(some, Axis{Flag: "--size"}), Repeat: 1}} {
		if err := s.Run(t.Context(), nil); err == nil {
			t.Errorf("%+v runs", s)
		}
	}
}
