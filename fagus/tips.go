package fagus

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Tip is advice about the division of the work among the ranks.
type Tip struct {
	Kind TipKind
	Rank int // for which others wait; -1 for Grain
	// After and Until are the lines of the calls between which the rank computes; Until of Grain is
	// the line of most of the calls. "" means the begin or the end of the program, or unknown.
	After, Until string
	Time         Time    // Rank computes there; of Grain the mean time of a call
	Others       Time    // the mean of the other ranks there; of Grain the mean time between calls
	Share        float64 // of the time that can be saved at most
	What, Mend   string
}

// TipKind is what a Tip is about.
type TipKind string

// The kinds of tips.
const (
	Imbalance TipKind = "imbalance" // a rank computes longer than the others
	Alone     TipKind = "alone"     // a rank computes while the others do nothing else than wait
	Grain     TipKind = "grain"     // calls take longer than what ranks compute between them
)

// String returns what is wrong, and what can be done.
func (t Tip) String() string { return t.What + ": " + t.Mend }

// What a Tip must be about, at least.
const (
	tipShare = SerialShare // of the time
	// uneven is how much longer than the others a rank computes in all. A rank that the system
	// holds up for a moment does, too, so on a real clock it computes at least tipTime longer.
	uneven  = 1.25
	tipTime = 20 * Millisecond
	// alone is the share of the time of one rank below which the others compute nothing.
	alone = 0.05
	// mostlyWait is the share of that time for which the others wait.
	mostlyWait = 0.8
	// The least number of calls of a rank that are too close to each other, the longest mean time
	// of such a call, and the most bytes that a rank sends in one.
	closeCalls = 100
	closeTime  = 2 * Millisecond
	closeBytes = 64 << 10
)

// tips looks for what can be gained in the measured sections of a run, or else in the whole run.
type tips struct {
	report *Report
	of     []rankWaits
	rank   int  // that computes longest
	others Time // the mean time that the others compute
	found  []Tip
}

// findTips returns the tips for a run with these results.
func findTips(r *Report, results []result) []Tip {
	if len(results) < 2 {
		return nil // nobody waits
	}
	t := tips{report: r}
	for i := range results {
		t.of = append(t.of, results[i].Waits)
	}
	t.longest()
	t.imbalance()
	if len(t.found) == 0 && len(r.Serial()) == 0 {
		t.grain()
	}
	return t.found
}

// longest finds the rank that computes longest.
func (t *tips) longest() {
	sum := Time(0)
	for i := range t.report.Ranks {
		s := &t.report.Ranks[i]
		sum += s.computing()
		if s.computing() > t.report.Ranks[t.rank].computing() {
			t.rank = i
		}
	}
	t.others = (sum - t.report.Ranks[t.rank].computing()) / Time(len(t.of)-1)
}

// imbalance looks for a rank that computes longer, and for which the others wait.
func (t *tips) imbalance() {
	s := &t.report.Ranks[t.rank]
	excess := s.computing() - t.others
	least := leastSerial
	if t.report.Clock == dimmnet.Wall {
		least = tipTime
	}
	if excess < least || float64(excess) < tipShare*float64(s.busy()) || float64(s.computing()) < uneven*float64(t.others) {
		return
	}
	if t.heldUp(t.rank) >= excess/2 || t.waited() < excess/2 {
		return
	}
	tip := Tip{Kind: Imbalance, Rank: s.Rank, Time: s.computing(), Others: t.others}
	one, others := t.place(excess, (*rankStretch).sameAs)
	if float64(others) < alone*float64(one.Time) {
		if t.waited() >= Time(mostlyWait*float64(one.Time)) {
			tip.Kind = Alone
		} else { // they compute elsewhere meanwhile
			one, others = t.place(excess, func(a, b *rankStretch) bool { return a.Until == b.Until && a.End == b.End })
		}
	}
	if one.Part == channelPart && t.report.Mode == Phase && len(t.report.Serial()) > 0 {
		return // ranks wait for each other in the phases of the channel, and the advice says so
	}
	where := ""
	if one.Time > 0 && (tip.Kind == Alone || float64(others) >= alone*float64(one.Time)) {
		tip.After, tip.Until, tip.Time, tip.Others = one.After, one.Until, one.Time, others
		where = t.where(one)
	}
	if float64(tip.Others) < alone*float64(tip.Time) && t.waited() >= Time(mostlyWait*float64(tip.Time)) {
		tip.Kind = Alone // in several places
	}
	tip.Share = float64(tip.Time-tip.Others) * float64(len(t.of)-1) / float64(len(t.of)) / float64(max(1, s.busy()))
	tip.Mend = mendUneven(one.Part)
	switch {
	case tip.Kind == Alone:
		tip.What = fmt.Sprintf("only rank %d computes%s, for %v, while the others wait for it", tip.Rank, where, tip.Time)
		tip.Mend = t.mendAlone(one)
	case tip.Others < tip.Time/1000:
		tip.What = fmt.Sprintf("rank %d computes%s for %v, the others not at all, and they wait for it", tip.Rank, where, tip.Time)
	default:
		tip.What = fmt.Sprintf("rank %d computes %.1f times as long as the others%s (%v, the others %v in the mean), and they wait for it",
			tip.Rank, float64(tip.Time)/float64(tip.Others), where, tip.Time, tip.Others)
	}
	t.found = append(t.found, tip)
}

// heldUp returns for how long the process of a rank has waited for a processor.
func (t *tips) heldUp(rank int) Time {
	for ; rank >= 0; rank-- {
		s := &t.report.Ranks[rank]
		if s.Usage.Ranks == 0 {
			continue // in the process of a rank before
		}
		if s.MeasuredUsage.Wanted > 0 {
			return s.MeasuredUsage.waited()
		}
		return s.Usage.waited()
	}
	return 0
}

// waited returns for how long the other ranks have waited in the mean for the rank that computes
// longest; where that is not known, how much longer than it they were in calls.
func (t *tips) waited() (sum Time) {
	s := &t.report.Ranks[t.rank]
	for _, l := range t.report.Late {
		if l.For == s.Rank {
			sum += l.Time
		}
	}
	for i := range t.report.Ranks {
		of := &t.report.Ranks[i]
		if i == t.rank {
			continue
		}
		if len(t.report.Late) == 0 {
			sum += max(0, of.busy()-of.computing()-(s.busy()-s.computing()))
		}
		if of.MeasuredTotal() == 0 { // who waits when its program has returned is not in Late
			sum += max(0, of.Parts[PartEnd].Time-s.Parts[PartEnd].Time)
		}
	}
	return sum / Time(len(t.of)-1)
}

// place returns where the rank that computes longest does so: the stretch between two calls that
// makes most of the excess, and the mean of the other ranks there; zeros if there is none.
func (t *tips) place(excess Time, same func(a, b *rankStretch) bool) (one rankStretch, others Time) {
	for _, own := range t.of[t.rank].Stretches {
		mean := Time(0)
		for i := range t.of {
			for _, of := range t.of[i].Stretches {
				if i != t.rank && same(&own, &of) {
					mean += of.Time
				}
			}
		}
		mean /= Time(len(t.of) - 1)
		if own.Time-mean > max(excess/2, one.Time-others) {
			one, others = own, mean
		}
	}
	return one, others
}

// measured reports whether the tips are about measured sections.
func (t *tips) measured() bool { return t.report.Ranks[t.rank].MeasuredTotal() > 0 }

// where says between which calls a stretch is.
func (t *tips) where(s rankStretch) string {
	switch {
	case s.End && s.After == "":
		return " up to its end"
	case s.End:
		return " after its last call at " + s.After
	case s.Until == "":
		return ""
	case s.First && s.Times == 1 && !t.measured():
		return " before its first call at " + s.Until
	case s.After == "" || s.After == s.Until:
		return " before the call at " + s.Until
	}
	return " between " + s.After + " and " + s.Until
}

// mendAlone returns what can be done about work of one rank alone.
func (t *tips) mendAlone(s rankStretch) string {
	ranks := fmt.Sprintf("divide this work among the %d ranks", len(t.of))
	switch {
	case s.Part == channelPart:
		return mendUneven(s.Part)
	case t.measured() || s.Times != 1:
		return ranks
	case s.End:
		return ranks + ", or, if it writes the output, let each rank write a part"
	case s.First:
		return ranks + ", or, if it reads the input, let each rank read a part"
	}
	return ranks + ", or, if it is input or output, let each rank read or write a part"
}

// channelPart is the name of parts.Channel.
const channelPart = "Channel"

// mendUneven returns what can be done about ranks that compute for different times, in terms of the
// part that the program uses.
func mendUneven(part string) string {
	switch part {
	case "Queue":
		return "give the parts.Queue smaller batches (NewQueue), divide its longest items, or hand them out first"
	case "Pool":
		return "let the longest tasks of the parts.Pool add smaller ones"
	case "Table", "AllToAll":
		return fmt.Sprintf("give it fewer of the data that it puts into the parts.%s", part)
	case channelPart:
		return "let more ranks do what this one does, as any number may send to a parts.Channel and receive from it, or give this one less to do for each value"
	case "Grid", "Pair", "Fields", "Blocks", "Whole":
		return fmt.Sprintf("its block of the parts.%s takes longer than the others: divide the work otherwise, or deal it out by a parts.Queue", part)
	}
	return "give it less to do, or deal the work out by a parts.Queue"
}

// grain looks for calls that follow each other too closely.
func (t *tips) grain() {
	var busy, computing, long, bytes, calls, heldUp Time
	most, times := rankStretch{}, uint64(0)
	for i := range t.of {
		s := &t.report.Ranks[i]
		busy, computing = busy+s.busy(), computing+s.computing()
		calls += Time(t.of[i].Calls)
		if s.Usage.Ranks > 0 {
			heldUp += t.heldUp(i)
		}
		bytes += Time(s.Messages().Bytes + s.Fetched)
		for _, stretch := range t.of[i].Stretches {
			if stretch.Times > 0 {
				long, times = long+stretch.Time, times+stretch.Times
			}
			if stretch.Calls > most.Calls && !stretch.End {
				most = stretch
			}
		}
	}
	if calls < closeCalls*Time(len(t.of)) {
		return
	}
	if s := &t.report.Ranks[t.rank]; s.computing() > s.busy()/2 { // the others wait for it
		return
	}
	each, between := (busy-computing)/calls, computing/calls
	if each < between || each > closeTime || bytes/calls > closeBytes || heldUp > (busy-computing)/2 {
		return
	}
	if times > 0 && long/Time(times) > each { // ranks compute by turns
		return
	}
	if float64(busy-computing) < tipShare*float64(busy) || (busy-computing)/Time(len(t.of)) < leastSerial {
		return
	}
	tip := Tip{Kind: Grain, Rank: -1, Until: most.Until, Time: each, Others: between, Share: float64(busy-computing) / float64(max(1, busy))}
	at := ""
	if most.Until != "" {
		at = ", many of them at " + most.Until
	}
	tip.What = fmt.Sprintf("%d calls of each rank take %v each, and ranks compute %v between two of them%s", calls/Time(len(t.of)), each, between, at)
	tip.Mend = mendGrain(most.Part)
	t.found = append(t.found, tip)
}

// mendGrain returns what can be done about calls that are too close to each other, in terms of the
// part that the program uses.
func mendGrain(part string) string {
	switch part {
	case "Queue":
		return "give the parts.Queue larger batches (NewQueue)"
	case "Pool":
		return "let each task of the parts.Pool do more work"
	case "Grid", "Pair", "Fields":
		return fmt.Sprintf("give ranks larger blocks of the parts.%s, or use fewer ranks", part)
	case channelPart:
		return "send several values at a time by the parts.Channel, in a slice"
	case "AllToAll":
		return "exchange more at a time by the parts.AllToAll (its capacity), or use fewer ranks"
	case "":
		return "do more work between two calls (larger blocks), or use fewer ranks"
	}
	return fmt.Sprintf("use parts.%s less often, for more data at a time, or use fewer ranks", part)
}
