//go:build linux

package faults

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
)

func isRestart(line string) bool { return strings.Contains(line, ": restarting") }

var accusation = regexp.MustCompile(`^(\d+): fagus: .*rank (\d+) (?:.*is lost|is gone|failed|has heard of no other)`)

// seenBy returns who has noticed a fault, by the lines up to the message about the restart.
func seenBy(lines []string, victim int) (by []string) {
	for _, line := range lines {
		if m := accusation.FindStringSubmatch(line); m != nil {
			if m[1] == strconv.Itoa(victim) {
				by = base.Union(by, "itself")
			} else {
				by = base.Union(by, "others")
			}
		}
		if isRestart(line) {
			if strings.Contains(line, "signal: ") || strings.Contains(line, "agent") || strings.Contains(line, "its memory") || strings.Contains(line, "it is stopped") {
				by = append(by, "launcher")
			}
			break
		}
	}
	slices.Sort(by)
	return by
}

// want says in words which end of a job is right.
func (f *fault) want() string {
	switch {
	case f.goesOn:
		return "goes on"
	case f.told, f.silent:
		return "ends"
	}
	return "restarts"
}

// wrong returns what is wrong with a job that has ended; "" if nothing is.
func (t *death) wrong(j *job, r *deathsRow, want sorResult) string {
	for _, line := range j.output()[r.before:] {
		if isRestart(line) {
			r.Restarts++
		}
	}
	if t.told || t.silent {
		switch {
		case r.Restarts > 0:
			return "it starts again, though it is told to end"
		case t.told && r.Struck > 0 && j.cmd.ProcessState.ExitCode() == 0:
			return "the exit code is 0"
		}
		return ""
	}
	got, err := j.result()
	switch {
	case err != nil:
		return err.Error()
	case got != want:
		return fmt.Sprintf("the result is %+v, that of an undisturbed job %+v", got, want)
	case t.goesOn && r.Restarts > 0:
		return "it starts again, though it could go on"
	case !t.goesOn && r.Restarts < r.Struck:
		return fmt.Sprintf("%d restarts after %d faults", r.Restarts, r.Struck)
	}
	return ""
}

// add adds a job to the row of its fault.
func (d *deaths) add(r deathsRow) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.doc.Jobs++
	d.doc.Struck += r.Struck
	d.doc.Wrong += len(r.Wrong)
	for i := range d.doc.Rows {
		if own := &d.doc.Rows[i]; own.Network == r.Network && own.Fault == r.Fault {
			own.Struck += r.Struck
			own.Restarts += r.Restarts
			own.Ended += r.Ended
			own.Noticed = append(own.Noticed, r.Noticed...)
			own.Wrong = append(own.Wrong, r.Wrong...)
			own.SeenBy = base.Union(own.SeenBy, r.SeenBy...)
			slices.Sort(own.SeenBy)
			return
		}
	}
	d.doc.Rows = append(d.doc.Rows, r)
}

func (d *deathsDocument) text() string {
	slices.SortStableFunc(d.Rows, func(a, b deathsRow) int { return cmp.Compare(a.Network, b.Network) })
	t := base.NewTable(table.Row{"net", "fault", "struck", "wanted", "restarts", "after, s", "seen by", "right", "wrong"}, 3, 5, 6, 8, 9)
	for _, r := range d.Rows {
		after := "-"
		if n := len(r.Noticed); n > 0 {
			after = fmt.Sprintf("%.1f", repeat.Quantile(r.Noticed, 0.5))
			if n > 1 {
				after += fmt.Sprintf(" (%.1f)", slices.Max(r.Noticed))
			}
		}
		t.AppendRow(table.Row{r.Network, r.Fault, r.Struck, r.want, r.Restarts, after, strings.Join(r.SeenBy, ", "), r.Ended, len(r.Wrong)})
	}
	text := fmt.Sprintf("%s\n\nafter: from the fault to the message about the restart, the median and (the worst)\nright: the job ended as wanted, and its result is that of an undisturbed job, bit for bit\n%d faults of %d jobs from seed %d in %.0f s: %d jobs with something wrong\n%s",
		t.Render(), d.Struck, d.Jobs, d.Seed, d.Seconds, d.Wrong, skippedText(d.Skipped))
	for _, r := range d.Rows {
		for _, wrong := range r.Wrong {
			text += fmt.Sprintf("\n%s, %s: %s\n", r.Network, r.Fault, wrong)
		}
	}
	return text
}
