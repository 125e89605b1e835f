package run

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// runCommand runs the command of a program whose job is j, and returns its output and exit code.
func runCommand(t *testing.T, j *catalog.Job, args ...string) (stdout string, code int) {
	t.Helper()
	var out, log bytes.Buffer
	p := catalog.Program{Name: "program", Prepare: func(catalog.Flags) (*catalog.Job, error) { return j, nil }}
	app := &cli.App{
		Writer: &out, ErrWriter: &log, ExitErrHandler: func(*cli.Context, error) {},
		Commands: base.Complete(programCommand(p)),
	}
	if err := app.RunContext(t.Context(), append([]string{"fagus", "program"}, args...)); err != nil {
		code = runflags.ExitCode(t.Context(), err)
	}
	return out.String(), code
}

// TestOutcomeOfJob runs programs with a right result, a wrong result, and an error. Only after a
// right result are files written.
func TestOutcomeOfJob(t *testing.T) {
	for _, c := range []struct {
		value   float64
		failure error
		want    string
		code    int
		written bool
	}{
		{0, nil, "verified: distance is 0 (limit 0.5)", 0, true},
		{0.5, nil, "verified: distance is 0.5 (limit 0.5)", 0, true},
		{3, nil, "WRONG: distance is 3 (limit 0.5)", runflags.ExitFailed, false},
		{0, errors.New("broken"), "", runflags.ExitFailed, false},
	} {
		written := false
		j := &catalog.Job{
			App: "program", Size: "small", Measured: "the middle",
			Run: func(n *fagus.Node, _ func(int)) (catalog.Outcome, error) {
				return catalog.Outcome{
					Verification: catalog.Verification{Name: "distance", Value: c.value, Limit: 0.5},
					Text:         "found: it", Took: fagus.Time(1+n.Rank()) * fagus.Nanosecond,
				}, c.failure
			},
			Write: func() error { written = true; return nil },
		}
		stdout, code := runCommand(t, j)
		if code != c.code || written != c.written || !strings.Contains(stdout, c.want) || (stdout == "") != (c.failure != nil) {
			t.Errorf("%v, %v: exit code %d, written %v: want %d, %v; printed\n%s", c.value, c.failure, code, written, c.code, c.written, stdout)
		}
		if c.failure != nil {
			continue
		}
		// The time is the slower rank's.
		if want := "\nthe middle: 2.000 ns\nfound: it\n"; !strings.Contains(stdout, want) {
			t.Errorf("want %q, got\n%s", want, stdout)
		}
		if stdout, code = runCommand(t, j, "--json"); code != c.code || !strings.Contains(stdout, `"measured_ns": 2`) || !strings.Contains(stdout, `"outcome": "found: it"`) {
			t.Errorf("exit code %d, JSON\n%s", code, stdout)
		}
	}
}

// TestAdvice runs a program that is serialised on one variable, and one that is not. The first gets
// advice that suits the mode.
func TestAdvice(t *testing.T) {
	for _, serial := range []bool{true, false} {
		j := &catalog.Job{
			App: "program", Size: "small",
			Run: func(n *fagus.Node, _ func(int)) (catalog.Outcome, error) {
				var own *fagus.Guarded[int]
				for _, name := range []string{"head", "tail"} {
					x := fagus.NewGuarded[int](n, name, 1)
					if own == nil || !serial && n.Rank() == 1 {
						own = x
					}
				}
				for range 20 {
					n.Set(own.Write()).Do(func() { n.Spend(fagus.Millisecond) })
				}
				return catalog.Outcome{}, n.Err()
			},
		}
		for mode, mend := range map[string]string{"phase": "phases serialise this: share work out by parts.Queue or parts.Pool, or use threaded mode", "threaded": "hold it for a shorter time"} {
			stdout, code := runCommand(t, j, "--mode", mode)
			line := regexp.MustCompile(`(?m)^advice: rank [01] waited \d\d % of the time for exclusive "head", held by rank [01] at run/run_test.go:\d+; 1 more rank waited for it; ` + mend)
			if code != 0 || line.MatchString(stdout) != serial || strings.Contains(stdout, "advice") != serial {
				t.Errorf("serialised %v, mode %s: exit code %d, printed\n%s", serial, mode, code, stdout)
			}
			if _, waits, _ := strings.Cut(stdout, "waited most for"); strings.Contains(waits, `"head" at rank 1: `) != serial {
				t.Errorf("serialised %v, mode %s: the table is wrong:\n%s", serial, mode, stdout)
			}
			stdout, code = runCommand(t, j, "--mode", mode, "--json")
			if code != 0 || strings.Contains(stdout, `"variable": "head"`) != serial || strings.Contains(stdout, mend) != serial {
				t.Errorf("serialised %v, mode %s: exit code %d, JSON\n%s", serial, mode, code, stdout)
			}
		}
	}
}

// TestOutsideMeasured checks that the table is about the measured section: neither input nor
// verification counts as computing.
func TestOutsideMeasured(t *testing.T) {
	j := &catalog.Job{
		App: "program", Size: "small", Measured: "the middle",
		Run: func(n *fagus.Node, _ func(int)) (catalog.Outcome, error) {
			n.Spend(2 * fagus.Second)
			took, err := n.Measure(func() error {
				n.Spend(3 * fagus.Second)
				return nil
			})
			if n.Rank() == 0 {
				n.Spend(5 * fagus.Second)
			}
			return catalog.Outcome{Took: took}, err
		},
	}
	stdout, _ := runCommand(t, j)
	for _, want := range []string{
		`(?m)^    0 +3\.000 s +3\.000 s +0 `, `(?m)^    1 +3\.000 s +3\.000 s +0 `,
		`not in the table: 2\.000 s before \(input\), 5\.000 s after \(verification, output\)`,
	} {
		if !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("want %s, printed\n%s", want, stdout)
		}
	}
}
