package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
)

const runSchema = "fagus.run/v1"

// runReport is what a run prints: one JSON document, or tables.
type runReport struct {
	Schema   string        `json:"schema"`
	App      string        `json:"app"`
	N        int           `json:"n"`
	Size     string        `json:"size"`
	Nodes    int           `json:"nodes"`
	Mode     string        `json:"mode"`
	Notices  bool          `json:"notices"` // only of threaded mode
	Net      string        `json:"net"`
	*faults                // of a UDP network
	Transfer string        `json:"transfer"`
	Env      string        `json:"env,omitempty"`
	Seed     uint64        `json:"seed"`
	Clock    dimmnet.Clock `json:"clock"`
	Verified bool          `json:"verified"`
	Check    check         `json:"check"`
	// History is what --verify-history found.
	History *checkedHistory `json:"history,omitempty"`
	// Advice is what --check found; absent without it.
	Advice *advice `json:"advice,omitempty"`
	// Outcome says in words what was found, where a check does not say it all.
	Outcome string `json:"outcome,omitempty"`
	// Bits stand for the result, where the program has them: equal ones are the same bit for bit.
	Bits string `json:"bits,omitempty"`
	// MeasuredNs is the slowest rank's time in the part that the program measures.
	MeasuredNs int64 `json:"measured_ns,omitempty"`
	// TimeNs is the mean over all ranks; the total that of the slowest.
	TimeNs    map[string]int64 `json:"time_ns"`
	Messages  messages         `json:"messages"`
	Bytes     uint64           `json:"bytes"`
	Fetched   uint64           `json:"fetched_bytes,omitempty"`
	Polls     uint64           `json:"polls"`
	Phases    uint64           `json:"phases"`
	Writes    fagus.Writes     `json:"writes"`
	Datagrams *datagrams       `json:"datagrams,omitempty"` // of a UDP network
	// TraceHash is of a simulated run: the same whenever the run is the same.
	TraceHash string     `json:"trace_hash,omitempty"`
	Ranks     []rankTime `json:"ranks"`

	where    string
	measured string // what MeasuredNs is the time of
	stats    []fagus.Stats
}

// messages counts packets by the NIC's methods, and what they were for.
type messages struct {
	AOTF      uint64 `json:"aotf"`
	BOTF      uint64 `json:"botf"`
	Push      uint64 `json:"push"`
	Pull      uint64 `json:"pull"`
	Lists     uint64 `json:"lists"`
	Requests  uint64 `json:"requests"`
	Transfers uint64 `json:"transfers"`
	Slots     uint64 `json:"slots"`
	Bulk      uint64 `json:"bulk"`
}

// checkedHistory is a recorded run, held against the axioms of entry consistency.
type checkedHistory struct {
	history.Counts
	Violation *history.Violation `json:"violation"` // null if there is none
}

func (h *checkedHistory) String() string {
	return fmt.Sprintf("history: %d tenures of %d variables keep the axioms of entry consistency", h.Tenures, h.Variables)
}

// advice is how a run that was checked could communicate less.
type advice []fagus.Advice

func (a advice) String() string {
	text := "check: no access without its variable was seen"
	if len(a) == 0 {
		return text + "; no advice"
	}
	const most = 10
	for _, one := range a[:min(most, len(a))] {
		text += "\n- " + one.String()
	}
	if len(a) > most {
		text += fmt.Sprintf("\n- and %d more (--json has all)", len(a)-most)
	}
	return text
}

// wrong says what is, of a run that is not verified.
func (r *runReport) wrong() string {
	if r.History != nil && r.History.Violation != nil {
		return r.History.Violation.Error()
	}
	return fmt.Sprintf("%v, the limit is %.3g", r.Check, r.Check.Limit)
}

// datagrams counts what a UDP network did to them.
type datagrams struct {
	Sent       uint64 `json:"sent"` // those sent again included
	Lost       uint64 `json:"lost"`
	Duplicated uint64 `json:"duplicated"`
	Reordered  uint64 `json:"reordered"`
}

type rankTime struct {
	Rank   int              `json:"rank"`
	TimeNs map[string]int64 `json:"time_ns"`
}

func newRunReport(app string, p *placement, report fagus.Report) *runReport {
	r := &runReport{
		Schema: runSchema, App: app, Nodes: p.nodes, Mode: p.mode.String(), Notices: p.notices, Net: p.net, faults: p.udpFaults(), Transfer: p.by.String(), Env: p.env, Seed: p.seed,
		Clock: report.Clock, TimeNs: make(map[string]int64), where: p.String(), stats: report.Ranks,
	}
	var slowest fagus.Time
	var sums [fagus.Parts]fagus.Time
	for i := range report.Ranks {
		s := &report.Ranks[i]
		rt := rankTime{Rank: s.Rank, TimeNs: map[string]int64{"total": s.Total().Nanoseconds()}}
		for part, use := range s.Parts {
			rt.TimeNs[fagus.Part(part).String()] = use.Time.Nanoseconds()
			sums[part] += use.Time
		}
		r.Ranks = append(r.Ranks, rt)
		slowest = max(slowest, s.Total())
		c := s.Messages()
		r.Messages.AOTF += c.Stores
		r.Messages.BOTF += c.Writes
		r.Messages.Push += c.Pushes
		r.Messages.Pull += c.Pulls
		r.Messages.Lists += s.Lists
		r.Messages.Requests += s.Requests
		r.Messages.Transfers += s.Transfers
		r.Messages.Slots += s.Slots
		r.Messages.Bulk += s.Bulk
		r.Bytes += c.Bytes
		r.Fetched += s.Fetched
		r.Polls += c.Polls
		r.Phases = max(r.Phases, s.Phases)
		r.Writes = s.Writes.Plus(r.Writes)
	}
	r.TimeNs["total"] = slowest.Nanoseconds()
	for part, sum := range sums {
		r.TimeNs[fagus.Part(part).String()] = (sum / fagus.Time(len(report.Ranks))).Nanoseconds()
	}
	if p.check != fagus.CheckOff {
		r.Advice = &advice{}
		*r.Advice = append(*r.Advice, report.Advice...)
	}
	if p.sim != nil {
		result := p.sim.Result()
		r.TraceHash = fmt.Sprintf("%016x", result.TraceHash)
		if p.net == netUDP100 {
			u := &result.UDP
			r.Datagrams = &datagrams{Sent: u.Sent, Lost: u.Lost, Duplicated: u.Duplicated, Reordered: u.Reordered}
		}
	}
	return r
}

// printJSON prints one document.
func printJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

func (r *runReport) print(w io.Writer) error {
	verdict := "verified"
	if !r.Verified {
		verdict = "WRONG"
	}
	_, err := fmt.Fprintf(w, "%s: %s\non %s\n\n%s\n\n%s\n\n", r.App, r.Size, r.where, r.timeTable(), r.messageTable())
	if err == nil && r.MeasuredNs != 0 {
		_, err = fmt.Fprintf(w, "%s: %v\n", r.measured, nsTime(r.MeasuredNs))
	}
	if err == nil && r.Outcome != "" {
		_, err = fmt.Fprintf(w, "%s\n", r.Outcome)
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "%s: %v (limit %.3g)\n", verdict, r.Check, r.Check.Limit)
	}
	if err == nil && r.History != nil && r.History.Violation == nil {
		_, err = fmt.Fprintln(w, r.History)
	}
	if err == nil && r.Advice != nil {
		_, err = fmt.Fprintln(w, r.Advice)
	}
	if err == nil && r.TraceHash != "" {
		_, err = fmt.Fprintf(w, "trace hash %s\n", r.TraceHash)
	}
	return err
}

// timeTable has a row a rank; of many ranks only the first and the last few.
func (r *runReport) timeTable() string {
	t := newTable()
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5, 6, 7, 8))
	header := table.Row{"rank", "total"}
	for p := range fagus.Parts {
		header = append(header, p.String())
	}
	t.AppendHeader(header)
	const most = 8
	for i := range r.stats {
		if len(r.stats) > most && i >= most-2 && i < len(r.stats)-1 {
			if i == most-2 {
				t.AppendRow(table.Row{"..."})
			}
			continue
		}
		s := &r.stats[i]
		row := table.Row{s.Rank, s.Total()}
		for _, use := range s.Parts {
			row = append(row, use.Time)
		}
		t.AppendRow(row)
	}
	return t.Render()
}

// messageTable shows in which part of the run messages were sent and polled
// for, summed over all ranks.
func (r *runReport) messageTable() string {
	t := newTable()
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5, 6))
	t.AppendHeader(table.Row{"all ranks", "AOTF", "BOTF", "PUSH", "bytes", "polls"})
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
	what := fmt.Sprintf("%d phases; %d acquire lists", r.Phases, r.Messages.Lists)
	if r.Mode == fagus.Threaded.String() {
		what = fmt.Sprintf("%d requests for variables", r.Messages.Requests)
	}
	text := fmt.Sprintf("\n%s, %d transfers of variables in %d slots and %d bulk messages",
		what, r.Messages.Transfers, r.Messages.Slots, r.Messages.Bulk)
	if r.Fetched > 0 {
		text += fmt.Sprintf("; %d bytes went straight from one rank's arrays to another's", r.Fetched)
	}
	text += "\n" + foundWrites(r.Writes)
	if d := r.Datagrams; d != nil {
		text += fmt.Sprintf("\n%d datagrams, of which %d were lost, %d doubled and %d held back", d.Sent, d.Lost, d.Duplicated, d.Reordered)
	}
	return t.Render() + text
}

// foundWrites says how the exclusive tenures of a run found what they had written.
func foundWrites(w fagus.Writes) string {
	var ways []string
	for _, way := range []struct {
		name    string
		tenures uint64
	}{{"declaration", w.Declared}, {"twin", w.Twin}, {"kept twin", w.Kept}, {"kernel", w.Kernel}} {
		if way.tenures > 0 {
			ways = append(ways, fmt.Sprintf("%d by %s", way.tenures, way.name))
		}
	}
	if ways == nil {
		return "no exclusive tenure had to find what it had written"
	}
	return fmt.Sprintf("writes of exclusive tenures found: %s; at most %d bytes of twins", strings.Join(ways, ", "), w.TwinBytes)
}

func newTable() table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options.DrawBorder = false
	t.Style().Options.SeparateColumns = false
	t.Style().Format.Header = text.FormatDefault
	t.Style().Format.Footer = text.FormatDefault
	return t
}

// rightAligned says that columns, counted from 1, hold numbers.
func rightAligned(columns ...int) (configs []table.ColumnConfig) {
	for _, n := range columns {
		configs = append(configs, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight})
	}
	return configs
}
