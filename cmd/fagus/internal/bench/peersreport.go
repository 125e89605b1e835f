package bench

import (
	"fmt"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/peers"
)

const peersSchema = "fagus.peers/v2"

// peersReport is the document of fagus bench --peers, which docs/lab/peers.md explains.
type peersReport struct {
	Schema  string         `json:"schema"`
	Version string         `json:"version"`
	Machine string         `json:"machine"`
	Load    string         `json:"load_average"` // mean over the last minute; "" if unknown
	Net     string         `json:"net"`
	Over    string         `json:"provider,omitempty"` // of libfabric
	Ranks   []int          `json:"ranks"`
	CPUs    []int          `json:"cpus"`
	Hogs    []int          `json:"hogs"`
	Systems []peers.System `json:"systems"`
	Missing []string       `json:"missing,omitempty"`
	Dropped int            `json:"dropped_samples"`
	Rows    []peers.Row    `json:"rows"`
}

// add adds systems that are measured, and the names of missing ones.
func (r *peersReport) add(systems []peers.System, missing []string) {
	r.Systems = append(r.Systems, systems...)
	r.Missing = base.Union(r.Missing, missing...)
}

// load returns the load average of the last minute; "" if it is unknown.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	minute, _, _ := strings.Cut(string(text), " ")
	return minute
}

func (r *peersReport) text() string {
	t := base.NewTable(table.Row{"operation", "size", "ranks", "pair", "system", "median", "quartiles", "least", "GB/s", "samples", "ratio", "hogs"}, 2, 3, 6, 7, 8, 9, 10, 11, 12)
	var before peers.Row
	for _, row := range r.Rows {
		if before.Op != "" && (row.Op != before.Op || row.Size != before.Size || row.Ranks != before.Ranks || row.Hogs != before.Hogs || row.Pair != before.Pair) {
			t.AppendSeparator()
		}
		before = row
		if row.TimedOut {
			t.AppendRow(table.Row{row.Op, sizeText(row), row.Ranks, "", row.System, "timed out", "", "", "", "", "-", row.Hogs})
			continue
		}
		t.AppendRow(table.Row{row.Op, sizeText(row), row.Ranks, fmt.Sprintf("%s, %.0f ns", row.Pair, row.Trip), strings.TrimSuffix(row.System+": "+row.Variant, ": "), nanoseconds(row.Median),
			fmt.Sprintf("%v - %v", nanoseconds(row.First), nanoseconds(row.Third)), nanoseconds(row.Least), rateText(row), row.Samples, ratioText(row), row.Hogs})
	}
	missing, net := "", r.Net
	if r.Over != "" {
		net += " over " + r.Over
	}
	if len(r.Missing) > 0 {
		missing = fmt.Sprintf("\nnot there: %s", strings.Join(r.Missing, "; "))
	}
	return fmt.Sprintf("%s ranks, %s, processors %v of %s, load average %s before, %s\npair: how far the processors were, by the round trip of a cache line; %d samples dropped, while that changed\nratio: to the best peer at the same distance%s\n\n%s\n",
		strings.ReplaceAll(commas(r.Ranks), ",", ", "), net, r.CPUs, r.Machine, r.Load, hogsText(r.Hogs), r.Dropped, missing, t.Render())
}

func hogsText(numbers []int) string {
	switch {
	case len(numbers) == 1 && numbers[0] == 0:
		return "no hog"
	case len(numbers) == 1 && numbers[0] == 1:
		return "1 hog (a busy process beside it)"
	}
	return fmt.Sprintf("%s hogs (busy processes beside it)", strings.ReplaceAll(commas(numbers), ",", ", "))
}

func sizeText(r peers.Row) string {
	if r.Size == 0 {
		return ""
	}
	return fmt.Sprint(r.Size)
}

// rateText returns the rate of a stream in GB/s; "" for other operations.
func rateText(r peers.Row) string {
	if !strings.HasPrefix(r.Op, "stream") {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(r.Size)/r.Median)
}

func ratioText(r peers.Row) string {
	if r.Ratio == nil {
		return "-"
	}
	text := fmt.Sprintf("%.2f", *r.Ratio)
	if *r.Ratio < 0.1 {
		text = fmt.Sprintf("%.4f", *r.Ratio)
	}
	if r.Beside {
		text += " beside"
	}
	return text
}
