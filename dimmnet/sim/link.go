package sim

import (
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// link is the way out of a NIC. A packet takes it when it is ready: one that was
// posted before but is ready later, behind a miss of the HTLB or a window that is
// being filled, leaves the time before to others.
type link struct {
	busy []interval // that are not over; in order, and apart
}

type interval struct{ from, to dimmnet.Time }

// take takes the link for d, from ready on or as soon as it is free for so long.
// now is the present: nobody will ask for a time before.
func (l *link) take(now, ready, d dimmnet.Time) (start dimmnet.Time) {
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

// insert puts an interval at position i, as one with those that it touches.
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
