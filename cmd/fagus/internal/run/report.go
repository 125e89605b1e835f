package run

import (
	"context"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// Schema identifies the document of a run, which docs/reference/json.md describes.
const Schema = "fagus.run/v2"

// Result is what a program has computed, with Fagus or without it.
type Result struct {
	Schema string `json:"schema"`
	App    string `json:"app"`
	N      int    `json:"n"`
	Size   string `json:"size"`

	Verified     bool                 `json:"verified"`
	Verification catalog.Verification `json:"verification"`
	// Outcome is the result in words; "" if the verification alone describes the result.
	Outcome string `json:"outcome,omitempty"`
	// Bits identifies the result, if known: equal texts mean equal results, bit for bit.
	Bits     string `json:"bits,omitempty"`
	measured string // the name of the section that the program measures
}

func newResult(schema string, j *catalog.Job, o *catalog.Outcome) Result {
	r := Result{
		Schema: schema, App: j.App, N: j.N, Size: j.Size, measured: j.Measured,
		Verified: o.Verification.OK(), Verification: o.Verification, Outcome: o.Text,
	}
	if o.Bits != 0 { // they are known
		r.Bits = fmt.Sprintf("%016x", o.Bits)
	}
	return r
}

// Report is the result of a run: one JSON document, or tables.
type Report struct {
	Result
	// MeasuredNs is the slowest rank's time in the section that the program measures.
	MeasuredNs int64 `json:"measured_ns,omitempty"`
	runflags.Document
	where  string // the target in words
	hint   string // a hint for the user, or ""
	stats  []fagus.Stats
	report fagus.Report
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
	r := &Report{
		Result:   newResult(Schema, e.job, &e.outcomes[0]),
		Document: e.on.Document(report), where: e.on.String(), stats: report.Ranks, report: report,
	}
	r.Verified = r.Verified && (r.History == nil || r.History.Violation == nil)
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

// text returns the verdict, the time, and who waited for whom. If verbose is true, it also has the
// counts of packets and of the protocol.
func (r *Report) text(verbose bool) string {
	text := fmt.Sprintf("%s: %s\non %s\n\n%s", r.App, r.Size, r.where, verdict(r.Verified, r.Verification))
	if r.MeasuredNs != 0 {
		text += fmt.Sprintf("%s: %v\n", r.measured, base.Nanoseconds(r.MeasuredNs))
	}
	if r.Outcome != "" {
		text += r.Outcome + "\n"
	}
	text += "\n" + r.timeTable() + "\n" + r.outside()
	if remarks := r.report.Remarks(); remarks != "" {
		text += "\n" + remarks
	}
	if verbose {
		text += "\n" + r.messageTable() + "\n"
	}
	if r.History != nil && r.History.Violation == nil {
		text += fmt.Sprintln(r.History)
	}
	text += r.CheckpointLine() + r.Checked()
	if verbose && r.TraceHash != "" {
		text += fmt.Sprintf("trace hash %s\n", r.TraceHash)
	}
	if r.hint != "" {
		text += "\n" + r.hint + "\n"
	}
	return text
}

// timeTable returns a table with a row per rank; of many ranks, only some rows (Report.Rows).
// If the program measures a section, the table is about this section alone, without input and
// verification.
func (r *Report) timeTable() string {
	names, times := r.report.Columns(true)
	header, right := table.Row{"rank", "total"}, []int{2}
	for i, name := range names {
		header, right = append(header, name), append(right, 3+i)
	}
	t := base.NewTable(append(header, "waited most for"), right...)
	before := -1
	for _, i := range r.report.Rows() {
		if i > before+1 {
			t.AppendRow(table.Row{"..."})
		}
		before = i
		s := &r.stats[i]
		total := s.Total()
		if r.MeasuredTimeNs != nil {
			total = s.MeasuredTotal()
		}
		row := table.Row{s.Rank, total}
		for _, time := range times(s) {
			row = append(row, time)
		}
		t.AppendRow(append(row, r.report.WaitedFor(s.Rank, total)))
	}
	return t.Render()
}

// outside returns text: the times that the table leaves out.
func (r *Report) outside() string {
	if r.MeasuredTimeNs == nil {
		return ""
	}
	return fmt.Sprintf("not in the table: %v before (input), %v after (verification, output), on the slowest rank each\n",
		base.Nanoseconds(r.BeforeNs), base.Nanoseconds(r.AfterNs))
}

// messageTable returns the table of the messages and polls of all ranks in each part of the run.
func (r *Report) messageTable() string {
	t := base.NewTable(table.Row{"all ranks", "AOTF", "BOTF", "PUSH", "bytes", "polls"}, 2, 3, 4, 5, 6)
	var sum dimmnet.Counters
	for part := range fagus.Parts {
		var c dimmnet.Counters
		for i := range r.stats {
			c = c.Plus(r.stats[i].Parts[part].Counters)
		}
		t.AppendRow(table.Row{part.String(), c.Stores, c.Writes, c.Pushes, c.Bytes, c.Polls})
		sum = sum.Plus(c)
	}
	t.AppendFooter(table.Row{"sum", sum.Stores, sum.Writes, sum.Pushes, sum.Bytes, sum.Polls})
	repeated := ""
	if r.Repeated > 0 {
		repeated = fmt.Sprintf(", of which %d repeated one of before", r.Repeated)
	}
	calls := fmt.Sprintf("%d phases%s; %d acquire lists", r.Phases, repeated, r.Messages.Lists)
	if r.Mode == fagus.Threaded.String() {
		calls = fmt.Sprintf("%d requests for variables", r.Messages.Requests)
		if locks := r.Messages.Locks; locks > 0 {
			calls = fmt.Sprintf("%d variables acquired as locks, of which %d waited", locks, r.Messages.LockWaits)
		}
	}
	text := fmt.Sprintf("\n%s, %d transfers of variables in %d slots and %d bulk messages",
		calls, r.Messages.Transfers, r.Messages.Slots, r.Messages.Bulk)
	if r.Fetched > 0 {
		text += fmt.Sprintf("; %d bytes were copied directly from one rank's arrays to another's", r.Fetched)
	}
	if r.Connections > 0 {
		text += fmt.Sprintf("\n%d connections: %.1f per rank", r.Connections, 2*float64(r.Connections)/float64(len(r.stats)))
	}
	text += "\n" + writesText(r.Writes)
	if d := r.Datagrams; d != nil {
		text += fmt.Sprintf("\n%d datagrams, of which %d were lost, %d doubled and %d held back", d.Sent, d.Lost, d.Duplicated, d.Reordered)
	}
	return t.Render() + text
}

func writesText(w fagus.Writes) string {
	var methods []string
	for _, m := range []struct {
		name    string
		tenures uint64
	}{{"declaration", w.Declared}, {"twin", w.Twin}, {"kept twin", w.Kept}, {"kernel", w.Kernel}} {
		if m.tenures > 0 {
			methods = append(methods, fmt.Sprintf("%d by %s", m.tenures, m.name))
		}
	}
	if methods == nil {
		return "no exclusive tenure had to find its writes"
	}
	return fmt.Sprintf("writes of exclusive tenures found: %s; at most %d bytes of twins", strings.Join(methods, ", "), w.TwinBytes)
}
