package fagus

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// A process that wants at least leastWanted of processor time, and gets less than enough of it, is
// on a busy host. One whose ranks compute for at least leastWanted by the clock, and which gets
// less than enough of that time, does not compute all of it.
const (
	leastWanted = 10 * Millisecond
	enough      = 2.0 / 3
)

// process is what a report says of one process.
type process struct {
	Usage
	first     int  // rank
	total     Time // of all its ranks together, by the clock
	computing Time // of that
	longest   Time // of one of its ranks
}

// processes returns the processes that run ranks, in the measured sections or in the whole run.
// There are none if the system has counted nothing.
func (r Report) processes(section bool) (all []process) {
	for i := range r.Ranks {
		s := &r.Ranks[i]
		u, total, computing := s.Usage, s.Total(), s.Parts[PartCompute].Time
		if section {
			u, total, computing = s.MeasuredUsage, s.MeasuredTotal(), s.Measured[PartCompute]
		}
		if u.Ranks > 0 {
			all = append(all, process{Usage: u, first: i})
		}
		if last := len(all) - 1; last >= 0 && i < all[last].first+all[last].Ranks {
			p := &all[last]
			p.total, p.computing, p.longest = p.total+total, p.computing+computing, max(p.longest, total)
		}
	}
	return all
}

// String names the ranks of the process.
func (p *process) String() string {
	if p.Ranks == 1 {
		return fmt.Sprintf("rank %d", p.first)
	}
	if p.Ranks == 2 {
		return fmt.Sprintf("ranks %d and %d", p.first, p.first+1)
	}
	return fmt.Sprintf("ranks %d to %d", p.first, p.first+p.Ranks-1)
}

// asleep returns for how long ranks have at least been asleep: they had no processor, and no thread
// of the process waited for one.
func (p *process) asleep() Time { return max(0, p.total-max(p.Got, p.Wanted)) }

// processTable has a row per process, of many processes those whose ranks have rows in the table of
// ranks. It returns "" if the system has counted nothing.
func (r Report) processTable() string {
	all := r.processes(r.measured())
	if all == nil {
		return ""
	}
	shown := make(map[int]bool)
	for _, i := range r.Rows() {
		shown[i] = true
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "process\tprocessor\tof its time\twaited for one\tasleep\tswitches\tforced\tpage faults\tfrom disk\tpeak memory\t")
	before := -1
	for i := range all {
		p := &all[i]
		if !shown[p.first] {
			continue
		}
		if i > before+1 {
			fmt.Fprintln(w, "...\t\t\t\t\t\t\t\t\t\t")
		}
		before = i
		waited, asleep := "unknown", "unknown"
		if p.Wanted > 0 {
			waited, asleep = p.waited().String(), p.asleep().String()
		}
		fmt.Fprintf(w, "%v\t%v\t%.1f %%\t%s\t%s\t%d\t%d\t%d\t%d\t%.1f MiB\t\n", p, p.Got, 100*float64(p.Got)/float64(max(1, p.total)),
			waited, asleep, p.Voluntary+p.Involuntary, p.Involuntary, p.Faults+p.DiskFaults, p.DiskFaults, float64(p.Peak)/(1<<20))
	}
	_ = w.Flush() // a strings.Builder takes everything
	return text.String()
}

// idle returns a line about processes that have computed much longer by the clock than they had a
// processor; "" if there are none.
func (r Report) idle() string {
	all := r.processes(r.measured())
	worst, others := worstProcess(all, func(p *process) float64 {
		if p.computing < leastWanted {
			return 1
		}
		return float64(p.Got) / float64(p.computing)
	})
	if worst < 0 {
		return ""
	}
	p := &all[worst]
	return fmt.Sprintf("note: %v computed for %v by the clock, but the process got %v of processor time: %s%s\n", p, p.computing, p.Got, p.why(), others)
}

// worstProcess returns the process with the least share, if that is not enough, or else -1; and
// text that says how many others have not got enough.
func worstProcess(all []process, share func(*process) float64) (worst int, others string) {
	worst = -1
	few := 0
	for i := range all {
		of := share(&all[i])
		if of >= enough {
			continue
		}
		if few++; worst < 0 || of < share(&all[worst]) {
			worst = i
		}
	}
	if few > 1 {
		others = fmt.Sprintf("; %d processes got less than two thirds", few)
	}
	return worst, others
}

// why says what the process did while its ranks computed by the clock, and it had no processor.
func (p *process) why() string {
	missing := p.computing - p.Got
	switch {
	case p.waited() >= missing/2 && p.asleep() < missing/2:
		return fmt.Sprintf("its threads waited %v for a processor, which others had", p.waited())
	case p.Ranks > p.Processors && p.Processors > 0 && float64(p.Got) > enough*float64(p.Processors)*float64(p.longest):
		return fmt.Sprintf("its %d ranks share %s", p.Ranks, count(p.Processors, "processor"))
	case p.DiskFaults > 0 && missing/Time(p.DiskFaults) < 20*Millisecond:
		return fmt.Sprintf("%s had to be read from disk: it has too little memory, or maps files", count(p.DiskFaults, "page"))
	case p.Wanted == 0:
		return "it slept, read or wrote files, or the host was busy"
	}
	return fmt.Sprintf("it slept, or read or wrote files, or waited for other programs (asleep for %v, also in calls)", p.asleep())
}

// busy returns a line about the processes that have got much less processor time than they wanted;
// "" if there are none.
func (r Report) busy() string {
	all := r.processes(false)
	worst, others := worstProcess(all, func(p *process) float64 {
		if p.Wanted < leastWanted {
			return 1
		}
		return float64(p.Got) / float64(p.Wanted)
	})
	if worst < 0 {
		return ""
	}
	p := &all[worst]
	return fmt.Sprintf("note: the host was busy: the process of %v got %.0f %% of the processor time that it wanted (%v of %v; it may use %s at a time)%s\n",
		p, 100*float64(p.Got)/float64(p.Wanted), p.Got, p.Wanted, count(p.Processors, "processor"), others)
}

// Remarks returns lines about the whole run: what the processes of the ranks have used, and whether
// they had too little; when ranks made their first and last calls; the variables on which the
// program is serialised (Serial), and Tips.
func (r Report) Remarks() string {
	text := r.processTable() + r.outside() + r.idle()
	if r.Clock == dimmnet.Wall {
		text += r.busy()
	}
	for _, s := range r.Serial() {
		text += "advice: " + s.String() + "\n"
	}
	for _, t := range r.Tips {
		text += "advice: " + t.String() + "\n"
	}
	return text
}

// leastOutside is the least share of a rank's time that the table of ranks shows as before its
// first call or after its last one.
const leastOutside = 0.01

// outsides reports whether the times before first calls, and after last ones, are worth showing.
// They are known of runs without measured sections only.
func (r Report) outsides() (before, after bool) {
	if r.measured() {
		return false, false
	}
	for i := range r.Ranks {
		s := &r.Ranks[i]
		before = before || float64(s.Before) >= leastOutside*float64(max(1, s.Total()))
		after = after || float64(s.After) >= leastOutside*float64(max(1, s.Total()))
	}
	return before, after
}

// outside returns a line about the times before the first calls and after the last ones.
func (r Report) outside() string {
	var parts []string
	before, after := r.outsides()
	var longest Stats
	for i := range r.Ranks {
		longest.Before, longest.After = max(longest.Before, r.Ranks[i].Before), max(longest.After, r.Ranks[i].After)
	}
	if before {
		parts = append(parts, fmt.Sprintf("before the first call: %v on the slowest rank (input?)", longest.Before))
	}
	if after {
		parts = append(parts, fmt.Sprintf("after the last call: %v on the slowest rank (output?)", longest.After))
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + "\n"
}
