package main

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/fagus"
)

const compareSchema = "fagus.compare/v1"

// comparison is what fagus compare prints: one JSON document, or tables.
type comparison struct {
	Schema string `json:"schema"`
	setting
	Sync     matmul.Sync       `json:"sync"`
	Sizes    []int             `json:"sizes"` // rising
	Versions []comparedVersion `json:"versions"`
	Results  []compared        `json:"results"` // by size, then by version
	Claims   []claim           `json:"claims"`
}

type comparedVersion struct {
	Name  string `json:"name"`
	About string `json:"about"`
	Role  role   `json:"role,omitempty"`
	// Notices is whether its receive threads sleep until one comes.
	Notices bool `json:"notices"`
}

// compared is what the runs of one version with one size came to.
type compared struct {
	Version string `json:"version"`
	N       int    `json:"n"`
	// TimeNs is by "total", of the slowest rank, and the names of the parts, means
	// over the ranks.
	TimeNs map[string]sample `json:"time_ns"`
	// ReleaseMessages is the most packets that all ranks posted within Release.
	ReleaseMessages uint64       `json:"release_messages"`
	Runs            []*runReport `json:"runs"`
}

// timed are the names in TimeNs, in the order in which they are shown.
func timed() []string {
	names := []string{"total"}
	for p := range fagus.Parts {
		names = append(names, p.String())
	}
	return names
}

// shown are those that the paper compares.
func shown() []string {
	names := []string{"total"}
	for _, p := range []fagus.Part{fagus.PartCompute, fagus.PartAcquire, fagus.PartRelease, fagus.PartUpdate} {
		names = append(names, p.String())
	}
	return names
}

// sum makes a result of the runs of one version with one size.
func sum(version string, runs []*runReport) compared {
	c := compared{Version: version, N: runs[0].N, TimeNs: make(map[string]sample), Runs: runs}
	for _, name := range timed() {
		var values []int64
		for _, r := range runs {
			values = append(values, r.TimeNs[name])
		}
		c.TimeNs[name] = newSample(values)
	}
	for _, r := range runs {
		c.ReleaseMessages = max(c.ReleaseMessages, r.packetsIn(fagus.PartRelease))
	}
	return c
}

// packetsIn counts what all ranks posted in a part of the run.
func (r *runReport) packetsIn(p fagus.Part) (packets uint64) {
	for i := range r.stats {
		c := r.stats[i].Parts[p].Counters
		packets += c.Stores + c.Writes + c.Pushes + c.Pulls
	}
	return packets
}

// ofSize are the results for one size, by version.
func (c *comparison) ofSize(n int) (list []compared) {
	for _, r := range c.Results {
		if r.N == n {
			list = append(list, r)
		}
	}
	return list
}

// where says in words what was compared.
func (c *comparison) where() string {
	return fmt.Sprintf("%s; a sync variable a %s", c.setting.where(), c.Sync)
}

// timeNote explains the columns.
const timeNote = "total: of the slowest rank; the parts: means over the ranks"

func (c *comparison) print(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s\n", c.where()); err != nil {
		return err
	}
	for _, n := range c.Sizes {
		if _, err := fmt.Fprintf(w, "\nn = %d\n\n%s\n", n, compareTable(c.ofSize(n))); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(w, "\n%s\n", timeNote); err != nil {
		return err
	}
	for i, cl := range c.Claims {
		if i == 0 {
			if _, err := fmt.Fprintf(w, "\nThe paper's claims:\n"); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(w, "\n%d. %s: %s\n   %s\n", i+1, cl.Claim, cl.Verdict, cl.Numbers); err != nil {
			return err
		}
	}
	return nil
}

func compareTable(results []compared) string {
	t := newTable()
	header := table.Row{"version"}
	for _, name := range shown() {
		header = append(header, name)
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5, 6))
	for _, r := range results {
		row := table.Row{r.Version}
		for _, name := range shown() {
			row = append(row, r.TimeNs[name])
		}
		t.AppendRow(row)
	}
	return t.Render()
}
