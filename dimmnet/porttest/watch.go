package porttest

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Watched is a port that checks what dimmnet.Stepper demands of the Steps of
// dimmnet.Drive.
type Watched struct {
	filter
	Compared int // passes so far that were compared with the one before
	fail     func(what string)
	since    dimmnet.Mark
	this     step
	before   *step // nil if something has changed or arrived since it began
}

// step is what happened since a mark was taken.
type step struct {
	looks   []look
	changes int
	idled   bool
}

// look is a Load, or a Read of n bytes.
type look struct {
	off dimmnet.Offset
	n   int
}

// Watch returns p with an eye on each pass, which begins with Arrivals and is
// without progress if it ends with Idle. It calls fail when such a pass has posted
// something, used Fill or Flip, or called Changed; when it has read other words
// than the one before, and nothing has arrived; and when of two passes with
// progress neither did anything, nor read other words. Passes are only compared
// where many follow each other: see Restless, and Spin of package sim.
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

// Changed tells of a change that the port cannot see.
func (w *Watched) Changed() { w.this.changes++ }

// Fill is a change.
func (w *Watched) Fill(off dimmnet.Offset, b []byte) {
	w.Changed()
	w.Port.Fill(off, b)
}

// Flip is a change.
func (w *Watched) Flip() {
	w.Changed()
	w.Port.Flip()
}

// Load is a look.
func (w *Watched) Load(off dimmnet.Offset) uint64 {
	w.this.looks = append(w.this.looks, look{off, dimmnet.WordBytes})
	return w.Port.Load(off)
}

// Read is a look.
func (w *Watched) Read(b []byte, off dimmnet.Offset) {
	w.this.looks = append(w.this.looks, look{off, len(b)})
	w.Port.Read(b, off)
}

// Arrivals begins a pass.
func (w *Watched) Arrivals() dimmnet.Mark {
	mark := w.Port.Arrivals()
	done, before := w.this, w.before
	w.this, w.before = step{}, nil
	if mark == w.since && done.changes == 0 {
		w.before = &done
		if before != nil && !before.idled && !done.idled && slices.Equal(before.looks, done.looks) {
			w.fail(fmt.Sprintf("two steps with progress read %v and did nothing", done.looks))
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
	// What arrived during the pass may have changed where it went.
	if w.before != nil && w.before.idled && w.Port.Arrivals() == since {
		w.Compared++
		if !slices.Equal(w.before.looks, w.this.looks) {
			w.fail(fmt.Sprintf("one step read %v, the next %v", w.before.looks, w.this.looks))
		}
	}
	w.this.idled = true
	w.Port.Idle(since)
}
