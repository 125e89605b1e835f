package run

import (
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
