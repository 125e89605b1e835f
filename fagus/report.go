package fagus

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// ReportSchema identifies the document that Report.JSON returns. docs/reference/json.md describes
// it.
const ReportSchema = "fagus.report/v1"

// Summary adds up the statistics of all ranks, as JSON documents contain them
// (docs/reference/json.md).
type Summary struct {
	// TimeNs has the mean of all ranks by the name of each Part, and the slowest rank's "total".
	TimeNs map[string]int64 `json:"time_ns"`
	// MeasuredTimeNs is like TimeNs, but of the sections that Node.Measure has run; BeforeNs and
	// AfterNs are the slowest rank's times before and after them. They are nil and 0 without any.
	MeasuredTimeNs map[string]int64 `json:"measured_time_ns,omitempty"`
	// CriticalTimeNs is Report.Critical. "total" is the sum of the parts.
	CriticalTimeNs map[string]int64 `json:"critical_time_ns,omitempty"`
	BeforeNs       int64            `json:"before_ns,omitempty"`
	AfterNs        int64            `json:"after_ns,omitempty"`

	Messages Messages `json:"messages"`
	Bytes    uint64   `json:"bytes"`
	Fetched  uint64   `json:"fetched_bytes,omitempty"`
	// Connections is the number of connections: half the sum of Stats.Connections.
	Connections int    `json:"connections,omitempty"`
	Polls       uint64 `json:"polls"`
	Phases      uint64 `json:"phases"`
	Repeated    uint64 `json:"repeated_phases,omitempty"` // of Phases
	HostNs      int64  `json:"host_ns,omitempty"`         // the sum of Stats.Host
	// RepeatedMessages, RepeatedBytes and RepeatedHostNs are of the repeated phases alone: packets,
	// their bytes, and the sum of Stats.HostRepeating.
	RepeatedMessages uint64     `json:"repeated_messages,omitempty"`
	RepeatedBytes    uint64     `json:"repeated_bytes,omitempty"`
	RepeatedHostNs   int64      `json:"repeated_host_ns,omitempty"`
	Writes           Writes     `json:"writes"`
	Ranks            []RankTime `json:"ranks"`

	// Waits, Late and Serial say who waited for whom, and for which variable; they may be empty.
	Waits  []WaitTime   `json:"waits"`
	Late   []LateTime   `json:"late"`
	Serial []SerialTime `json:"serial"`
}

// Messages counts the messages of all ranks: packets by the NIC's method of sending, and what the
// engines sent with them.
type Messages struct {
	AOTF      uint64 `json:"aotf"`
	BOTF      uint64 `json:"botf"`
	Push      uint64 `json:"push"`
	Pull      uint64 `json:"pull"`
	Lists     uint64 `json:"lists"`
	Requests  uint64 `json:"requests"`
	Takes     uint64 `json:"takes"`
	Locks     uint64 `json:"locks"`
	LockWaits uint64 `json:"lock_waits"`
	Transfers uint64 `json:"transfers"`
	Slots     uint64 `json:"slots"`
	Bulk      uint64 `json:"bulk"`
}

// RankTime is the time of one rank by the name of each Part, and their sum as "total".
type RankTime struct {
	Rank           int              `json:"rank"`
	TimeNs         map[string]int64 `json:"time_ns"`
	MeasuredTimeNs map[string]int64 `json:"measured_time_ns,omitempty"`
	// WaitingNs is how much of these times the rank has waited for other ranks, in the section that
	// Node.Measure has run or, without one, in the run. It is 0 without Config.Timeline.
	WaitingNs int64 `json:"waiting_ns,omitempty"`
	// Connections is Stats.Connections.
	Connections int `json:"connections,omitempty"`
	// ProcessorNs and ProcessorWantedNs are Stats.Processor.
	ProcessorNs       int64 `json:"processor_ns,omitempty"`
	ProcessorWantedNs int64 `json:"processor_wanted_ns,omitempty"`
}

const totalName = "total"

// Summary adds up the statistics of all ranks. It is empty if the run failed.
func (r Report) Summary() Summary {
	var sum Summary
	whole, measured := make([]partTimes, len(r.Ranks)), make([]partTimes, len(r.Ranks))
	section := false
	for i := range r.Ranks {
		s := &r.Ranks[i]
		for part, use := range s.Parts {
			whole[i][part] = use.Time
		}
		measured[i] = s.Measured
		section = section || measured[i].total() > 0
		sum.add(s)
	}
	sum.Connections /= 2 // each has been counted at both ends
	sum.TimeNs = meanNs(whole)
	if section {
		sum.MeasuredTimeNs = meanNs(measured)
	}
	for i := range r.Ranks {
		s := &r.Ranks[i]
		of := RankTime{Rank: s.Rank, TimeNs: whole[i].nanoseconds(), WaitingNs: s.waiting().Nanoseconds(), Connections: s.Connections,
			ProcessorNs: s.Processor.Got.Nanoseconds(), ProcessorWantedNs: s.Processor.Wanted.Nanoseconds()}
		if section {
			of.MeasuredTimeNs = measured[i].nanoseconds()
			after := s.Total() - s.Before - s.MeasuredTotal() - s.Parts[PartEnd].Time
			sum.BeforeNs, sum.AfterNs = max(sum.BeforeNs, s.Before.Nanoseconds()), max(sum.AfterNs, after.Nanoseconds())
		}
		sum.Ranks = append(sum.Ranks, of)
	}
	if r.Critical != nil {
		sum.CriticalTimeNs = partTimes(*r.Critical).nanoseconds()
	}
	sum.addWaits(&r)
	return sum
}

// partTimes are the times of one rank, by part.
type partTimes [Parts]Time

func (t partTimes) total() (sum Time) {
	for _, part := range t {
		sum += part
	}
	return sum
}

// nanoseconds returns the times by the name of the part, and their total.
func (t partTimes) nanoseconds() map[string]int64 {
	ns := map[string]int64{totalName: t.total().Nanoseconds()}
	for part, time := range t {
		ns[Part(part).String()] = time.Nanoseconds()
	}
	return ns
}

// meanNs returns the mean of all ranks by the name of each part, and the slowest rank's total.
func meanNs(ranks []partTimes) map[string]int64 {
	var sums partTimes
	slowest := Time(0)
	for _, t := range ranks {
		slowest = max(slowest, t.total())
		for part, time := range t {
			sums[part] += time
		}
	}
	for part := range sums {
		sums[part] /= Time(max(1, len(ranks)))
	}
	ns := sums.nanoseconds()
	ns[totalName] = slowest.Nanoseconds()
	return ns
}

func (sum *Summary) add(s *Stats) {
	c, m := s.Messages(), &sum.Messages
	m.AOTF += c.Stores
	m.BOTF += c.Writes
	m.Push += c.Pushes
	m.Pull += c.Pulls
	m.Lists += s.Lists
	m.Requests += s.Requests
	m.Takes += s.Takes
	m.Locks += s.Locks
	m.LockWaits += s.LockWaits
	m.Transfers += s.Transfers
	m.Slots += s.Slots
	m.Bulk += s.Bulk
	sum.Bytes += c.Bytes
	sum.Fetched += s.Fetched
	sum.Polls += c.Polls
	sum.Connections += s.Connections
	sum.Phases = max(sum.Phases, s.Phases)
	sum.Repeated = max(sum.Repeated, s.Repeated)
	r := s.Repeating
	sum.RepeatedMessages += r.Stores + r.Writes + r.Pushes
	sum.RepeatedBytes += r.Bytes
	sum.HostNs += s.Host.Nanoseconds()
	sum.RepeatedHostNs += s.HostRepeating.Nanoseconds()
	sum.Writes = s.Writes.Plus(sum.Writes)
}

// Slowest returns the run time of the slowest rank; 0 if the run failed.
func (r Report) Slowest() (t Time) {
	for i := range r.Ranks {
		t = max(t, r.Ranks[i].Total())
	}
	return t
}

// JSON returns the report as one indented JSON document of the schema ReportSchema.
func (r Report) JSON() ([]byte, error) {
	document := struct {
		Schema string        `json:"schema"`
		Clock  dimmnet.Clock `json:"clock"`
		Nodes  int           `json:"nodes"`
		Mode   Mode          `json:"mode"`
		Summary
		Advice   []Advice  `json:"advice"`
		Coverage *Coverage `json:"coverage,omitempty"`
	}{ReportSchema, r.Clock, len(r.Ranks), r.Mode, r.Summary(), append([]Advice{}, r.Advice...), r.Coverage}
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("fagus: encoding a report: %w", err)
	}
	return append(text, '\n'), nil
}

// String returns the report as lines of text: a table of how each rank spent its time and for whom
// it waited, what was sent, on which variables the program is serialised, arrays that no variable
// guards, and the advice of Config.Check. Of many ranks the table has the first few, the slowest
// and the last. If the program has called Node.Measure, the table is about the measured sections.
// If the run failed, String returns the roll-call.
func (r Report) String() string {
	switch {
	case r.Ranks == nil && r.Roll.Ranks == nil:
		return "the run did not start\n"
	case r.Ranks == nil:
		return r.Roll.String()
	}
	sum := r.Summary()
	packets := sum.Messages.AOTF + sum.Messages.BOTF + sum.Messages.Push + sum.Messages.Pull
	text := fmt.Sprintf("%s, %v by the %s clock\n%s", count(len(r.Ranks), "rank"), r.Slowest(), r.Clock, r.table(sum.MeasuredTimeNs != nil))
	if sum.MeasuredTimeNs != nil {
		text += fmt.Sprintf("the table is about the measured sections: %v before and %v after them, on the slowest rank each, are not in it\n",
			Time(sum.BeforeNs)*Nanosecond, Time(sum.AfterNs)*Nanosecond)
	}
	text += fmt.Sprintf("%s with %s, %s of variables", count(packets, "packet"), count(sum.Bytes, "byte"), count(sum.Messages.Transfers, "transfer"))
	if sum.Phases > 0 {
		text += ", " + count(sum.Phases, "phase")
		if sum.Repeated > 0 {
			text += fmt.Sprintf(" (%d repeated)", sum.Repeated)
		}
	}
	if sum.Messages.Requests > 0 {
		text += ", " + count(sum.Messages.Requests, "request") + " for variables"
	}
	if sum.Messages.Takes > 0 {
		text += fmt.Sprintf(", %d taken without a request", sum.Messages.Takes)
	}
	if sum.Messages.Locks > 0 {
		text += fmt.Sprintf(", %s acquired as locks (%d waited)", count(sum.Messages.Locks, "variable"), sum.Messages.LockWaits)
	}
	if sum.Fetched > 0 {
		text += fmt.Sprintf("; %s copied directly from array to array", count(sum.Fetched, "byte"))
	}
	text += "\n" + r.busy()
	for _, s := range r.Serial() {
		text += "advice: " + s.String() + "\n"
	}
	for _, name := range r.Unguarded {
		text += fmt.Sprintf("note: no variable guards array %q: no call moves its elements between ranks\n", name)
	}
	for _, a := range r.Advice {
		text += "- " + a.String() + "\n"
	}
	return text
}

// table has a row per rank with its total time, the share of each part that any rank used, and
// whom the rank has waited for. It is about the measured sections, or about the whole run.
func (r Report) table(measured bool) string {
	times := make([]partTimes, len(r.Ranks))
	var sums partTimes
	for i := range r.Ranks {
		for part := range Parts {
			times[i][part] = r.Ranks[i].Parts[part].Time
			if measured {
				times[i][part] = r.Ranks[i].Measured[part]
			}
			sums[part] += times[i][part]
		}
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(rank, total, waited string, share func(Part) string) {
		fmt.Fprintf(w, "%s\t%s\t", rank, total)
		for part := range Parts {
			if sums[part] > 0 {
				fmt.Fprintf(w, "%s\t", share(part))
			}
		}
		if waited != "" {
			fmt.Fprint(w, "  "+waited) // the last cell has no tab, so it is aligned to the left
		}
		fmt.Fprintln(w)
	}
	row("rank", "total", "waited most for", Part.String)
	before := -1
	for _, i := range r.Rows() {
		if i > before+1 {
			row("...", "", "", func(Part) string { return "" })
		}
		before = i
		rank, total := r.Ranks[i].Rank, times[i].total()
		row(fmt.Sprint(rank), total.String(), r.WaitedFor(rank, total), func(p Part) string {
			return fmt.Sprintf("%.1f %%", 100*float64(times[i][p])/float64(max(1, total)))
		})
	}
	_ = w.Flush() // a strings.Builder takes everything
	return text.String()
}

// Rows returns the ranks that a table shows: all of few, or else the first, the slowest and the
// last. If there are measured sections, the slowest is of these.
func (r Report) Rows() (rows []int) {
	const most = 8
	section := slices.ContainsFunc(r.Ranks, func(s Stats) bool { return s.MeasuredTotal() > 0 })
	slowest, longest := 0, Time(-1)
	for i := range r.Ranks {
		t := r.Ranks[i].Total()
		if section {
			t = r.Ranks[i].MeasuredTotal()
		}
		if t > longest {
			slowest, longest = i, t
		}
	}
	for i := range r.Ranks {
		if len(r.Ranks) <= most || i < most-2 || i == slowest || i == len(r.Ranks)-1 {
			rows = append(rows, i)
		}
	}
	return rows
}

// count returns "1 packet", "2 packets" and so on.
func count[T int | uint64](n T, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
