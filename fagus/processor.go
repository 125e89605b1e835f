package fagus

import "fmt"

// ProcessorTime is the processor time that the threads of a process have got, and what they wanted:
// with the time for which they were ready to run and other threads had the processors.
type ProcessorTime struct{ Got, Wanted Time }

// since returns what has been added to p since before. A thread that has ended took its account
// with it, so there may be less.
func (p ProcessorTime) since(before ProcessorTime) ProcessorTime {
	got := max(0, p.Got-before.Got)
	return ProcessorTime{Got: got, Wanted: max(got, p.Wanted-before.Wanted)}
}

// A rank that wants at least leastWanted of processor time, and gets less than enough of it, is on
// a busy host.
const (
	leastWanted = 10 * Millisecond
	enough      = 2.0 / 3
)

// busy returns a line about the ranks that have got much less processor time than they wanted; ""
// if there are none.
func (r Report) busy() string {
	worst, ranks := -1, 0
	share := func(i int) float64 {
		p := r.Ranks[i].Processor
		return float64(p.Got) / float64(max(1, p.Wanted))
	}
	for i := range r.Ranks {
		if r.Ranks[i].Processor.Wanted < leastWanted || share(i) >= enough {
			continue
		}
		if ranks++; worst < 0 || share(i) < share(worst) {
			worst = i
		}
	}
	if ranks == 0 {
		return ""
	}
	p := r.Ranks[worst].Processor
	more := ""
	if ranks > 1 {
		more = fmt.Sprintf("; %d processes got less than two thirds", ranks)
	}
	return fmt.Sprintf("note: the host was busy: the process of rank %d got %.0f %% of the processor time that it wanted (%v of %v)%s\n", r.Ranks[worst].Rank, 100*share(worst), p.Got, p.Wanted, more)
}
