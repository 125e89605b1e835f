package compare

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/contest"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/run"
	"github.com/fagus-dsm/fagus/fagus"
)

// schema identifies the document, which docs/json.md describes.
const schema = "fagus.compare/v2"

// comparison is the result of fagus compare: one JSON document, or tables.
type comparison struct {
	Schema string `json:"schema"`
	contest.Setting
	Sync string `json:"sync,omitempty"` // only for matmul
	// SizeFlag is the flag that sets the size. SizeNames are its values, and SizeTexts describe the
	// sizes. Sizes are the values as numbers, or, if they are none, their indices from 1.
	SizeFlag  string            `json:"size_flag"`
	SizeNames []string          `json:"size_names"`
	SizeTexts []string          `json:"size_texts"`
	Sizes     []int             `json:"sizes"` // in ascending order
	Versions  []comparedVersion `json:"versions"`
	Results   []compared        `json:"results"` // by size, then by version
	Claims    []claim           `json:"claims"`
}

type comparedVersion struct {
	Name  string       `json:"name"`
	About string       `json:"about"`
	Role  contest.Role `json:"role,omitempty"`
	// Notices reports whether the receive threads sleep until a notice arrives.
	Notices bool `json:"notices"`
}

// compared is the result of all runs of one version with one size.
type compared struct {
	Version string `json:"version"`
	N       int    `json:"n"`
	// TimeNs has the slowest rank's "total", and by the name of each part the mean of all ranks.
	TimeNs map[string]contest.Sample `json:"time_ns"`
	// ReleaseMessages counts the packets of all ranks within Release: the maximum of the runs.
	ReleaseMessages uint64        `json:"release_messages"`
	Runs            []*run.Report `json:"runs"`
}

// timed returns the keys of TimeNs in the order of display.
func timed() []string {
	names := []string{"total"}
	for p := range fagus.Parts {
		names = append(names, p.String())
	}
	return names
}

func shown() []string {
	names := []string{"total"}
	for _, p := range []fagus.Part{fagus.PartCompute, fagus.PartAcquire, fagus.PartRelease, fagus.PartUpdate, fagus.PartBarrier} {
		names = append(names, p.String())
	}
	return names
}

// sum summarises the runs of one version with one size.
func sum(version string, n int, runs []*run.Report) compared {
	c := compared{Version: version, N: n, TimeNs: make(map[string]contest.Sample), Runs: runs}
	for _, name := range timed() {
		var values []int64
		for _, r := range runs {
			if r.MeasuredTimeNs != nil {
				values = append(values, r.MeasuredTimeNs[name])
			} else {
				values = append(values, r.TimeNs[name])
			}
		}
		c.TimeNs[name] = contest.NewSample(values)
	}
	for _, r := range runs {
		c.ReleaseMessages = max(c.ReleaseMessages, r.Packets(fagus.PartRelease))
	}
	return c
}

func (c *comparison) ofSize(n int) (list []compared) {
	for _, r := range c.Results {
		if r.N == n {
			list = append(list, r)
		}
	}
	return list
}

// size returns text: the size that has number n, as on the command line.
func (c *comparison) size(n int) string {
	for i := range c.SizeNames {
		if c.Sizes[i] == n {
			return c.SizeFlag + " = " + c.SizeNames[i]
		}
	}
	return fmt.Sprintf("n = %d", n)
}

// sizeText describes the size that has number n in words.
func (c *comparison) sizeText(n int) string {
	for i := range c.SizeTexts {
		if c.Sizes[i] == n {
			return c.SizeTexts[i]
		}
	}
	return ""
}

const timeNote = "total: of the slowest rank; the parts: means over the ranks; both of the part that the program measures, without input and verification"

func (c *comparison) print(w io.Writer) error {
	text := c.Where() + "\n"
	for _, n := range c.Sizes {
		text += fmt.Sprintf("\n%s: %s\n\n%s\n", c.size(n), c.sizeText(n), compareTable(c.ofSize(n)))
	}
	text += "\n" + timeNote + "\n"
	for _, line := range c.conclusions() {
		text += line + "\n"
	}
	if len(c.Claims) > 0 {
		text += "\nThe paper's claims:\n"
	}
	for i, cl := range c.Claims {
		text += fmt.Sprintf("\n%d. %s: %s\n   %s\n", i+1, cl.Claim, cl.Verdict, cl.Numbers)
	}
	_, err := io.WriteString(w, text)
	return err
}

// conclusions returns lines of text: which version is the fastest with the largest size, and on
// which variables versions are serialised.
func (c *comparison) conclusions() (lines []string) {
	if len(c.Sizes) == 0 {
		return nil
	}
	largest := c.ofSize(c.Sizes[len(c.Sizes)-1])
	slices.SortStableFunc(largest, func(a, b compared) int {
		return cmp.Compare(a.TimeNs["total"].Median, b.TimeNs["total"].Median)
	})
	if len(largest) > 1 {
		lines = append(lines, fastest(c.size(largest[0].N), largest[0], largest[1]))
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

// fastest returns text: which of two versions, of which the first has the smaller median, is the
// fastest.
func fastest(size string, first, second compared) string {
	p := pair{ours: second, other: first}
	slower := p.apart("total")
	if slower.least <= 0 || slower.most <= alike {
		return fmt.Sprintf("with %s the fastest versions are %s and %s; they differ by less than the runs of one of them, or than %d %%",
			size, first.Version, second.Version, alike)
	}
	text := fmt.Sprintf("with %s the fastest version is %s", size, first.Version)
	if t := first.TimeNs["total"].Median; t > 0 {
		text += fmt.Sprintf("; the next, %s, takes %.2f times as long", second.Version, float64(second.TimeNs["total"].Median)/float64(t))
	}
	return text
}

func compareTable(results []compared) string {
	header := table.Row{"version"}
	for _, name := range shown() {
		header = append(header, name)
	}
	t := base.NewTable(header, 2, 3, 4, 5, 6, 7)
	for _, r := range results {
		row := table.Row{r.Version}
		for _, name := range shown() {
			row = append(row, r.TimeNs[name])
		}
		t.AppendRow(row)
	}
	return t.Render()
}
