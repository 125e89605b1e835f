package run

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// Execute runs an open job. A wrong result is no error, but makes Report.Verified false.
func Execute(ctx context.Context, j *catalog.Job, on *runflags.Target, progress func(int)) (*Report, error) {
	outcomes := make([]catalog.Outcome, on.Nodes)
	report, err := on.Run(ctx, func(n *fagus.Node) (err error) {
		outcomes[n.Rank()], err = j.Run(n, progress)
		return err
	})
	if err != nil {
		on.ReportStuck(err, report.Roll)
		return nil, err
	}
	r := newReport(j.App, on, report)
	r.N, r.Size, r.measured = j.N, j.Size, j.Measured
	r.Verification, r.Outcome, r.Bits = outcomes[0].Verification, outcomes[0].Text, bitsText(outcomes[0].Bits)
	r.Verified = r.Verification.OK()
	if r.History != nil {
		r.Verified = r.Verified && r.History.Violation == nil
	}
	for _, o := range outcomes {
		r.MeasuredNs = max(r.MeasuredNs, o.Took.Nanoseconds())
	}
	return r, nil
}

// Verified is Execute, except that a wrong result is an error.
func Verified(ctx context.Context, j *catalog.Job, on *runflags.Target, progress func(int)) (*Report, error) {
	r, err := Execute(ctx, j, on, progress)
	if err == nil && !r.Verified {
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
