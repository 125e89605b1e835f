package rollcall

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Roll is the result of a roll-call: what all ranks do at one time.
type Roll struct {
	Mode  string  // name of the engine's mode
	Ranks []Entry // by rank
	// Ended is the reason why the run was ended from outside. It is empty if it was not.
	Ended string
}

// Entry says what one rank does.
type Entry struct {
	Call  string // the call that the rank is in, such as "Acquire"; empty if it computes
	Calls uint64 // number of calls that the rank has entered so far
	// Set is the set that the call requests, or that the rank holds. It may be empty.
	Set string
	// For is how long, at least, the rank has been in this state by the machine's clock.
	For time.Duration
	// Away means that the rank is in another process. Then the other fields are unknown.
	Away bool
	// Returned means that the program has returned. The rank serves the others until all have.
	Returned bool
	Failed   string       // the error that the program returned, if the run failed because of it
	Line     string       // source line of the program; empty if unknown
	Wait     syncvar.Wait // what the call waits for
	Owners   []Owner      // owners of the first few variables that the call requests
	// Done of Of is the rank's progress, as its program reports it. Of is 0 if it reports none.
	Done int64 `json:",omitempty"`
	Of   int64 `json:",omitempty"`
	Own  bool  `json:",omitempty"` // the program itself reports it, and not a loop for it
}

// Owner names the rank that has the newest version of a variable, as far as is known.
type Owner struct {
	Variable string
	Rank     int
}

// String returns a heading, a line for each group of ranks that do the same, a line that lists the
// ranks of Late, if there are any, and one with the progress of ranks that report some.
func (r Roll) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "roll-call of %d ranks in %s mode", len(r.Ranks), r.Mode)
	if r.Ended != "" {
		fmt.Fprintf(&b, ", as they were when the run was ended: %s", r.Ended)
	}
	b.WriteByte('\n')
	var order []string
	alike := make(map[string][]int)
	for rank, e := range r.Ranks {
		if e.Away {
			continue
		}
		e.For = 0
		does := e.String()
		if alike[does] == nil {
			order = append(order, does)
		}
		alike[does] = append(alike[does], rank)
	}
	for _, does := range order {
		ranks := alike[does]
		e := r.Ranks[ranks[0]]
		for _, rank := range ranks {
			e.For = min(e.For, r.Ranks[rank].For)
		}
		fmt.Fprintf(&b, "%s: %v\n", ranksText(ranks), e)
	}
	if r.Stuck() {
		b.WriteString("every rank waits: no rank can make the change for which others wait\n")
	}
	if late := r.Late(); len(late) > 0 {
		fmt.Fprintf(&b, "waited for, and in no call: %s\n", ranksText(late))
	}
	b.WriteString(r.progressLine())
	return b.String()
}

// Stuck reports whether every rank waits for others, at least one of them for a change: none can
// make it any more. It returns false if it is not known what a rank does.
func (r Roll) Stuck() bool {
	changes := false
	for _, e := range r.Ranks {
		meets := e.Returned || slices.Contains([]string{Update.String(), Barrier.String(), Reduce.String(), Fence.String(), End.String()}, e.Call)
		if e.Away || !meets && (e.Call == "" || !e.Wait.Change) {
			return false
		}
		changes = changes || e.Wait.Change
	}
	return changes
}

// Late returns the ranks that other ranks wait for and that are in no call themselves.
// What these ranks do outside calls holds up the others.
func (r Roll) Late() (late []int) {
	for _, e := range r.Ranks {
		if e.Call == "" || e.Away {
			continue
		}
		for _, of := range e.Wait.Ranks {
			if i := int(of); i < len(r.Ranks) && r.Ranks[i].Call == "" && !r.Ranks[i].Away {
				late = append(late, i)
			}
		}
	}
	slices.Sort(late)
	return slices.Compact(late)
}

// String returns a description of what the rank does.
func (e Entry) String() string {
	var b strings.Builder
	switch {
	case e.Returned:
		b.WriteString("has returned")
	case e.Call == "" && e.Calls == 0:
		b.WriteString("has made no call yet")
	case e.Call == "":
		b.WriteString("computes")
	default:
		b.WriteString("in " + e.Call)
		if e.Set != "" {
			b.WriteString(" of " + e.Set)
		}
	}
	if e.For > 0 {
		fmt.Fprintf(&b, " for %.1f s", e.For.Seconds())
	}
	if e.Line != "" {
		b.WriteString(" at " + e.Line)
	}
	if e.Call == "" {
		if e.Calls > 0 {
			fmt.Fprintf(&b, ", after call %d", e.Calls)
		}
		if e.Set != "" {
			b.WriteString(", holds " + e.Set)
		}
		if e.Failed != "" {
			b.WriteString(", with an error: " + e.Failed)
		}
		return b.String()
	}
	fmt.Fprintf(&b, " (call %d", e.Calls)
	if e.Wait.Phased {
		fmt.Fprintf(&b, ", phase %d", e.Wait.Phase)
	}
	fmt.Fprintf(&b, "): waits for %v", e.Wait)
	for i, o := range e.Owners {
		if i == 0 || o.Rank != e.Owners[i-1].Rank {
			fmt.Fprintf(&b, "; rank %d owns %q", o.Rank, o.Variable)
		} else {
			fmt.Fprintf(&b, ", %q", o.Variable)
		}
	}
	return b.String()
}

// ranksText formats an increasing list of ranks: "rank 3", "ranks 0, 2-63".
func ranksText(ranks []int) string {
	var words []string
	for i := 0; i < len(ranks); {
		end := i
		for end+1 < len(ranks) && ranks[end+1] == ranks[end]+1 {
			end++
		}
		if end > i+1 {
			words = append(words, fmt.Sprintf("%d-%d", ranks[i], ranks[end]))
			i = end + 1
		} else {
			words = append(words, fmt.Sprint(ranks[i]))
			i++
		}
	}
	if len(ranks) == 1 {
		return "rank " + words[0]
	}
	return "ranks " + strings.Join(words, ", ")
}
