package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/fagus/trace/analysis"
)

//go:embed report.html.tmpl
var pageText string

// Rows of the tables of the page; the document has all.
const (
	mostRows    = 40
	mostNumbers = 16 // ranks up to which the matrix has numbers
)

// page is the data of report.html.tmpl. The page loads no file, and runs no script.
type page struct {
	*analysis.Result
	Headline string
	Took     string
	Summary  []string
	Keys     []pageKey
	Shares   []pageShare // of all ranks
	Critical []pageShare
	Parts    []pagePart
	Through  string
	Head     string // of the advice
	Advices  []pageAdvice
	ModelOff string

	Timeline, Path pageTimeline
	RankRows       []pageRank
	RankNote       string
	Matrix         pageMatrix
	NetSummary     string
	NetRows        []pageTrack
	NetNote        string
	Groups         []pageGroup
	GroupNote      string
	Lines          []pageLine
	LineNote       string
}

type pageKey struct {
	Name, About string
	Color       template.CSS
}

// pageShare is a part of a bar.
type pageShare struct {
	Name, Percent, Time string
	Color               template.CSS
	Width               template.CSS
}

type pagePart struct {
	Percent, Time, Text string
	Color               template.CSS
}

type pageAdvice struct {
	analysis.Advice
	Percent, Time string
}

type pageRank struct {
	Rank                          int
	Bar                           []pageShare
	Calls                         int
	Compute, Waited, For, Arrived string
	Failed                        string
}

type pageGroup struct {
	analysis.Group
	Size, Got, Changed, WaitTime, Of string
}

// pageTrack is a part of the network.
type pageTrack struct {
	Name, Busy, Size, Waits, Each, Longest, Most string
	Packets                                      uint64
	Bar                                          []pageShare
}

type pageLine struct {
	analysis.Line
	Time, Each, Computing, Got string
	Bar                        []pageShare
}

func newPage(r *analysis.Result) (*page, error) {
	p := &page{Result: r, Headline: headline(r), Summary: summary(r), Took: figure.Short(r.Total), Head: sentence(adviceHead(r)), ModelOff: modelText(r)}
	p.Shares, p.Critical = bar(&r.Overall, 0), bar(&r.Path.Shares, 0)
	for c := range analysis.Causes {
		if r.Overall[c] > 0 {
			p.Keys = append(p.Keys, pageKey{c.String(), about(c), color(c)})
		}
	}
	for i, part := range r.Path.Parts {
		if i == mostRows {
			break
		}
		p.Parts = append(p.Parts, pagePart{percent(part.Time, r.Path.Shares.Total()), figure.Short(part.Time), partText(part), color(part.Cause)})
	}
	p.Through = through(r)
	for _, a := range r.Advice {
		a.What, a.Do = sentence(a.What), sentence(a.Do)
		p.Advices = append(p.Advices, pageAdvice{a, fmt.Sprintf("%.0f %%", 100*a.Share), figure.Short(a.Saves)})
	}
	p.rankRows()
	p.network()
	p.tables()
	var err error
	if p.Timeline, err = newTimeline(r, r.Timeline.Rows); err != nil {
		return nil, err
	}
	if p.Path, err = newTimeline(r, pathRows(r)); err != nil {
		return nil, err
	}
	p.Matrix, err = newMatrix(r)
	return p, err
}

// rankRows chooses the ranks of the table: all, or those with the most waiting and computing.
func (p *page) rankRows() {
	ranks := slices.Clone(p.Ranks)
	if len(ranks) > mostRows {
		waited := func(r *analysis.Rank) analysis.Time { return r.Shares[analysis.Late] + r.Shares[analysis.Held] }
		slices.SortStableFunc(ranks, func(a, b analysis.Rank) int { return cmp.Compare(waited(&b), waited(&a)) })
		most := slices.Clone(ranks[:mostRows/2])
		rest := ranks[mostRows/2:]
		slices.SortStableFunc(rest, func(a, b analysis.Rank) int {
			return cmp.Compare(b.Shares[analysis.Computing], a.Shares[analysis.Computing])
		})
		ranks = append(most, rest[:mostRows/2]...)
		slices.SortFunc(ranks, func(a, b analysis.Rank) int { return a.Rank - b.Rank })
		p.RankNote = fmt.Sprintf("The %d ranks that waited longest, and the %d others that computed longest, of %d.", mostRows/2, mostRows/2, len(p.Ranks))
	}
	longest := analysis.Time(0)
	for i := range ranks {
		longest = max(longest, ranks[i].Shares.Total())
	}
	for i := range ranks {
		of := &ranks[i]
		row := pageRank{Rank: of.Rank, Bar: bar(&of.Shares, longest), Calls: of.Calls, Compute: timeText(of.Shares[analysis.Computing]),
			Waited: timeText(of.Shares[analysis.Late] + of.Shares[analysis.Held]), Arrived: bytesText(of.Arrived), Failed: of.Failed}
		switch {
		case of.HeldTime > of.ForTime:
			row.For = fmt.Sprintf("%s: %s", of.Variable, figure.Short(of.HeldTime))
		case of.ForTime > 0:
			row.For = fmt.Sprintf("rank %d: %s", of.For, figure.Short(of.ForTime))
		}
		p.RankRows = append(p.RankRows, row)
	}
}

// network makes the table of the network.
func (p *page) network() {
	n := p.Result.Network
	if n == nil {
		return
	}
	p.NetSummary = sentence(pathInQueues(p.Result))
	for i := range n.Tracks {
		t := &n.Tracks[i]
		if i == mostRows {
			p.NetNote = fmt.Sprintf("%d more are in the document of --json.", len(n.Tracks)-i)
			break
		}
		busy := pageShare{"busy", share100(t.Busy), timeText(t.Track.Busy), color(analysis.Agreeing), template.CSS(fmt.Sprintf("%.2f%%", 100*min(1, t.Busy)))}
		p.NetRows = append(p.NetRows, pageTrack{t.Name, share100(t.Busy), bytesText(t.Bytes), timeText(t.Queued), timeText(t.Mean), timeText(t.Longest), t.Most, t.Packets, []pageShare{busy}})
	}
}

// tables makes the tables of variables and lines.
func (p *page) tables() {
	for i, g := range p.Result.Groups {
		if i == mostRows {
			p.GroupNote = fmt.Sprintf("%d more groups of variables are in the document of --json.", len(p.Result.Groups)-i)
			break
		}
		row := pageGroup{Group: g, Size: bytesText(uint64(g.Bytes)), Got: bytesText(g.Arrived), Changed: bytesText(g.Written), WaitTime: timeText(g.Waited)}
		if g.Holder >= 0 {
			row.Of = fmt.Sprintf("rank %d", g.Holder)
		}
		p.Groups = append(p.Groups, row)
	}
	longest := analysis.Time(0)
	for i := range p.Result.Lines {
		l := p.Result.Lines[i]
		if i == mostRows {
			p.LineNote = fmt.Sprintf("%d more lines are in the document of --json.", len(p.Result.Lines)-i)
			break
		}
		t := l.Shares.Total()
		longest = max(longest, t)
		p.Lines = append(p.Lines, pageLine{l, timeText(t), timeText(t / analysis.Time(max(1, l.Calls))), timeText(l.After), bytesText(l.Arrived), bar(&l.Shares, longest)})
	}
}

// bar returns the parts of a bar as wide as whole, or as the sum of the times.
func bar(s *analysis.Shares, whole analysis.Time) (parts []pageShare) {
	total := s.Total()
	if whole == 0 {
		whole = total
	}
	for c, t := range s {
		if t > 0 {
			width := template.CSS(fmt.Sprintf("%.2f%%", 100*float64(t)/float64(whole)))
			parts = append(parts, pageShare{analysis.Cause(c).String(), percent(t, total), figure.Short(t), color(analysis.Cause(c)), width})
		}
	}
	return parts
}

func writePage(w io.Writer, r *analysis.Result) error {
	p, err := newPage(r)
	if err != nil {
		return err
	}
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}
