package run

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
)

func (r *Report) print(w io.Writer) error {
	text := fmt.Sprintf("%s: %s\non %s\n\n%s\n\n%s\n\n", r.App, r.Size, r.where, r.timeTable(), r.messageTable())
	if r.MeasuredNs != 0 {
		text += fmt.Sprintf("%s: %v\n", r.measured, base.Nanoseconds(r.MeasuredNs))
	}
	if r.Outcome != "" {
		text += r.Outcome + "\n"
	}
	text += verdict(r.Verified, r.Verification)
	if r.History != nil && r.History.Violation == nil {
		text += fmt.Sprintln(r.History)
	}
	if r.Advice != nil {
		text += fmt.Sprintln(r.Advice)
	}
	if r.TraceHash != "" {
		text += fmt.Sprintf("trace hash %s\n", r.TraceHash)
	}
	_, err := io.WriteString(w, text)
	return err
}

// timeTable returns a table with a row per rank; of many ranks, only the first and last few rows.
func (r *Report) timeTable() string {
	header := table.Row{"rank", "total"}
	for p := range fagus.Parts {
		header = append(header, p.String())
	}
	t := base.NewTable(header, 2, 3, 4, 5, 6, 7, 8)
	const most = 8
	for i := range r.stats {
		if len(r.stats) > most && i >= most-2 && i < len(r.stats)-1 {
			if i == most-2 {
				t.AppendRow(table.Row{"..."})
			}
			continue
		}
		s := &r.stats[i]
		row := table.Row{s.Rank, s.Total()}
		for _, use := range s.Parts {
			row = append(row, use.Time)
		}
		t.AppendRow(row)
	}
	return t.Render()
}

// messageTable returns the table of the messages and polls of all ranks in each part of the run.
func (r *Report) messageTable() string {
	t := base.NewTable(table.Row{"all ranks", "AOTF", "BOTF", "PUSH", "bytes", "polls"}, 2, 3, 4, 5, 6)
	var sum dimmnet.Counters
	for part := range fagus.Parts {
		var c dimmnet.Counters
		for i := range r.stats {
			c = c.Plus(r.stats[i].Parts[part].Counters)
		}
		t.AppendRow(table.Row{part.String(), c.Stores, c.Writes, c.Pushes, c.Bytes, c.Polls})
		sum = sum.Plus(c)
	}
	t.AppendFooter(table.Row{"sum", sum.Stores, sum.Writes, sum.Pushes, sum.Bytes, sum.Polls})
	calls := fmt.Sprintf("%d phases; %d acquire lists", r.Phases, r.Messages.Lists)
	if r.Mode == fagus.Threaded.String() {
		calls = fmt.Sprintf("%d requests for variables", r.Messages.Requests)
	}
	text := fmt.Sprintf("\n%s, %d transfers of variables in %d slots and %d bulk messages",
		calls, r.Messages.Transfers, r.Messages.Slots, r.Messages.Bulk)
	if r.Fetched > 0 {
		text += fmt.Sprintf("; %d bytes were copied directly from one rank's arrays to another's", r.Fetched)
	}
	text += "\n" + writesText(r.Writes)
	if d := r.Datagrams; d != nil {
		text += fmt.Sprintf("\n%d datagrams, of which %d were lost, %d doubled and %d held back", d.Sent, d.Lost, d.Duplicated, d.Reordered)
	}
	return t.Render() + text
}

func writesText(w fagus.Writes) string {
	var methods []string
	for _, m := range []struct {
		name    string
		tenures uint64
	}{{"declaration", w.Declared}, {"twin", w.Twin}, {"kept twin", w.Kept}, {"kernel", w.Kernel}} {
		if m.tenures > 0 {
			methods = append(methods, fmt.Sprintf("%d by %s", m.tenures, m.name))
		}
	}
	if methods == nil {
		return "no exclusive tenure had to find its writes"
	}
	return fmt.Sprintf("writes of exclusive tenures found: %s; at most %d bytes of twins", strings.Join(methods, ", "), w.TwinBytes)
}
