package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/contest"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
)

// schema identifies the document, which docs/reference/json.md describes.
const schema = "fagus.compare/v2"

// comparison is the result of fagus compare: one JSON document, or tables.
type comparison struct {
	Schema string `json:"schema"`
	contest.Setting
	Command []string `json:"command,omitempty"` // only for a program of one's own
	Sync    string   `json:"sync,omitempty"`    // only for matmul
	// SizeFlag is the flag that sets the size, "" if there is one size alone. SizeNames are its
	// values, and SizeTexts describe the sizes. Sizes are the values as numbers, or, if they are
	// none, their indices from 1.
	SizeFlag  string            `json:"size_flag"`
	SizeNames []string          `json:"size_names"`
	SizeTexts []string          `json:"size_texts"`
	Sizes     []int             `json:"sizes"` // in ascending order
	Versions  []comparedVersion `json:"versions"`
	Results   []compared        `json:"results"` // by size, then by version
	Claims    []claim           `json:"claims"`
	Warnings  []string          `json:"warnings,omitempty"`
	// Sensitivity has the verdicts with other costs of the host; nil unless asked for.
	Sensitivity []sensitivity `json:"sensitivity,omitempty"`
}

type comparedVersion struct {
	Name  string       `json:"name"`
	About string       `json:"about"`
	Role  contest.Role `json:"role,omitempty"`
	// Notices reports whether the receive threads sleep until a notice arrives.
	Notices bool `json:"notices"`
	// Direct reports whether ranks take free variables without a message.
	Direct bool `json:"direct"`
}

// compared is the result of all runs of one version with one size.
type compared struct {
	Version string `json:"version"`
	N       int    `json:"n"`
	// TimeNs has the slowest rank's "total", each part on the critical path by name, and under
	// "waiting" how long the rank that waited longest has waited for others.
	TimeNs map[string]repeat.Sample `json:"time_ns"`
	// ReleaseMessages counts the packets of all ranks within Release: the maximum of the runs; nil
	// if the runs do not say.
	ReleaseMessages *uint64           `json:"release_messages,omitempty"`
	Runs            []*experiment.Run `json:"runs"`
}

// The keys of times that are not those of parts.
const (
	totalName   = "total"   // of the slowest rank
	waitingName = "waiting" // of the rank that waited longest for others
)

// timed returns the keys of TimeNs in the order of display.
func timed() []string {
	names := []string{totalName}
	for p := range fagus.Parts {
		names = append(names, p.String())
	}
	return append(names, waitingName)
}

// Columns returns the columns of the tables. A part that no version spends time on has none, except
// the parts of the paper.
func (c *comparison) Columns() []string {
	names := []string{totalName}
	for _, p := range []fagus.Part{fagus.PartCompute, fagus.PartAcquire, fagus.PartRelease, fagus.PartUpdate, fagus.PartBarrier} {
		names = append(names, p.String())
	}
	if c.spends(fagus.PartEnd) {
		names = append(names, fagus.PartEnd.String())
	}
	return append(names, waitingName)
}

// OfSize returns the results with the size that has number n.
func (c *comparison) OfSize(n int) (list []compared) {
	for _, r := range c.Results {
		if r.N == n {
			list = append(list, r)
		}
	}
	return list
}

// Size returns text: the size that has number n, as on the command line; "" if there is one size
// alone.
func (c *comparison) Size(n int) string {
	if c.SizeFlag == "" && len(c.SizeNames) > 0 {
		return ""
	}
	if i := slices.Index(c.Sizes, n); i >= 0 && i < len(c.SizeNames) {
		return c.SizeFlag + " = " + c.SizeNames[i]
	}
	return fmt.Sprintf("n = %d", n)
}

// SizeText describes the size that has number n in words.
func (c *comparison) SizeText(n int) string {
	if i := slices.Index(c.Sizes, n); i >= 0 && i < len(c.SizeTexts) {
		return c.SizeTexts[i]
	}
	return ""
}

// Note says what the times are.
func (c *comparison) Note() string {
	parts := "on the critical path, which contains no waiting for other ranks"
	if !c.critical() {
		parts = "means over the ranks, because the critical path of some runs is unknown"
	}
	times := "total: of the slowest rank; the parts: " + parts + "; waiting: of the rank that waited longest; all of "
	if c.Command != nil && !c.measured() {
		return times + "the whole run: the program measures no part (Node.Measure)"
	}
	return times + "the part that the program measures, without input and verification"
}

// measured reports whether the program measures a part of itself.
func (c *comparison) measured() bool {
	return !c.all(func(o *experiment.Run) bool { return o.MeasuredTimeNs == nil })
}

// critical reports whether the critical path of all runs is known.
func (c *comparison) critical() bool {
	return c.all(func(o *experiment.Run) bool { return o.CriticalTimeNs != nil })
}

// all reports whether is holds for all runs.
func (c *comparison) all(is func(o *experiment.Run) bool) bool {
	return !slices.ContainsFunc(c.Results, func(r compared) bool {
		return slices.ContainsFunc(r.Runs, func(o *experiment.Run) bool { return !is(o) })
	})
}

func (c *comparison) text() string {
	text := c.Where() + "\n"
	for _, n := range c.Sizes {
		text += fmt.Sprintf("\n%s\n\n%s\n", join(": ", c.Size(n), c.SizeText(n)), c.table(n))
	}
	text += "\n" + c.Note() + "\n"
	for _, line := range c.Conclusions() {
		text += line + "\n"
	}
	for _, line := range c.Warnings {
		text += "warning: " + line + "\n"
	}
	if len(c.Claims) > 0 {
		text += "\nThe paper's claims:\n"
	}
	for i, cl := range c.Claims {
		if cl.Verdict == notJudged {
			text += fmt.Sprintf("\n%d. %s: %s, %s\n", i+1, cl.Claim, cl.Verdict, cl.Numbers)
			continue
		}
		text += fmt.Sprintf("\n%d. %s: %s\n   measure: %s\n   figures: %s\n", i+1, cl.Claim, cl.Verdict, cl.Measure, cl.Numbers)
		if cl.Depends != "" {
			text += fmt.Sprintf("   depends on: %s\n", cl.Depends)
		}
	}
	if len(c.Sensitivity) > 0 {
		text += c.sensitivityText()
	}
	return text
}

// Conclusions returns lines of text: which version is the fastest with the largest size, and on
// which variables versions are serialised.
func (c *comparison) Conclusions() (lines []string) {
	if len(c.Sizes) == 0 {
		return nil
	}
	largest := c.OfSize(c.Sizes[len(c.Sizes)-1])
	slices.SortStableFunc(largest, func(a, b compared) int {
		return cmp.Compare(a.TimeNs[totalName].Median, b.TimeNs[totalName].Median)
	})
	if len(largest) > 1 {
		lines = append(lines, fastest(c.Size(largest[0].N), largest))
	}
	for _, r := range largest {
		if len(r.Runs) > 0 && len(r.Runs[0].Serial) > 0 {
			s := r.Runs[0].Serial[0]
			lines = append(lines, fmt.Sprintf("%s: %s", r.Version, s.Text))
		}
	}
	return lines
}

// alike is how much longer the second version may take, in percent, to be called equally fast.
const alike = 1

// join joins the texts that are not empty.
func join(between string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), between)
}

// with returns text: the beginning of a sentence about a size.
func with(size string) string {
	if size == "" {
		return ""
	}
	return "with " + size + " "
}

// fastest returns text: which versions are the fastest. They are in the order of their medians.
func fastest(size string, versions []compared) string {
	first := versions[0]
	n := 1
	spread := false
	for ; n < len(versions); n++ {
		p := pair{ours: versions[n], other: first}
		slower := p.apart(totalName)
		if slower.least > 0 && slower.most > alike {
			break
		}
		spread = spread || slower.most > alike
	}
	if n == 1 {
		text := fmt.Sprintf("%sthe fastest version is %s", with(size), first.Version)
		if t := first.TimeNs[totalName].Median; t > 0 {
			text += fmt.Sprintf("; the next, %s, takes %.2f times as long", versions[1].Version, float64(versions[1].TimeNs[totalName].Median)/float64(t))
		}
		return text
	}
	names := base.Map(versions[:n], func(v compared) string { return v.Version })
	by := fmt.Sprintf("by at most %d %%", alike)
	if spread {
		by += ", or by less than their runs"
	}
	return fmt.Sprintf("%sthe fastest versions are %s and %s; they differ from %s %s",
		with(size), strings.Join(names[:n-1], ", "), names[n-1], first.Version, by)
}

// table returns the times with the size that has number n.
func (c *comparison) table(n int) string {
	header, right := table.Row{"version"}, []int{}
	for i, name := range c.Columns() {
		header, right = append(header, name), append(right, i+2)
	}
	t := base.NewTable(header, right...)
	for _, r := range c.OfSize(n) {
		row := table.Row{r.Version}
		for _, name := range c.Columns() {
			row = append(row, r.TimeNs[name])
		}
		t.AppendRow(row)
	}
	return t.Render()
}

// times returns the times of the run that are compared, in nanoseconds: the total of the slowest
// rank, each part by its name, on the critical path, or if that is not known in the mean of all
// ranks, and the longest waiting of a rank. They are those of the section that the program
// measures, if there is one.
func times(o *experiment.Run) map[string]int64 {
	times := o.TimeNs
	if o.MeasuredTimeNs != nil {
		times = o.MeasuredTimeNs
	}
	total := times[totalName]
	if o.CriticalTimeNs != nil {
		times = o.CriticalTimeNs
	}
	times = maps.Clone(times)
	times[totalName], times[waitingName] = total, 0
	for _, r := range o.Ranks {
		times[waitingName] = max(times[waitingName], r.WaitingNs)
	}
	return times
}

// sum summarises the runs of one version with one size.
func sum(version string, n int, runs []*experiment.Run) compared {
	c := compared{Version: version, N: n, TimeNs: make(map[string]repeat.Sample), Runs: runs}
	for _, name := range timed() {
		c.TimeNs[name] = repeat.NewSample(base.Map(runs, func(r *experiment.Run) int64 { return times(r)[name] }))
	}
	for _, r := range runs {
		if r.Released != nil {
			most := *r.Released
			if c.ReleaseMessages != nil {
				most = max(most, *c.ReleaseMessages)
			}
			c.ReleaseMessages = &most
		}
	}
	return c
}
