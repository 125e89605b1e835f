package collective

import "github.com/fagus-dsm/fagus/dimmnet"

// inbox is where the values of one peer land.
type inbox struct {
	from  dimmnet.Rank
	at    [formats]dimmnet.Offset
	value uint64
	taken bool // the value of this call
	// clear says of a format whose values stand alone that the slot after the
	// present one is known to be empty.
	clear [formats]bool
}

// reduction is a rank's part in the reductions of its group. It handles values
// as bits.
type reduction struct {
	g       *Group
	walk    walk
	format  format
	counts  [formats]uint64 // calls of each format, this one included
	count   uint64          // of this call
	combine func(a, b uint64) uint64
	value   uint64 // of this rank, then of those below as well, then of all
	level   int    // that is gathered
	below   [][]inbox
	above   inbox            // of the parent, if there is one
	used    []dimmnet.Offset // slots whose values were taken, to be emptied
	out     outbox
}

func (r *reduction) init(g *Group) {
	r.g = g
	r.out = outbox{port: g.port, tree: &g.tree}
	for level, children := range g.tree.below {
		boxes := make([]inbox, len(children))
		for i, child := range children {
			boxes[i] = g.inbox(child, level, i+1)
		}
		r.below = append(r.below, boxes)
	}
	home, root := len(r.below) > 0, g.tree.above == nil
	if home {
		r.walk.stages = append(r.walk.stages, r.gather)
	}
	if !root {
		r.above = g.inbox(g.tree.above[0], g.tree.level, 0)
		r.walk.stages = append(r.walk.stages, r.admit, g.turn, r.report, r.tidy, r.await)
	}
	if home {
		r.walk.stages = append(r.walk.stages, r.admitBelow, g.turn, r.release)
	}
	if root { // the others tidy while they wait
		r.walk.stages = append(r.walk.stages, r.tidy)
	}
	r.walk.at = len(r.walk.stages)
}

// inbox is that of member digit of a group on level, at the start of a run.
func (g *Group) inbox(from dimmnet.Rank, level, digit int) inbox {
	in := inbox{from: from}
	for f := range formats {
		in.clear[f] = true
		in.at[f] = g.area.place(f, level, digit)
	}
	return in
}

// run reduces the value of this rank with those of all others.
func (r *reduction) run(f format, value uint64, combine func(a, b uint64) uint64) (uint64, error) {
	r.counts[f]++
	r.format, r.count, r.value, r.combine = f, r.counts[f], value, combine
	r.level = 0
	r.above.taken = false
	for _, boxes := range r.below {
		for i := range boxes {
			boxes[i].taken = false
			boxes[i].clear[f] = false
		}
	}
	err := r.g.run(&r.walk, "reduction", r.counts[flagged]+r.counts[halved]+r.counts[bare])
	return r.value, err
}

// gather takes the values of the children, level by level. On a level they are
// taken as they come, and combined when all are here.
func (r *reduction) gather() (done, moved bool, err error) {
	for ; r.level < len(r.below); r.level++ {
		boxes, missing := r.below[r.level], false
		for i := range boxes {
			took, err := r.look(&boxes[i])
			if err != nil {
				return false, moved, err
			}
			moved = moved || took
			missing = missing || !boxes[i].taken
		}
		if missing {
			return false, moved, nil
		}
		for i := range boxes {
			r.value = r.combine(r.value, boxes[i].value)
		}
		moved = true
	}
	return true, moved, nil
}

// look takes the value of in if it has come. Else there is time to see whether
// its next slot is empty.
func (r *reduction) look(in *inbox) (moved bool, err error) {
	if in.taken {
		return false, nil
	}
	at := in.at[r.format]
	value, come, err := r.format.poll(r.g.port, in.from, at, r.count)
	if err != nil {
		return false, err
	}
	if !come {
		return r.format.alone() && r.inspect(in, r.count+1), nil
	}
	in.value, in.taken = value, true
	if r.format.alone() {
		r.used = append(r.used, slot(at, r.count))
	}
	return true, nil
}

// inspect looks whether in's slot for the call count is empty, unless that is
// known, and says whether it has become known.
func (r *reduction) inspect(in *inbox, count uint64) (moved bool) {
	clear := &in.clear[r.format]
	if *clear {
		return false
	}
	*clear = r.g.port.Load(slot(in.at[r.format], count)) == 0
	return *clear
}

// admit holds the own value back until the slot for the result is empty: the
// parent may answer at once.
func (r *reduction) admit() (done, moved bool, err error) {
	if !r.format.alone() {
		return true, false, nil
	}
	moved = r.inspect(&r.above, r.count)
	if !r.above.clear[r.format] {
		return false, moved, nil
	}
	r.above.clear[r.format] = false // from now on it tells of the next slot
	return true, true, nil
}

// admitBelow holds the result back until the children's next slots are empty:
// they may begin the next call at once.
func (r *reduction) admitBelow() (done, moved bool, err error) {
	if !r.format.alone() {
		return true, false, nil
	}
	done = true
	for _, boxes := range r.below {
		for i := range boxes {
			if r.inspect(&boxes[i], r.count+1) {
				moved = true
			}
			done = done && boxes[i].clear[r.format]
		}
	}
	return done, moved, nil
}

// report sends what is combined so far to the parent.
func (r *reduction) report() (done, moved bool, err error) {
	r.write(r.g.tree.digit)
	return r.out.toParent()
}

// tidy empties the slots whose values were taken.
func (r *reduction) tidy() (done, moved bool, err error) {
	for ; len(r.used) > 0; r.used = r.used[:len(r.used)-1] {
		if !r.g.port.Store(r.g.port.Rank(), r.used[len(r.used)-1], 0, dimmnet.WordBytes) {
			return false, moved, nil
		}
		moved = true
	}
	return true, moved, nil
}

// await takes the result from the parent. Its slot is emptied in the next call,
// when the own value has been sent: nobody waits for that.
func (r *reduction) await() (done, moved bool, err error) {
	moved, err = r.look(&r.above)
	if r.above.taken {
		r.value = r.above.value
	}
	return r.above.taken, moved, err
}

// release sends the result to the children.
func (r *reduction) release() (done, moved bool, err error) {
	r.write(0)
	return r.out.toChildren()
}

// write makes the value the message of member digit.
func (r *reduction) write(digit int) {
	r.out.posts = r.format.pack(r.out.posts[:0], r.g.area.place(r.format, 0, digit), r.value, r.count)
}
