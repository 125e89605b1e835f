package rollcall

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Roll is what all ranks do at one time.
type Roll struct {
	Mode  string  // of the engine
	Ranks []Entry // by rank
	// Ended is why the run was ended from outside, as they were doing that; empty: it
	// was not.
	Ended string
}

// Entry is what a rank does.
type Entry struct {
	Call     string        // that it is in, as in "Acquire"; empty: it computes
	Calls    uint64        // that it has entered so far
	Set      string        // what the call wants, or what it holds while it computes; may be empty
	For      time.Duration // for how long it has, at least, by the machine's clock
	Away     bool          // the rank is in another process: nothing is known of it
	Returned bool          // the program has: the rank serves others until all have
	Line     string        // of the program, where it is; may be empty
	Wait     syncvar.Wait  // of the call
	Owners   []Owner       // of the first few variables that the call wants
}

// Owner is the rank that is known to have the newest version of a variable.
type Owner struct {
	Variable string
	Rank     int
}

// String is a heading, a line for all ranks that do the same, and one that says who
// keeps others waiting.
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
	if late := r.Late(); len(late) > 0 {
		fmt.Fprintf(&b, "waited for, and in no call: %s\n", ranksText(late))
	}
	return b.String()
}

// Late lists the ranks that others wait for and that are in no call themselves: what
// they do there holds up the rest.
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

// String says what the rank does.
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

// ranksText names ranks, which are in order: "rank 3", "ranks 0, 2-63".
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
