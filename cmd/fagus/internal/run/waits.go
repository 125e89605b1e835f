package run

import "github.com/fagus-dsm/fagus/fagus"

// wait is a fagus.Wait in JSON.
type wait struct {
	Rank       int     `json:"rank"`
	Variable   string  `json:"variable"`
	Access     string  `json:"access"`
	TimeNs     int64   `json:"time_ns"`
	Share      float64 `json:"share"`
	Times      uint64  `json:"times"`
	Line       string  `json:"line,omitempty"`
	Holder     int     `json:"holder"`
	HolderNs   int64   `json:"holder_ns"`
	HolderLine string  `json:"holder_line,omitempty"`
}

// late is a fagus.Late in JSON.
type late struct {
	Rank   int   `json:"rank"`
	For    int   `json:"for"`
	TimeNs int64 `json:"time_ns"`
}

// serial is a fagus.Serial in JSON.
type serial struct {
	Variable string  `json:"variable"`
	Share    float64 `json:"share"` // of the rank that waited for the largest part of its time
	Ranks    int     `json:"ranks"`
	Text     string  `json:"text"`
	Mend     string  `json:"mend"`
}

// waited sets who waited for whom.
func (r *Report) waited(report *fagus.Report, mode fagus.Mode) {
	r.waits, r.late = report.Waits, report.Late
	r.Waits, r.Late, r.Serial = []wait{}, []late{}, []serial{}
	for _, w := range report.Waits {
		r.Waits = append(r.Waits, wait{
			Rank: w.Rank, Variable: w.Variable, Access: w.Access.String(), TimeNs: w.Time.Nanoseconds(), Share: w.Share, Times: w.Times, Line: w.Line,
			Holder: w.Holder, HolderNs: w.HolderTime.Nanoseconds(), HolderLine: w.HolderLine,
		})
	}
	for _, l := range report.Late {
		r.Late = append(r.Late, late{l.Rank, l.For, l.Time.Nanoseconds()})
	}
	for _, s := range report.Serial() {
		r.Serial = append(r.Serial, serial{s.Variable, s.Share, s.Ranks, s.String(), s.Mend(mode)})
	}
}
