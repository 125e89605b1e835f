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
	// TimeNs has the mean of all ranks by the name of each part, and the slowest rank's "total".
	TimeNs map[string]int64 `json:"time_ns"`
	// MeasuredTimeNs is like TimeNs, but of the section that the program measures; BeforeNs and
	// AfterNs are the slowest rank's times before and after it. They are nil and 0 without one.
	MeasuredTimeNs map[string]int64 `json:"measured_time_ns,omitempty"`
	BeforeNs       int64            `json:"before_ns,omitempty"`
	AfterNs        int64            `json:"after_ns,omitempty"`

	Messages  messages     `json:"messages"`
	Bytes     uint64       `json:"bytes"`
	Fetched   uint64       `json:"fetched_bytes,omitempty"`
	Polls     uint64       `json:"polls"`
	Phases    uint64       `json:"phases"`
	Writes    fagus.Writes `json:"writes"`
	Datagrams *datagrams   `json:"datagrams,omitempty"` // only on a UDP network
	// TraceHash identifies a simulated run: equal runs have equal hashes.
	TraceHash string     `json:"trace_hash,omitempty"`
	Ranks     []rankTime `json:"ranks"`
	// Waits, Late and Serial say who waited for whom, and for which variable; they may be empty.
	Waits  []wait   `json:"waits"`
	Late   []late   `json:"late"`
	Serial []serial `json:"serial"`

	where    string // the target in words
	measured string // the name of the section whose time is MeasuredNs
	hint     string // a hint for the user, or ""
	stats    []fagus.Stats
	waits    []fagus.Wait
	late     []fagus.Late
}

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

type rankTime struct {
	Rank           int              `json:"rank"`
	TimeNs         map[string]int64 `json:"time_ns"`
	MeasuredTimeNs map[string]int64 `json:"measured_time_ns,omitempty"`
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
		Clock: report.Clock, TimeNs: make(map[string]int64), where: on.String(), stats: report.Ranks,
	}
	r.sum(report.Ranks)
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

func (r *Report) sum(ranks []fagus.Stats) {
	parts, measured := make([]times, len(ranks)), make([]times, len(ranks))
	section := false
	for i := range ranks {
		s := &ranks[i]
		for part, use := range s.Parts {
			parts[i][part] = use.Time
		}
		measured[i] = s.Measured
		section = section || s.MeasuredTotal() > 0
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
	r.TimeNs = summary(parts)
	if section {
		r.MeasuredTimeNs = summary(measured)
	}
	for i := range ranks {
		s := &ranks[i]
		rt := rankTime{Rank: s.Rank, TimeNs: parts[i].nanoseconds()}
		if section {
			rt.MeasuredTimeNs = measured[i].nanoseconds()
			after := s.Total() - s.Before - s.MeasuredTotal() - s.Parts[fagus.PartEnd].Time
			r.BeforeNs, r.AfterNs = max(r.BeforeNs, s.Before.Nanoseconds()), max(r.AfterNs, after.Nanoseconds())
		}
		r.Ranks = append(r.Ranks, rt)
	}
}

// times are the times of one rank, by part.
type times [fagus.Parts]fagus.Time

func (t times) total() (sum fagus.Time) {
	for _, part := range t {
		sum += part
	}
	return sum
}

// nanoseconds returns the times by the name of the part, and their total.
func (t times) nanoseconds() map[string]int64 {
	ns := map[string]int64{"total": t.total().Nanoseconds()}
	for part, time := range t {
		ns[fagus.Part(part).String()] = time.Nanoseconds()
	}
	return ns
}

// summary returns the mean of all ranks by the name of each part, and the slowest rank's total.
func summary(ranks []times) map[string]int64 {
	var sums times
	slowest := fagus.Time(0)
	for _, t := range ranks {
		slowest = max(slowest, t.total())
		for part, time := range t {
			sums[part] += time
		}
	}
	for part := range sums {
		sums[part] /= fagus.Time(len(ranks))
	}
	ns := sums.nanoseconds()
	ns["total"] = slowest.Nanoseconds()
	return ns
}
