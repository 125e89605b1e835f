//go:build linux

package jobs

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// campaign runs jobs, one after another.
type campaign struct {
	fagus  experiment.Fagus
	nets   []runflags.Network
	nodes  []int
	jobs   int // on each network
	bound  time.Duration
	seed   uint64
	folder string        // of temporary files
	memory string        // sharedMemory
	leave  time.Duration // for the last processes of a job to end after its launcher
}

// row is what the jobs on one network have done.
type row struct {
	Network string    `json:"net"`
	Jobs    int       `json:"jobs"`
	Wrong   int       `json:"wrong"`
	Left    leftovers `json:"left"`
	Ranks   int       `json:"ranks"` // of all jobs together
	Seconds float64   `json:"seconds"`
	MostMs  float64   `json:"most_ms"` // the job that took longest
}

// mistake is a job whose result is wrong or that has left something.
type mistake struct {
	Network string `json:"net"`
	Number  int    `json:"number"` // from 0, on its network
	Command string `json:"command"`
	Why     string `json:"why"`
}

// run runs the jobs of all networks in turn, so that a campaign that is cut off has run on all.
func (c *campaign) run(ctx context.Context, d *document, done func(int)) error {
	begun := time.Now()
	random := make([]*rand.Rand, len(c.nets))
	for i, n := range c.nets {
		random[i] = rand.New(rand.NewPCG(c.seed, uint64(len(n.Name))<<32|uint64(n.Name[0])))
		d.Rows = append(d.Rows, row{Network: n.Name})
	}
	for number := range c.jobs {
		for i := range c.nets {
			if c.bound > 0 && time.Since(begun) >= c.bound {
				return nil
			}
			args := draw(random[i], c.nets[i].Name, c.nodes)
			why, err := c.runOne(ctx, &d.Rows[i], args)
			if err != nil {
				return err
			}
			if why != "" {
				d.Mistakes = append(d.Mistakes, mistake{c.nets[i].Name, number, line(args), why})
			}
			done(1)
		}
	}
	return nil
}

// runOne runs a job and counts it in r. why is what is wrong with it; "" if nothing is.
func (c *campaign) runOne(ctx context.Context, r *row, args []string) (why string, err error) {
	mark := markOf(r.Network, r.Jobs)
	before := survey(c.memory)
	began := time.Now()
	ranks, why := c.runJob(ctx, mark, args)
	took := time.Since(began)
	left := await(mark, c.memory, before, c.leave)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if left.Files, err = filesIn(c.folder); err != nil {
		return "", err
	}
	r.Jobs++
	r.Ranks += ranks
	r.Seconds += took.Seconds()
	r.MostMs = max(r.MostMs, float64(took.Microseconds())/1000)
	r.Left.add(left)
	if why != "" {
		r.Wrong++
	}
	if left.sum() > 0 {
		why = strings.TrimSpace(fmt.Sprintf("%s left: %+v", why, left))
	}
	return why, nil
}

// runJob runs a job, and returns its number of ranks and what is wrong with it.
func (c *campaign) runJob(ctx context.Context, mark string, args []string) (ranks int, why string) {
	ctx, cancel := context.WithTimeout(ctx, limit+10*time.Second) // the job's own limit comes first
	defer cancel()
	cmd, err := c.fagus.Command(ctx, mark, args...)
	if err != nil {
		return 0, err.Error()
	}
	cmd.Env = append(cmd.Env, "TMPDIR="+c.folder)
	cmd.WaitDelay = time.Second
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	said := strings.TrimSpace(errs.String())
	if err != nil {
		return 0, cmp.Or(said, err.Error())
	}
	return judge(args, out, said)
}

// judge returns the number of ranks of a job that has ended well, and what is wrong with what it
// has printed.
func judge(args []string, out []byte, said string) (ranks int, why string) {
	r, err := experiment.Read(out)
	if err != nil {
		return 0, "its report: " + err.Error()
	}
	value := func(flag string) string { return args[slices.Index(args, flag)+1] }
	switch {
	case !r.Verified:
		why = "the result is wrong"
	case r.App != args[1] || r.Net != value("--net") || fmt.Sprint(r.Nodes) != value("--nodes"):
		why = fmt.Sprintf("the report is of %s on %d nodes of %s", r.App, r.Nodes, r.Net)
	case said != "" && !strings.Contains(said, "fagus: warning: "):
		why = said
	}
	return r.Nodes, why
}
