package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus"
)

// runJob runs a command that prepares j, and returns the exit code.
func runJob(t *testing.T, j *job, args ...string) (stdout string, code int) {
	t.Helper()
	var out, log bytes.Buffer
	usage := func(_ *cli.Context, err error, _ bool) error { return usagef("%w", err) }
	app := newApp(&out, &log)
	app.Commands = []*cli.Command{programCommand(usage, &cli.Command{Name: "program"},
		func(*cli.Context) (*job, error) { return j, nil })}
	if err := app.RunContext(t.Context(), append([]string{"fagus", "program"}, args...)); err != nil {
		code = exitCode(t.Context(), err)
	}
	return out.String(), code
}

// TestOutcomeOfJob runs programs that come to something right, something wrong, or
// an error. Files are written for what is right alone.
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
		{3, nil, "WRONG: distance is 3 (limit 0.5)", exitFailed, false},
		{0, errors.New("broken"), "", exitFailed, false},
	} {
		written := false
		j := &job{
			app: "program", size: "small", measured: "the middle",
			run: func(n *fagus.Node, _ func(int)) (outcome, error) {
				return outcome{check: check{"distance", c.value, 0.5}, words: "found: it", took: fagus.Time(1+n.Rank()) * fagus.Nanosecond}, c.failure
			},
			write: func() error { written = true; return nil },
		}
		stdout, code := runJob(t, j)
		if code != c.code || written != c.written || !strings.Contains(stdout, c.want) || (stdout == "") != (c.failure != nil) {
			t.Errorf("%v, %v: exit code %d, written %v: want %d, %v; printed\n%s", c.value, c.failure, code, written, c.code, c.written, stdout)
		}
		if c.failure != nil {
			continue
		}
		if want := "\nthe middle: 2.000 ns\nfound: it\n"; !strings.Contains(stdout, want) { // of the slowest of 2 ranks
			t.Errorf("want %q, got\n%s", want, stdout)
		}
		if stdout, code = runJob(t, j, "--json"); code != c.code || !strings.Contains(stdout, `"measured_ns": 2`) || !strings.Contains(stdout, `"outcome": "found: it"`) {
			t.Errorf("exit code %d, JSON\n%s", code, stdout)
		}
	}
}
