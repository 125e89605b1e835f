package fagus

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Wait says how long a rank has waited for a variable that other ranks had been granted first.
type Wait struct {
	Rank     int    // the rank that waited
	Variable string // the variable's name
	Access   Access // the access that the rank wanted; Exclusive if it wanted both
	Time     Time   // how long it waited; in Threaded mode including the transfer of the data
	// Share is Time divided by the time of the rank's measured sections (Node.Measure), or else by
	// the time up to its program's return.
	Share  float64
	Times  uint64 // number of phases or requests that waited
	Line   string // where the rank acquires the variable; "" if unknown
	Holder int    // the rank for which it waited longest
	// HolderTime is the part of Time in which the rank waited for Holder.
	HolderTime Time
	HolderLine string // where Holder acquires the variable; "" if unknown

	id   syncvar.ID
	part string // the type of package parts that has acquired the variable; "" if the program has
}

// SerialShare is the least Wait.Share that Report.Serial reports.
const SerialShare = 0.2

const (
	// leastSerial is the least Wait.Time that Report.Serial reports.
	leastSerial = Millisecond
	// shortWait is a mean wait that threaded mode does not make shorter: it is what calls take. A
	// hand-over takes some 100 us in threaded mode, in memory and on DIMMnet-1.
	shortWait = 200 * Microsecond
)

// A Report has the longest waits of each rank.
const (
	mostWaits = 16 // for variables
	mostLate  = 4  // for the calls of other ranks
)

// String describes the wait: rank 2 waited 61 % of the time for exclusive "head", held by rank 0
// at main.go:41.
func (w Wait) String() string {
	held := "held"
	if w.HolderTime < w.Time {
		held = "held longest"
	}
	text := fmt.Sprintf("rank %d waited %.0f %% of the time for %v %q, %s by rank %d", w.Rank, 100*w.Share, w.Access, w.Variable, held, w.Holder)
	if w.HolderLine != "" {
		text += " at " + w.HolderLine
	}
	return text
}

// Late says for how long ranks have waited for a rank that was the last to make a collective call.
type Late struct {
	Rank int // the rank that waited
	For  int // the rank that was the last
	Time Time
}

// Serial is a variable on which a program is serialised. Its Wait belongs to the rank of whose time
// it took the largest share.
type Serial struct {
	Wait
	Ranks int    // number of ranks that waited for it for SerialShare of their time or more
	Mend  string // what can be done about it in the mode of the run
}

// mend returns what can be done about the waits w, which serialise a program.
func mend(m Mode, w Wait) string {
	switch mean := w.Time / Time(max(w.Times, 1)); {
	case w.part == channelPart && m == Phase && mean >= shortWait:
		return "each call of the parts.Channel is a phase of all ranks: send several values at a time, in a slice, or, if each is much work, use threaded mode"
	case w.part != "": // the program cannot reach the variables of package parts
		return mendGrain(w.part)
	case mean < shortWait:
		return fmt.Sprintf("each wait takes only %v: take the variable less often, for more work at a time", mean)
	case m == Phase:
		return "phases serialise this: share work out by parts.Queue or parts.Pool, or use threaded mode"
	}
	return "hold it for a shorter time, or divide its data among several variables"
}

// String describes the longest wait, how many ranks waited, and what can be done about it.
func (s Serial) String() string {
	text := s.Wait.String()
	switch s.Ranks {
	case 1:
	case 2:
		text += "; 1 more rank waited for it"
	default:
		text += fmt.Sprintf("; %d more ranks waited for it", s.Ranks-1)
	}
	return text + "; " + s.Mend
}

// Serial returns the variables on which the program is serialised: those for which a rank waited
// SerialShare of its time or more, and a millisecond or more. The largest share comes first.
func (r Report) Serial() (serial []Serial) {
	waits := slices.Clone(r.Waits)
	slices.SortStableFunc(waits, func(a, b Wait) int { return cmp.Compare(b.Share, a.Share) })
	for _, w := range waits {
		if w.Share < SerialShare {
			break
		}
		if w.Time < leastSerial {
			continue
		}
		if i := slices.IndexFunc(serial, func(s Serial) bool { return s.Variable == w.Variable }); i >= 0 {
			serial[i].Ranks++
		} else {
			serial = append(serial, Serial{w, 1, mend(r.Mode, w)})
		}
	}
	return serial
}

// rankWaits are the waits of one rank, in the form in which ranks exchange them.
type rankWaits struct {
	Waits     []rankWait
	Late      []Late
	Stretches []rankStretch
	Calls     uint64 // that may wait for others
}

// check returns an error if w, which another process has sent, cannot be the waits of a rank.
func (w *rankWaits) check() error {
	if len(w.Stretches) > mostStretch {
		return fmt.Errorf("%d stretches of computing: want at most %d", len(w.Stretches), mostStretch)
	}
	for _, s := range w.Stretches {
		if s.Time < 0 {
			return fmt.Errorf("%v of computing up to %q: want at least 0", s.Time, s.Until)
		}
	}
	return nil
}

type rankWait struct {
	ID         syncvar.ID
	Name       string
	Access     Access
	Time       Time
	Times      uint64
	Line       string
	Part       string
	Holder     dimmnet.Rank
	HolderTime Time
}

// result returns the longest waits. name returns the names of variables, and lines says where the
// rank acquires them.
func (w *waits) result(name func(syncvar.ID) string, lines *acquireLines) (r rankWaits) {
	for of, t := range w.calls {
		if t > 0 {
			r.Late = append(r.Late, Late{For: of, Time: t})
		}
	}
	sortLate(r.Late)
	r.Late = r.Late[:min(len(r.Late), mostLate)]
	for id, h := range w.held {
		most := h.longest()
		r.Waits = append(r.Waits, rankWait{ID: id, Access: h.access, Time: h.time, Times: h.times, Holder: most.rank, HolderTime: most.time})
	}
	slices.SortFunc(r.Waits, func(a, b rankWait) int { return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.ID, b.ID)) })
	r.Waits = r.Waits[:min(len(r.Waits), mostWaits)]
	for i := range r.Waits {
		one := &r.Waits[i]
		one.Name, one.Line, one.Part = name(one.ID), lines.line(one.ID), source.Part(lines.frames(one.ID))
	}
	r.Stretches, r.Calls = w.stretches.result(), w.stretches.calls
	return r
}

// sortLate sorts by time, the longest first.
func sortLate(late []Late) {
	slices.SortStableFunc(late, func(a, b Late) int { return cmp.Compare(b.Time, a.Time) })
}

// gatherWaits returns the waits of all ranks, with the lines of the holders, which only the
// holders know.
func gatherWaits(ctx context.Context, net dimmnet.Network, results []result) (all []Wait, late []Late, err error) {
	for r := range results {
		busy := results[r].Stats.busy()
		for _, w := range results[r].Waits.Waits {
			if int(w.Holder) >= len(results) {
				return nil, nil, fmt.Errorf("fagus: rank %d says that rank %d held %q, in a run of %d ranks", r, w.Holder, w.Name, len(results))
			}
			one := Wait{
				Rank: r, Variable: w.Name, Access: w.Access, Time: w.Time, Times: w.Times, Line: w.Line,
				Holder: int(w.Holder), HolderTime: w.HolderTime, id: w.ID, part: w.Part,
			}
			if busy > 0 {
				one.Share = float64(w.Time) / float64(busy)
			}
			all = append(all, one)
		}
		for _, l := range results[r].Waits.Late {
			late = append(late, Late{r, l.For, l.Time})
		}
	}
	slices.SortStableFunc(all, func(a, b Wait) int { return cmp.Compare(b.Time, a.Time) })
	sortLate(late)
	return all, late, holderLines(ctx, net, results, all)
}

// holderLines sets HolderLine of all waits. Ranks in different processes exchange the lines. All
// ranks have the same waits, so all take part or none.
func holderLines(ctx context.Context, net dimmnet.Network, results []result, all []Wait) error {
	j, apart := joined(net)
	if len(all) == 0 {
		return nil
	}
	lines := make([]map[syncvar.ID]string, len(results))
	for i := range all {
		of := all[i].Holder
		if results[of].line == nil { // in another process
			continue
		}
		if lines[of] == nil {
			lines[of] = make(map[syncvar.ID]string)
		}
		lines[of][all[i].id] = results[of].line(all[i].id)
	}
	if apart {
		own, _ := j.Job()
		text, err := json.Marshal(lines[own])
		if err != nil {
			return fmt.Errorf("fagus: encoding source lines: %w", err)
		}
		texts, err := gatherBytes(ctx, j, text)
		if err != nil {
			return fmt.Errorf("fagus: gathering source lines: %w", err)
		}
		for r, text := range texts {
			if err := json.Unmarshal(text, &lines[r]); err != nil {
				return fmt.Errorf("fagus: decoding the source lines of rank %d: %w", r, err)
			}
		}
	}
	for i := range all {
		all[i].HolderLine = lines[all[i].Holder][all[i].id]
	}
	return nil
}
