package fagus

import "fmt"

// WaitTime is a Wait in JSON documents.
type WaitTime struct {
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

// LateTime is a Late in JSON documents.
type LateTime struct {
	Rank   int   `json:"rank"`
	For    int   `json:"for"`
	TimeNs int64 `json:"time_ns"`
}

// SerialTime is a Serial in JSON documents.
type SerialTime struct {
	Variable string  `json:"variable"`
	Share    float64 `json:"share"` // of the rank that waited for the largest part of its time
	Ranks    int     `json:"ranks"`
	Text     string  `json:"text"`
	Mend     string  `json:"mend"`
}

// TipTime is a Tip in JSON documents.
type TipTime struct {
	Kind     TipKind `json:"kind"`
	Rank     int     `json:"rank"`
	After    string  `json:"after,omitempty"`
	Until    string  `json:"until,omitempty"`
	TimeNs   int64   `json:"time_ns"`
	OthersNs int64   `json:"others_ns"`
	Share    float64 `json:"share"`
	Text     string  `json:"text"`
	Mend     string  `json:"mend"`
}

// addWaits sets who waited for whom.
func (sum *Summary) addWaits(r *Report) {
	sum.Waits, sum.Late, sum.Serial = []WaitTime{}, []LateTime{}, []SerialTime{}
	for _, w := range r.Waits {
		sum.Waits = append(sum.Waits, WaitTime{
			Rank: w.Rank, Variable: w.Variable, Access: w.Access.String(), TimeNs: w.Time.Nanoseconds(), Share: w.Share, Times: w.Times, Line: w.Line,
			Holder: w.Holder, HolderNs: w.HolderTime.Nanoseconds(), HolderLine: w.HolderLine,
		})
	}
	for _, l := range r.Late {
		sum.Late = append(sum.Late, LateTime{l.Rank, l.For, l.Time.Nanoseconds()})
	}
	for _, s := range r.Serial() {
		sum.Serial = append(sum.Serial, SerialTime{s.Variable, s.Share, s.Ranks, s.String(), s.Mend})
	}
	sum.Tips = []TipTime{}
	for _, t := range r.Tips {
		sum.Tips = append(sum.Tips, TipTime{t.Kind, t.Rank, t.After, t.Until, t.Time.Nanoseconds(), t.Others.Nanoseconds(), t.Share, t.String(), t.Mend})
	}
}

// WaitedFor returns text: the rank for which a rank has waited longest, the variable if that rank
// had been granted one, and for how long. It returns "" if the rank has waited for no rank longer
// than 1 % of total.
func (r Report) WaitedFor(rank int, total Time) string {
	text, most := "", total/100
	for _, l := range r.Late {
		if l.Rank == rank && l.Time > most {
			text, most = fmt.Sprintf("rank %d: %v", l.For, l.Time), l.Time
		}
	}
	for _, w := range r.Waits {
		if w.Rank == rank && w.Time > most {
			text, most = fmt.Sprintf("%q at rank %d: %v", w.Variable, w.Holder, w.Time), w.Time
		}
	}
	return text
}
