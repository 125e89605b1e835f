package network

import (
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// link schedules the packets on the link from a NIC. A packet takes the link when it is ready.
// A packet may be posted earlier but be ready later (behind an HTLB miss, or while its window
// is filled): until then, other packets use the link.
type link struct {
	busy []interval // reserved intervals that are not over, in order; they do not touch
}

type interval struct{ from, to dimmnet.Time }

// reserve reserves the link for d, at ready or as soon after as it is free for that long. now is
// the present: no later call asks for an earlier time.
func (l *link) reserve(now, ready, d dimmnet.Time) (start dimmnet.Time) {
	over := 0
	for over < len(l.busy) && l.busy[over].to <= now {
		over++
	}
	if over > 0 {
		l.busy = l.busy[:copy(l.busy, l.busy[over:])]
	}
	start = ready
	for i, b := range l.busy {
		if start+d <= b.from {
			l.insert(i, interval{start, start + d})
			return start
		}
		start = max(start, b.to)
	}
	l.insert(len(l.busy), interval{start, start + d})
	return start
}

// insert inserts an interval at index i and merges it with the intervals that touch it.
func (l *link) insert(i int, x interval) {
	if i < len(l.busy) && l.busy[i].from == x.to {
		l.busy[i].from = x.from
		if i > 0 && l.busy[i-1].to == x.from {
			l.busy[i-1].to = l.busy[i].to
			l.busy = slices.Delete(l.busy, i, i+1)
		}
		return
	}
	if i > 0 && l.busy[i-1].to == x.from {
		l.busy[i-1].to = x.to
		return
	}
	if i == len(l.busy) {
		l.busy = append(l.busy, x)
		return
	}
	l.busy = slices.Insert(l.busy, i, x)
}
