package collective

import "github.com/fagus-dsm/fagus/dimmnet"

type inbox struct {
	from    dimmnet.Rank
	at      [formats]dimmnet.Offset
	value   uint64
	arrived bool // value belongs to this call
	// clear: per format without a count, whether the slot for the next call is known to be empty
	clear [formats]bool
}

// reduction is a rank's part in the reductions of its group. It handles values as bits.
type reduction struct {
	g       *Group
	walk    walk
	format  format
	counts  [formats]uint64 // calls of each format, including this one
	count   uint64          // number of this call among the calls of its format
	combine func(a, b uint64) uint64
	value   uint64 // combined value: of this rank, then with the ranks below, finally of all ranks
	level   int    // level being gathered
	below   [][]inbox
	above   inbox            // values from the parent; unused at rank 0
	used    []dimmnet.Offset // slots that this rank must empty
	out     outbox
}

func (r *reduction) init(g *Group) {
	r.g = g
	r.out = outbox{port: g.port, tree: &g.tree}
	for level, children := range g.tree.below {
		inboxes := make([]inbox, len(children))
		for i, child := range children {
			inboxes[i] = g.inbox(child, level, i+1)
		}
		r.below = append(r.below, inboxes)
	}
	parent, root := len(r.below) > 0, g.tree.above == nil
	if parent {
		r.walk.stages = append(r.walk.stages, r.gather)
	}
	if !root {
		r.above = g.inbox(g.tree.above[0], g.tree.level, 0)
		r.walk.stages = append(r.walk.stages, r.awaitSlot, g.turn, r.report, r.clearSlots, r.await)
	}
	if parent {
		r.walk.stages = append(r.walk.stages, r.awaitSlotsBelow, g.turn, r.release)
	}
	if root { // rank 0 does not wait for a parent; the other ranks clear slots meanwhile
		r.walk.stages = append(r.walk.stages, r.clearSlots)
	}
	r.walk.at = len(r.walk.stages)
}

// inbox returns the inbox for member digit of a group on level, at the start of a run.
func (g *Group) inbox(from dimmnet.Rank, level, digit int) inbox {
	in := inbox{from: from}
	for f := range formats {
		in.clear[f] = true
		in.at[f] = g.area.entry(f, level, digit)
	}
	return in
}

func (r *reduction) run(f format, value uint64, combine func(a, b uint64) uint64) (uint64, error) {
	r.counts[f]++
	r.format, r.count, r.value, r.combine = f, r.counts[f], value, combine
	r.level = 0
	r.above.arrived = false
	for _, inboxes := range r.below {
		for i := range inboxes {
			inboxes[i].arrived = false
			inboxes[i].clear[f] = false
		}
	}
	err := r.g.run(&r.walk, "reduction", r.counts[flagged]+r.counts[halved]+r.counts[bare])
	return r.value, err
}

// gather receives the children's values, and combines the values of a level when all have arrived.
func (r *reduction) gather() (done, moved bool, err error) {
	for ; r.level < len(r.below); r.level++ {
		inboxes, missing := r.below[r.level], false
		for i := range inboxes {
			took, err := r.receive(&inboxes[i])
			if err != nil {
				return false, moved, err
			}
			moved = moved || took
			missing = missing || !inboxes[i].arrived
		}
		if missing {
			return false, moved, nil
		}
		for i := range inboxes {
			r.value = r.combine(r.value, inboxes[i].value)
		}
		moved = true
	}
	return true, moved, nil
}

// receive receives in's value if it has arrived; if not, it checks whether in's next slot is
// empty.
func (r *reduction) receive(in *inbox) (moved bool, err error) {
	if in.arrived {
		return false, nil
	}
	at := in.at[r.format]
	value, come, err := r.format.poll(r.g.port, in.from, at, r.count)
	if err != nil {
		return false, err
	}
	if !come {
		return r.format.alone() && r.checkEmpty(in, r.count+1), nil
	}
	in.value, in.arrived = value, true
	if r.format.alone() {
		r.used = append(r.used, slot(at, r.count))
	}
	return true, nil
}

// checkEmpty reports whether in's slot for the call count is newly known to be empty.
func (r *reduction) checkEmpty(in *inbox, count uint64) (moved bool) {
	clear := &in.clear[r.format]
	if *clear {
		return false
	}
	*clear = r.g.port.Load(slot(in.at[r.format], count)) == 0
	return *clear
}

// awaitSlot waits for an empty slot for the result, because the parent may answer at once.
func (r *reduction) awaitSlot() (done, moved bool, err error) {
	if !r.format.alone() {
		return true, false, nil
	}
	moved = r.checkEmpty(&r.above, r.count)
	if !r.above.clear[r.format] {
		return false, moved, nil
	}
	r.above.clear[r.format] = false // from now on, clear describes the next slot
	return true, true, nil
}

// awaitSlotsBelow waits for the children's next slots: they may begin the next call at once.
func (r *reduction) awaitSlotsBelow() (done, moved bool, err error) {
	if !r.format.alone() {
		return true, false, nil
	}
	done = true
	for _, inboxes := range r.below {
		for i := range inboxes {
			if r.checkEmpty(&inboxes[i], r.count+1) {
				moved = true
			}
			done = done && inboxes[i].clear[r.format]
		}
	}
	return done, moved, nil
}

func (r *reduction) report() (done, moved bool, err error) {
	r.write(r.g.tree.digit)
	return r.out.toParent()
}

func (r *reduction) clearSlots() (done, moved bool, err error) {
	for ; len(r.used) > 0; r.used = r.used[:len(r.used)-1] {
		if !r.g.port.Store(r.g.port.Rank(), r.used[len(r.used)-1], 0, dimmnet.WordBytes) {
			return false, moved, nil
		}
		moved = true
	}
	return true, moved, nil
}

// await receives the result from the parent. Its slot is emptied in the next call, after this rank
// has sent its value: no rank waits for the slot earlier.
func (r *reduction) await() (done, moved bool, err error) {
	moved, err = r.receive(&r.above)
	if r.above.arrived {
		r.value = r.above.value
	}
	return r.above.arrived, moved, err
}

func (r *reduction) release() (done, moved bool, err error) {
	r.write(0)
	return r.out.toChildren()
}

func (r *reduction) write(digit int) {
	r.out.posts = r.format.pack(r.out.posts[:0], r.g.area.entry(r.format, 0, digit), r.value, r.count)
}
