package bench

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
)

const programsSchema = "fagus.programs/v1"

// programsReport is the document of fagus bench --programs.
type programsReport struct {
	Schema  string       `json:"schema"`
	Version string       `json:"version"`
	Machine string       `json:"machine"`
	Load    string       `json:"load_average"` // mean over the last minute; "" if unknown
	Net     string       `json:"net"`
	Samples int          `json:"samples"`
	Ranks   []int        `json:"ranks"`
	Rows    []programRow `json:"rows"`
}

func (r *programsReport) text() string {
	t := base.NewTable(table.Row{"program", "ranks", "Fagus, phase", "threaded", "best MPI", "", "best OpenMP", "", "of MPI", "of OpenMP"}, 2, 3, 4, 5, 7, 9, 10)
	failed := ""
	for rest := r.Rows; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Program == rest[0].Program && rest[n].Ranks == rest[0].Ranks {
			n++
		}
		rows := rest[:n]
		rest = rest[n:]
		own := best(rows, func(r *programRow) bool { return r.Own })
		threads := best(rows, func(r *programRow) bool { return r.library() == openmp })
		mpi := best(rows, func(r *programRow) bool { return !r.Own && r.library() != openmp })
		t.AppendRow(table.Row{rows[0].Program, rows[0].Ranks, timeText(&rows[0]), timeText(&rows[1]), timeText(mpi), nameText(mpi), timeText(threads), nameText(threads), quotientText(own, mpi), quotientText(own, threads)})
		for _, row := range rows {
			if row.Failed != "" {
				failed += fmt.Sprintf("\n%s, %d ranks, %s: %s", row.Program, row.Ranks, row.System, row.Failed)
			}
		}
	}
	return fmt.Sprintf("%s, %s, load average %s before; medians of %d runs in turns\nof MPI, of OpenMP: the better mode of Fagus, in times of the best build of the peer%s\n\n%s\n",
		r.Net, r.Machine, r.Load, r.Samples, failed, t.Render())
}

func timeText(r *programRow) string {
	if r == nil || len(r.Seconds) == 0 {
		return "-"
	}
	return nanoseconds(1e9 * r.median()).String()
}

func nameText(r *programRow) string {
	if r == nil {
		return ""
	}
	return r.System
}

func quotientText(own, peer *programRow) string {
	if own == nil || peer == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", own.median()/peer.median())
}
