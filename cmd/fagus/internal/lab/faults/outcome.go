//go:build linux

package faults

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
)

// outcome is what has become of a case.
type outcome struct {
	right    bool   // the job has ended with a verified result
	wrong    string // what is wrong; "" if nothing is
	hung     bool
	left     int
	contents int      // compared with the model
	lines    []string // of standard error
}

// run runs the job of a case and strikes it. A job that runs after limit hangs; its
// lines then tell what its ranks do. An error means that the case could not be tried.
func (c *randomCase) run(ctx context.Context, number int, limit time.Duration) (outcome, error) {
	g := generator{rand.New(rand.NewPCG(c.seed, 2))}
	one := spec{args: c.args, network: c.network, ranks: c.ranks, number: number, env: c.env, prepare: c.trouble.prepare}
	if c.trouble.hosts {
		one.hosts = c.ranks
	}
	var o outcome
	left, err := one.run(ctx, func(j *job) error {
		over := time.After(limit)
		rank, struck := -1, false
		select {
		case <-j.ended:
		case <-time.After(c.delay):
			if c.trouble.strike != nil {
				var err error
				rank, err = c.trouble.strike(j, g)
				struck = err == nil
				if c.trouble.hosts && c.ranks == 2 {
					rank = -1 // neither hears anything from the other, so either may be named
				}
			}
		}
		select {
		case <-j.ended:
		case <-over:
			o.hung = true
			j.rollCall()
		case <-ctx.Done():
		}
		o.lines = j.output()
		if o.hung {
			o.wrong = fmt.Sprintf("the job runs after %v", limit)
		} else if ctx.Err() == nil {
			o.judge(c, j, rank, struck)
		}
		return nil
	})
	o.left, o.wrong = left, cmp.Or(o.wrong, leftText(left))
	return o, err
}

// judge fills in what is right and wrong with a job that has ended.
func (o *outcome) judge(c *randomCase, j *job, rank int, struck bool) {
	text := strings.Join(o.lines, "\n")
	exit := j.cmd.ProcessState.ExitCode()
	for _, bad := range []string{"panic", "wrong", "verification failed", "history: A", "SIGSEGV", "goroutine "} {
		if strings.Contains(text, bad) {
			o.wrong = "the job reports: " + bad
			return
		}
	}
	if exit == 0 {
		report, err := experiment.Read(j.out.Bytes())
		if err == nil {
			_, err = fmt.Sscanf(report.Outcome, "%d contents", &o.contents)
		}
		if err != nil || !report.Verified {
			o.wrong = fmt.Sprintf("exit code 0, but the report is %q (%v)", j.out.Bytes(), err)
		}
		o.right = o.wrong == ""
		return
	}
	last := ""
	if len(o.lines) > 0 {
		last = o.lines[len(o.lines)-1]
	}
	switch {
	case !c.trouble.ends || !struck:
		o.wrong = fmt.Sprintf("exit code %d, though nothing ends the job", exit)
	case last == "" && exit > 0:
		o.wrong = fmt.Sprintf("exit code %d, and nothing is reported", exit)
	case rank >= 0 && !strings.Contains(last, fmt.Sprintf("rank %d", rank)) && !slices.ContainsFunc(o.lines, missing(rank)):
		o.wrong = fmt.Sprintf("the report does not name rank %d", rank)
	}
}

// missing returns a function that reports whether a line says that ranks which wait for all to come
// have not met a rank. Such lines come from all ranks at once, so any of them may be the last.
func missing(rank int) func(line string) bool {
	absent := regexp.MustCompile(`these (?:did|had) not: ([-, \d]+)`)
	named := regexp.MustCompile(fmt.Sprintf(`connecting to rank %[1]d:|the lowest is rank %[1]d:|cannot reach rank %[1]d of`, rank))
	return func(line string) bool {
		list := "" // such as 1-3, 5
		if found := absent.FindStringSubmatch(line); found != nil {
			list = found[1]
		}
		for part := range strings.SplitSeq(list, ", ") {
			var from, to int
			switch n, _ := fmt.Sscanf(part, "%d-%d", &from, &to); {
			case n == 1 && from == rank, n == 2 && from <= rank && rank <= to:
				return true
			}
		}
		return named.MatchString(line)
	}
}
