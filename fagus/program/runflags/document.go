package runflags

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// Document is the part of a JSON document that describes a run: where it ran, and what the ranks
// did. docs/reference/json.md describes the fields.
type Document struct {
	Nodes    int    `json:"nodes"`
	Mode     string `json:"mode"`
	Helpers  bool   `json:"helpers,omitempty"` // only in mode threaded
	Notices  bool   `json:"notices"`           // only in mode threaded
	Direct   bool   `json:"direct"`            // only in mode threaded
	Net      string `json:"net"`
	*Faults         // the faults of a UDP network; nil on others
	Transfer string `json:"transfer"`
	Lists    string `json:"lists"`
	Env      string `json:"env,omitempty"`
	HostCost string `json:"host_cost,omitempty"` // unless it is on
	Seed     uint64 `json:"seed"`

	Clock dimmnet.Clock `json:"clock"`
	// History is the result of --verify-history; nil without it.
	History *CheckedHistory `json:"history,omitempty"`
	// Advice and Coverage are the results of --check; nil without it.
	Advice   *[]fagus.Advice `json:"advice,omitempty"`
	Coverage *fagus.Coverage `json:"coverage,omitempty"`
	fagus.Summary
	// Checkpoints is what the checkpoints of the run have cost; nil if it kept none.
	Checkpoints *checkpoint.Cost `json:"checkpoints,omitempty"`
	Datagrams   *Datagrams       `json:"datagrams,omitempty"` // only on a UDP network
	// TraceHash identifies a simulated run: equal runs have equal hashes.
	TraceHash string `json:"trace_hash,omitempty"`
}

// CheckedHistory has the counts of a recorded run, and the first violation of the axioms.
type CheckedHistory struct {
	history.Counts
	Violation *history.Violation `json:"violation"` // null if there is none
}

// String returns the line to print after a run without a violation.
func (h *CheckedHistory) String() string {
	return fmt.Sprintf("history: %s of %s keep the axioms of entry consistency", count(h.Tenures, "tenure"), count(h.Variables, "variable"))
}

// count returns "1 tenure", "2 tenures" and so on.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Checked returns what to print after a run with --check that found no mistake: how much it has
// checked, and the first pieces of advice as a list. It returns "" without --check.
func (d *Document) Checked() string {
	if d.Advice == nil {
		return ""
	}
	text := "check: no access without its variable was seen"
	if c := d.Coverage; c != nil && c.Sharing > 0 {
		text += fmt.Sprintf("; %d of %d variables share pages with others, where wrong reads are not found (docs/guide/check.md)", c.Sharing, c.Variables)
	}
	a := *d.Advice
	if len(a) == 0 {
		return text + "; no advice\n"
	}
	const most = 10
	text += "\n"
	for _, one := range a[:min(most, len(a))] {
		text += "- " + one.String() + "\n"
	}
	if len(a) > most {
		text += fmt.Sprintf("- and %d more (--json has all)\n", len(a)-most)
	}
	return text
}

// CheckpointLine returns a line about the checkpoints of the run; "" if it has made none, as was
// reported.
func (d *Document) CheckpointLine() string {
	if d.Checkpoints == nil || d.Checkpoints.Made == 0 {
		return ""
	}
	return fmt.Sprintln(d.Checkpoints)
}

// Datagrams counts the datagrams of a UDP network.
type Datagrams struct {
	Sent       uint64 `json:"sent"` // includes retransmissions
	Lost       uint64 `json:"lost"`
	Duplicated uint64 `json:"duplicated"`
	Reordered  uint64 `json:"reordered"`
}

// Document returns the description of the last run, whose report is given.
func (t *Target) Document(report fagus.Report) Document {
	d := Document{
		Nodes: t.Nodes, Mode: t.Mode.String(), Helpers: t.Helpers, Notices: t.Notices, Direct: t.Direct, Net: t.Network.Name, Faults: t.UDPFaults(),
		Transfer: t.Transfer.String(), Lists: t.Lists.String(), Env: t.Env, HostCost: t.HostCost, Seed: t.Seed,
		Clock: report.Clock, Summary: report.Summary(), Checkpoints: t.kept,
	}
	if t.Check != fagus.CheckOff {
		advice := append([]fagus.Advice{}, report.Advice...)
		d.Advice, d.Coverage = &advice, report.Coverage
	}
	if t.History != nil && t.Rank() == 0 { // which alone prints the document
		d.History = &CheckedHistory{t.History.Counts(), t.History.Check()}
	}
	if t.Sim != nil {
		result := t.Sim.Result()
		d.TraceHash = fmt.Sprintf("%016x", result.TraceHash)
		if t.Network.Datagrams {
			u := &result.UDP
			d.Datagrams = &Datagrams{Sent: u.Sent, Lost: u.Lost, Duplicated: u.Duplicated, Reordered: u.Reordered}
		}
	}
	return d
}
