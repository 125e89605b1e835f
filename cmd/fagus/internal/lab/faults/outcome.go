//go:build linux

package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/namespaces"
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
func (c *randomCase) run(ctx context.Context, fagus string, number int, limit time.Duration) (outcome, error) {
	g := generator{rand.New(rand.NewPCG(c.seed, 2))}
	var net *namespaces.Set
	if c.trouble.hosts {
		var err error
		if net, err = newHosts(c.ranks, number); err != nil {
			return outcome{}, err
		}
		defer net.Close()
		if c.trouble.prepare != nil {
			if err := c.trouble.prepare(net.Hosts); err != nil {
				return outcome{}, err
			}
		}
	}
	j, err := startJob(ctx, fagus, c.args, c.network, c.ranks, number, net, c.env)
	if err != nil {
		return outcome{}, err
	}
	over := time.After(limit)
	rank, struck := -1, false
	select {
	case <-j.ended:
	case <-time.After(c.delay):
		if c.trouble.strike != nil {
			rank, err = c.trouble.strike(j, g)
			struck = err == nil
			if c.trouble.hosts && c.ranks == 2 {
				rank = -1 // each of the two hears nothing from the other, so either may be named
			}
		}
	}
	var o outcome
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
	j.end()
	if o.left = j.leftovers(); o.left > 0 && o.wrong == "" {
		o.wrong = fmt.Sprintf("%d processes are left", o.left)
	}
	return o, nil
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
		var report experiment.Document
		err := json.Unmarshal(j.out.Bytes(), &report)
		if _, scan := fmt.Sscanf(report.Outcome, "%d contents", &o.contents); err == nil && scan != nil {
			err = errors.New("it counts no contents")
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
