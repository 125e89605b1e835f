package report

import (
	"github.com/fagus-dsm/fagus/fagus/trace/analysis"
)

const schema = "fagus.tracereport/v1"

// document is the document of --json. docs/reference/json.md describes it.
type document struct {
	Schema      string           `json:"schema"`
	Program     string           `json:"program"`
	Mode        string           `json:"mode"`
	Net         string           `json:"net"`
	Clock       string           `json:"clock"`
	Nodes       int              `json:"nodes"`
	Warnings    []string         `json:"warnings"`
	TotalNs     int64            `json:"total_ns"`
	UncertainNs int64            `json:"uncertain_ns"`
	TimeNs      map[string]int64 `json:"time_ns"`
	Ranks       []documentRank   `json:"ranks"`
	CriticalNs  map[string]int64 `json:"critical_time_ns"`
	Critical    []documentPart   `json:"critical"`
	Matrix      []documentCell   `json:"matrix"`
	Variables   []documentGroup  `json:"variables"`
	Lines       []documentLine   `json:"lines"`
	Model       documentModel    `json:"model"`
	Advice      []documentAdvice `json:"advice"`
	Network     *documentNetwork `json:"network,omitempty"`
}

type documentNetwork struct {
	Tracks   []documentTrack `json:"tracks"`
	Packets  int             `json:"passages"`
	FromNs   int64           `json:"from_ns"`
	PathNs   int64           `json:"critical_waiting_ns"`
	BehindNs int64           `json:"critical_behind_others_ns"`
}

type documentTrack struct {
	Name      string  `json:"name"`
	Packets   uint64  `json:"packets"`
	Bytes     uint64  `json:"bytes"`
	Busy      float64 `json:"busy"`
	QueuedNs  int64   `json:"waited_ns"`
	LongestNs int64   `json:"longest_ns"`
	Kind      string  `json:"kind,omitempty"`
}

type documentRank struct {
	Rank        int              `json:"rank"`
	TimeNs      map[string]int64 `json:"time_ns"`
	Calls       int              `json:"calls"`
	Arrived     uint64           `json:"arrived_bytes"`
	Sent        uint64           `json:"posted_bytes"`
	WaitedFor   int              `json:"waited_for"`
	WaitedForNs int64            `json:"waited_for_ns"`
	Variable    string           `json:"variable,omitempty"`
	VariableNs  int64            `json:"variable_ns,omitempty"`
	Failed      string           `json:"failed,omitempty"`
}

type documentPart struct {
	Cause    string `json:"cause"`
	Line     string `json:"line"`
	Until    string `json:"until,omitempty"`
	Variable string `json:"variable,omitempty"`
	TimeNs   int64  `json:"time_ns"`
}

type documentCell struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Bytes uint64 `json:"bytes"`
}

type documentGroup struct {
	Name      string `json:"name"`
	Variables int    `json:"variables"`
	Bytes     int    `json:"bytes"`
	Arrived   uint64 `json:"arrived_bytes"`
	Arrivals  uint64 `json:"arrivals"`
	Written   uint64 `json:"written_bytes"`
	Tenures   uint64 `json:"tenures"`
	Writers   int    `json:"writers"`
	Readers   int    `json:"readers"`
	Apart     bool   `json:"apart"`
	WaitedNs  int64  `json:"waited_ns"`
	Waits     uint64 `json:"waits"`
	Holder    int    `json:"holder"`
	Line      string `json:"line"`
}

type documentLine struct {
	Line    string           `json:"line"`
	Call    string           `json:"call"`
	Calls   int              `json:"calls"`
	TimeNs  map[string]int64 `json:"time_ns"`
	AfterNs int64            `json:"computing_after_ns"`
	Arrived uint64           `json:"arrived_bytes"`
}

type documentModel struct {
	TimeNs int64 `json:"time_ns"`
	RunNs  int64 `json:"run_ns"`
	Good   bool  `json:"good"`
}

type documentAdvice struct {
	Kind     string  `json:"kind"`
	What     string  `json:"what"`
	Do       string  `json:"do"`
	If       string  `json:"if"`
	Line     string  `json:"line"`
	Variable string  `json:"variable"`
	SavesNs  int64   `json:"saves_ns"`
	Share    float64 `json:"share"`
	AtMost   bool    `json:"at_most"`
}

func newDocument(r *analysis.Result) *document {
	d := &document{
		Schema: schema, Program: r.Program, Mode: r.Mode, Net: r.Net, Clock: string(r.Clock), Nodes: r.Nodes,
		Warnings: append([]string{}, r.Warnings...), TotalNs: r.Total.Nanoseconds(), UncertainNs: r.Uncertain.Nanoseconds(),
		TimeNs: nanoseconds(&r.Overall), CriticalNs: nanoseconds(&r.Path.Shares),
		Ranks: []documentRank{}, Critical: []documentPart{}, Matrix: []documentCell{}, Variables: []documentGroup{}, Lines: []documentLine{}, Advice: []documentAdvice{},
		Model: documentModel{r.Model.Time.Nanoseconds(), r.Model.Run.Nanoseconds(), r.Model.Ok},
	}
	if n := r.Network; n != nil {
		d.Network = &documentNetwork{[]documentTrack{}, n.Packets, n.From.Nanoseconds(), n.Critical.Nanoseconds(), n.Behind.Nanoseconds()}
		for _, t := range n.Tracks {
			d.Network.Tracks = append(d.Network.Tracks, documentTrack{t.Name, t.Packets, t.Bytes, t.Busy, t.Queued.Nanoseconds(), t.Longest.Nanoseconds(), t.Most})
		}
	}
	for i := range r.Ranks {
		of := &r.Ranks[i]
		d.Ranks = append(d.Ranks, documentRank{of.Rank, nanoseconds(&of.Shares), of.Calls, of.Arrived, of.Sent, of.For, of.ForTime.Nanoseconds(), of.Variable, of.HeldTime.Nanoseconds(), of.Failed})
	}
	for _, p := range r.Path.Parts {
		d.Critical = append(d.Critical, documentPart{p.Cause.Name(), p.Line, p.Until, p.Variable, p.Time.Nanoseconds()})
	}
	for _, c := range r.Matrix {
		d.Matrix = append(d.Matrix, documentCell(c))
	}
	for _, g := range r.Groups {
		d.Variables = append(d.Variables, documentGroup{g.Name, g.Variables, g.Bytes, g.Arrived, g.Arrivals, g.Written, g.Tenures, g.Writers, g.Readers, g.Apart, g.Waited.Nanoseconds(), g.Waits, g.Holder, g.Line})
	}
	for i := range r.Lines {
		l := &r.Lines[i]
		d.Lines = append(d.Lines, documentLine{l.Line, l.Call, l.Calls, nanoseconds(&l.Shares), l.After.Nanoseconds(), l.Arrived})
	}
	for _, a := range r.Advice {
		d.Advice = append(d.Advice, documentAdvice{a.Kind, a.What, a.Do, a.If, a.Line, a.Variable, a.Saves.Nanoseconds(), a.Share, a.Most})
	}
	return d
}

// nanoseconds returns the times by the name of the cause, and their total.
func nanoseconds(s *analysis.Shares) map[string]int64 {
	ns := map[string]int64{"total": s.Total().Nanoseconds()}
	for c, t := range s {
		ns[analysis.Cause(c).Name()] = t.Nanoseconds()
	}
	return ns
}
