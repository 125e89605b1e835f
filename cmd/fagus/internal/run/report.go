package run

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// Schema identifies the document of a run, which docs/reference/json.md describes.
const Schema = "fagus.run/v2"

// Report is the result of a run: one JSON document, or tables.
type Report struct {
	Schema string `json:"schema"`
	App    string `json:"app"`
	N      int    `json:"n"`
	Size   string `json:"size"`

	Verified     bool                 `json:"verified"`
	Verification catalog.Verification `json:"verification"`
	// Outcome is the result in words; "" if the verification alone describes the result.
	Outcome string `json:"outcome,omitempty"`
	// Bits identifies the result, if known: equal texts mean equal results, bit for bit.
	Bits string `json:"bits,omitempty"`
	// MeasuredNs is the slowest rank's time in the section that the program measures.
	MeasuredNs int64 `json:"measured_ns,omitempty"`
	runflags.Document
	where    string // the target in words
	measured string // the name of the section whose time is MeasuredNs
	hint     string // a hint for the user, or ""
	stats    []fagus.Stats
	report   fagus.Report
}

func (r *Report) wrong() string {
	if r.History != nil && r.History.Violation != nil {
		return r.History.Violation.Error()
	}
	return r.Verification.Against()
}

// Stats returns the statistics of all ranks.
func (r *Report) Stats() []fagus.Stats { return r.stats }

// Packets returns how many packets all ranks posted in a part of the run.
func (r *Report) Packets(p fagus.Part) (packets uint64) {
	for i := range r.stats {
		c := r.stats[i].Parts[p].Counters
		packets += c.Stores + c.Writes + c.Pushes + c.Pulls
	}
	return packets
}

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

// Verified runs an open job as cfg says. A wrong result is an error.
func Verified(ctx context.Context, cfg runflags.Config, j *catalog.Job, progress func(int)) (*Report, error) {
	on, err := cfg.Open(ctx)
	if err != nil {
		return nil, err
	}
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
