package run

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus"
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
		code = base.ExitCode(t.Context(), err)
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
		{3, nil, "WRONG: distance is 3 (limit 0.5)", base.ExitFailed, false},
		{0, errors.New("broken"), "", base.ExitFailed, false},
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
