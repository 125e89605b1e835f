package run

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// execution is one run of an open job on a target.
type execution struct {
	job      *catalog.Job
	on       *runflags.Target
	progress func(int)
	outcomes []catalog.Outcome // by rank
}

func newExecution(j *catalog.Job, on *runflags.Target, progress func(int)) *execution {
	return &execution{j, on, progress, make([]catalog.Outcome, on.Nodes)}
}

// run runs the job as one rank.
func (e *execution) run(n *fagus.Node) (err error) {
	e.outcomes[n.Rank()], err = e.job.Run(n, e.progress)
	return err
}

// report returns the report of the run. A wrong result makes Report.Verified false.
func (e *execution) report(report fagus.Report) *Report {
	j, first := e.job, e.outcomes[0]
	r := &Report{
		Schema: Schema, App: j.App, N: j.N, Size: j.Size, measured: j.Measured,
		Verification: first.Verification, Outcome: first.Text, Bits: bitsText(first.Bits),
		Document: e.on.Document(report), where: e.on.String(), stats: report.Ranks, report: report,
	}
	r.Verified = r.Verification.OK() && (r.History == nil || r.History.Violation == nil)
	for _, o := range e.outcomes {
		r.MeasuredNs = max(r.MeasuredNs, o.Took.Nanoseconds())
	}
	return r
}

// Verified runs an open job. A wrong result is an error.
func Verified(ctx context.Context, j *catalog.Job, on *runflags.Target, progress func(int)) (*Report, error) {
	e := newExecution(j, on, progress)
	report, err := on.Run(ctx, e.run)
	if err != nil {
		return nil, err
	}
	r := e.report(report)
	if !r.Verified {
		err = fmt.Errorf("verification failed on %v: %s", on, r.wrong())
	}
	return r, err
}

// bitsText formats the bits of a result for a report. For 0, which means unknown, it returns "".
func bitsText(bits uint64) string {
	if bits == 0 {
		return ""
	}
	return fmt.Sprintf("%016x", bits)
}
