package compare

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/apps/matmul"
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
	Sync     matmul.Sync       `json:"sync"`
	Sizes    []int             `json:"sizes"` // in ascending order
	Versions []comparedVersion `json:"versions"`
	Results  []compared        `json:"results"` // by size, then by version
	Claims   []claim           `json:"claims"`
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
	for _, p := range []fagus.Part{fagus.PartCompute, fagus.PartAcquire, fagus.PartRelease, fagus.PartUpdate} {
		names = append(names, p.String())
	}
	return names
}

// sum summarises the runs of one version with one size.
func sum(version string, runs []*run.Report) compared {
	c := compared{Version: version, N: runs[0].N, TimeNs: make(map[string]contest.Sample), Runs: runs}
	for _, name := range timed() {
		var values []int64
		for _, r := range runs {
			values = append(values, r.TimeNs[name])
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

func (c *comparison) where() string {
	return fmt.Sprintf("%s; a sync variable a %s", c.Setting.Where(), c.Sync)
}

const timeNote = "total: of the slowest rank; the parts: means over the ranks"

func (c *comparison) print(w io.Writer) error {
	text := c.where() + "\n"
	for _, n := range c.Sizes {
		text += fmt.Sprintf("\nn = %d\n\n%s\n", n, compareTable(c.ofSize(n)))
	}
	text += "\n" + timeNote + "\n"
	if len(c.Claims) > 0 {
		text += "\nThe paper's claims:\n"
	}
	for i, cl := range c.Claims {
		text += fmt.Sprintf("\n%d. %s: %s\n   %s\n", i+1, cl.Claim, cl.Verdict, cl.Numbers)
	}
	_, err := io.WriteString(w, text)
	return err
}

func compareTable(results []compared) string {
	header := table.Row{"version"}
	for _, name := range shown() {
		header = append(header, name)
	}
	t := base.NewTable(header, 2, 3, 4, 5, 6)
	for _, r := range results {
		row := table.Row{r.Version}
		for _, name := range shown() {
			row = append(row, r.TimeNs[name])
		}
		t.AppendRow(row)
	}
	return t.Render()
}
