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
	// MeasuredTimeNs is like TimeNs, but of the sections that Node.Measure has run, and nil without
	// any. BeforeNs and AfterNs are the slowest rank's times before and after them; without any,
	// before the first call and after the last one (Stats.Before, Stats.After).
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
	// Tips is Report.Tips.
	Tips []TipTime `json:"tips"`
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
	// BeforeNs and AfterNs are Stats.Before and Stats.After.
	BeforeNs int64 `json:"before_ns,omitempty"`
	AfterNs  int64 `json:"after_ns,omitempty"`
	// ProcessorNs and ProcessorWantedNs are of Stats.Usage, as Usage is.
	ProcessorNs       int64 `json:"processor_ns,omitempty"`
	ProcessorWantedNs int64 `json:"processor_wanted_ns,omitempty"`
	// Usage is what the system has counted of the rank's process in the run, and MeasuredUsage in
	// the sections of Node.Measure. They are nil if it has counted nothing.
	Usage         *UsageOf `json:"usage,omitempty"`
	MeasuredUsage *UsageOf `json:"measured_usage,omitempty"`
}

// UsageOf is Usage in JSON documents.
type UsageOf struct {
	Ranks       int    `json:"ranks"`
	Processors  int    `json:"processors"`
	ProcessorNs int64  `json:"processor_ns"`
	WaitedNs    *int64 `json:"waited_ns,omitempty"` // nil if unknown
	Voluntary   uint64 `json:"voluntary_switches"`
	Involuntary uint64 `json:"involuntary_switches"`
	Faults      uint64 `json:"minor_faults"`
	DiskFaults  uint64 `json:"major_faults"`
	Peak        uint64 `json:"peak_bytes"`
}

// document returns u for JSON documents; nil if the system has counted nothing.
func (u Usage) document() *UsageOf {
	if u.Ranks == 0 {
		return nil
	}
	of := &UsageOf{u.Ranks, u.Processors, u.Got.Nanoseconds(), nil, u.Voluntary, u.Involuntary, u.Faults, u.DiskFaults, u.Peak}
	if u.Wanted > 0 {
		waited := u.waited().Nanoseconds()
		of.WaitedNs = &waited
	}
	return of
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
			BeforeNs: s.Before.Nanoseconds(), AfterNs: s.After.Nanoseconds(),
			ProcessorNs: s.Usage.Got.Nanoseconds(), ProcessorWantedNs: s.Usage.Wanted.Nanoseconds(), Usage: s.Usage.document(), MeasuredUsage: s.MeasuredUsage.document()}
		if section {
			of.MeasuredTimeNs = measured[i].nanoseconds()
		}
		sum.BeforeNs, sum.AfterNs = max(sum.BeforeNs, of.BeforeNs), max(sum.AfterNs, of.AfterNs)
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
	text := fmt.Sprintf("%s, %v by the %s clock\n%s", count(len(r.Ranks), "rank"), r.Slowest(), r.Clock, r.table())
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
	text += "\n" + r.Remarks()
	for _, name := range r.Unguarded {
		text += fmt.Sprintf("note: no variable guards array %q: no call moves its elements between ranks\n", name)
	}
	for _, a := range r.Advice {
		text += "- " + a.String() + "\n"
	}
	return text
}

// column is a column of the table of ranks.
type column struct {
	name string
	time func(*Stats) Time
}

// Columns returns the names of the columns of a table that divides the time of ranks, and the times
// of a rank: they add up to its time in the measured sections, or else in the run. A part that no
// rank used has a column only with unused. Without measured sections, what ranks compute before
// their first call, and after their last one, has columns of its own if it takes 1 % of a rank's
// time.
func (r Report) Columns(unused bool) (names []string, times func(*Stats) []Time) {
	var all []column
	add := func(name string, time func(*Stats) Time) { all = append(all, column{name, time}) }
	section := r.measured()
	before, after := r.outsides()
	if before {
		add("before", func(s *Stats) Time { return s.Before })
	}
	for part := range Parts {
		of := func(s *Stats) Time {
			switch {
			case section:
				return s.Measured[part]
			case part != PartCompute:
				return s.Parts[part].Time
			}
			time := s.Parts[part].Time
			if before {
				time -= s.Before
			}
			if after {
				time -= s.After
			}
			return time
		}
		if unused && !(section && part == PartEnd) || slices.ContainsFunc(r.Ranks, func(s Stats) bool { return of(&s) > 0 }) {
			add(part.String(), of)
		}
	}
	if after {
		add("after", func(s *Stats) Time { return s.After })
	}
	for _, c := range all {
		names = append(names, c.name)
	}
	return names, func(s *Stats) (times []Time) {
		for _, c := range all {
			times = append(times, c.time(s))
		}
		return times
	}
}

// table has a row per rank with its total time, the share of each column (Columns), and whom the
// rank has waited for.
func (r Report) table() string {
	names, times := r.Columns(false)
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(rank, total, waited string, cells []string) {
		fmt.Fprintf(w, "%s\t%s\t", rank, total)
		for _, cell := range cells {
			fmt.Fprintf(w, "%s\t", cell)
		}
		if waited != "" {
			fmt.Fprint(w, "  "+waited) // the last cell has no tab, so it is aligned to the left
		}
		fmt.Fprintln(w)
	}
	row("rank", "total", "waited most for", names)
	before := -1
	for _, i := range r.Rows() {
		if i > before+1 {
			row("...", "", "", make([]string, len(names)))
		}
		before = i
		s, total := &r.Ranks[i], Time(0)
		of := times(s)
		for _, t := range of {
			total += t
		}
		cells := make([]string, len(of))
		for c, t := range of {
			cells[c] = fmt.Sprintf("%.1f %%", 100*float64(t)/float64(max(1, total)))
		}
		row(fmt.Sprint(s.Rank), total.String(), r.WaitedFor(s.Rank, total), cells)
	}
	_ = w.Flush() // a strings.Builder takes everything
	return text.String()
}

// measured reports whether there are measured sections.
func (r Report) measured() bool {
	return slices.ContainsFunc(r.Ranks, func(s Stats) bool { return s.MeasuredTotal() > 0 })
}

// Rows returns the ranks that a table shows: all of few, or else the first, the slowest and the
// last. If there are measured sections, the slowest is of these.
func (r Report) Rows() (rows []int) {
	const most = 8
	section := r.measured()
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
