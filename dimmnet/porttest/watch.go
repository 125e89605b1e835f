package porttest

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Watched is a port that checks the Steps of dimmnet.Drive by the rules of dimmnet.Stepper.
type Watched struct {
	filter
	Compared int // number of passes that were compared with the pass before
	fail     func(what string)
	since    dimmnet.Mark
	this     step
	before   *step // the pass before; nil if something has changed or arrived since it began
}

// step records the work of a pass since its mark was taken.
type step struct {
	accesses []access
	changes  int
	idled    bool
}

// access is a Load, or a Read of n bytes.
type access struct {
	off dimmnet.Offset
	n   int
}

// Watch returns p with a check of each pass. A pass begins with Arrivals; a pass without progress
// ends with Idle. Watch calls fail in three cases: a pass without progress has posted, used Fill
// or Flip, or called Changed; such a pass has read other words than the pass before, without
// arrivals between; two passes in a row reported progress, but did nothing and read the same
// words. Passes can be compared only if many follow each other without skipping: see Restless, and
// Config.Spin of package sim.
func Watch(p dimmnet.Port, fail func(what string)) *Watched {
	w := &Watched{fail: fail}
	w.filter = filter{p, func(c posting) bool {
		posted := c.do()
		if posted {
			w.Changed()
		}
		return posted
	}}
	return w
}

// Changed reports a change that the port cannot see.
func (w *Watched) Changed() { w.this.changes++ }

// Fill counts as a change.
func (w *Watched) Fill(off dimmnet.Offset, b []byte) {
	w.Changed()
	w.Port.Fill(off, b)
}

// Flip counts as a change.
func (w *Watched) Flip() {
	w.Changed()
	w.Port.Flip()
}

// Load records an access.
func (w *Watched) Load(off dimmnet.Offset) uint64 {
	w.this.accesses = append(w.this.accesses, access{off, dimmnet.WordBytes})
	return w.Port.Load(off)
}

// Read records an access.
func (w *Watched) Read(b []byte, off dimmnet.Offset) {
	w.this.accesses = append(w.this.accesses, access{off, len(b)})
	w.Port.Read(b, off)
}

// Arrivals begins a pass.
func (w *Watched) Arrivals() dimmnet.Mark {
	mark := w.Port.Arrivals()
	done, before := w.this, w.before
	w.this, w.before = step{}, nil
	if mark == w.since && done.changes == 0 {
		w.before = &done
		if before != nil && !before.idled && !done.idled && slices.Equal(before.accesses, done.accesses) {
			w.fail(fmt.Sprintf("two steps with progress read %v and did nothing", done.accesses))
		}
	}
	w.since = mark
	return mark
}

// Idle ends a pass without progress.
func (w *Watched) Idle(since dimmnet.Mark) {
	if n := w.this.changes; n > 0 {
		w.fail(fmt.Sprintf("a step without progress changed %d things", n))
	}
	// An arrival during the pass may have changed what it read.
	if w.before != nil && w.before.idled && w.Port.Arrivals() == since {
		w.Compared++
		if !slices.Equal(w.before.accesses, w.this.accesses) {
			w.fail(fmt.Sprintf("one step read %v, the next %v", w.before.accesses, w.this.accesses))
		}
	}
	w.this.idled = true
	w.Port.Idle(since)
}
