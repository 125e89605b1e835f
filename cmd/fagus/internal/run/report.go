package run

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/internal/runflags"
)

// Schema identifies the document of a run, which docs/json.md describes.
const Schema = "fagus.run/v2"

// Report is the result of a run: one JSON document, or tables.
type Report struct {
	Schema           string `json:"schema"`
	App              string `json:"app"`
	N                int    `json:"n"`
	Size             string `json:"size"`
	Nodes            int    `json:"nodes"`
	Mode             string `json:"mode"`
	Notices          bool   `json:"notices"` // only in mode threaded
	Net              string `json:"net"`
	*runflags.Faults        // the faults of a UDP network; nil on others
	Transfer         string `json:"transfer"`
	Env              string `json:"env,omitempty"`
	Seed             uint64 `json:"seed"`

	Clock        dimmnet.Clock        `json:"clock"`
	Verified     bool                 `json:"verified"`
	Verification catalog.Verification `json:"verification"`
	// History is the result of --verify-history; nil without it.
	History *checkedHistory `json:"history,omitempty"`
	// Advice is the result of --check; nil without it.
	Advice *advice `json:"advice,omitempty"`
	// Outcome is the result in words; "" if the verification alone describes the result.
	Outcome string `json:"outcome,omitempty"`
	// Bits identifies the result, if known: equal texts mean equal results, bit for bit.
	Bits string `json:"bits,omitempty"`
	// MeasuredNs is the slowest rank's time in the section that the program measures.
	MeasuredNs int64 `json:"measured_ns,omitempty"`
	fagus.Summary
	// Waits, Late and Serial say who waited for whom, and for which variable; they may be empty.
	Waits     []wait     `json:"waits"`
	Late      []late     `json:"late"`
	Serial    []serial   `json:"serial"`
	Datagrams *datagrams `json:"datagrams,omitempty"` // only on a UDP network
	// TraceHash identifies a simulated run: equal runs have equal hashes.
	TraceHash string `json:"trace_hash,omitempty"`

	where    string // the target in words
	measured string // the name of the section whose time is MeasuredNs
	hint     string // a hint for the user, or ""
	stats    []fagus.Stats
	waits    []fagus.Wait
	late     []fagus.Late
}

// checkedHistory has the counts of a recorded run, and the first violation of the axioms.
type checkedHistory struct {
	history.Counts
	Violation *history.Violation `json:"violation"` // null if there is none
}

// String returns the line to print after a run without a violation.
func (h *checkedHistory) String() string {
	return fmt.Sprintf("history: %d tenures of %d variables keep the axioms of entry consistency", h.Tenures, h.Variables)
}

// advice lists ways in which a program run with --check could communicate less.
type advice []fagus.Advice

// String returns the first pieces of advice as a list.
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

type datagrams struct {
	Sent       uint64 `json:"sent"` // includes retransmissions
	Lost       uint64 `json:"lost"`
	Duplicated uint64 `json:"duplicated"`
	Reordered  uint64 `json:"reordered"`
}

func (r *Report) wrong() string {
	if r.History != nil && r.History.Violation != nil {
		return r.History.Violation.Error()
	}
	return r.Verification.Against()
}

// Packets returns how many packets all ranks posted in a part of the run.
func (r *Report) Packets(p fagus.Part) (packets uint64) {
	for i := range r.stats {
		c := r.stats[i].Parts[p].Counters
		packets += c.Stores + c.Writes + c.Pushes + c.Pulls
	}
	return packets
}

// newReport returns the report of a run on a target, without the fields that describe the result.
func newReport(app string, on *runflags.Target, report fagus.Report) *Report {
	r := &Report{
		Schema: Schema, App: app, Nodes: on.Nodes, Mode: on.Mode.String(), Notices: on.Notices, Net: on.Network.Name, Faults: on.UDPFaults(),
		Transfer: on.Transfer.String(), Env: on.Env, Seed: on.Seed,
		Clock: report.Clock, Summary: report.Summary(), where: on.String(), stats: report.Ranks,
	}
	r.waited(&report, on.Mode)
	if on.Check != fagus.CheckOff {
		r.Advice = &advice{}
		*r.Advice = append(*r.Advice, report.Advice...)
	}
	if on.Sim != nil {
		result := on.Sim.Result()
		r.TraceHash = fmt.Sprintf("%016x", result.TraceHash)
		if on.Network.Datagrams {
			u := &result.UDP
			r.Datagrams = &datagrams{Sent: u.Sent, Lost: u.Lost, Duplicated: u.Duplicated, Reordered: u.Reordered}
		}
	}
	return r
}
