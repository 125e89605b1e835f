package collective

import "github.com/fagus-dsm/fagus/dimmnet"

type barrier struct {
	g     *Group
	walk  walk
	count uint64 // number of this barrier, from 1; the low byte is sent
	level int    // level being gathered
	out   outbox
	flag  [1]byte
}

func (b *barrier) init(g *Group) {
	b.g = g
	b.out = outbox{port: g.port, tree: &g.tree, posts: make([]post, 1)}
	parent := len(g.tree.below) > 0
	if parent {
		b.walk.stages = append(b.walk.stages, b.gather)
	}
	if g.tree.above != nil {
		b.walk.stages = append(b.walk.stages, g.turn, b.report, b.await)
	}
	if parent {
		b.walk.stages = append(b.walk.stages, g.turn, b.release)
	}
	b.walk.at = len(b.walk.stages)
}

// Barrier returns when all ranks of the group have called it. It does not order other posts: a
// post of one rank to another before the barrier may land after it.
func (g *Group) Barrier() error {
	b := &g.barrier
	b.count++
	b.level = 0
	return g.run(&b.walk, "barrier", b.count)
}

// gather polls the words level by level until all children of this rank have entered.
func (b *barrier) gather() (done, moved bool, err error) {
	t := &b.g.tree
	for ; b.level < len(t.below); b.level++ {
		word := b.g.port.Load(b.g.area.counts(b.level))
		for i, child := range t.below[b.level] {
			here, err := checkCount(child, byte(word>>(8*(i+1))), byte(b.count))
			if err != nil || !here {
				return false, moved, err
			}
		}
		moved = true
	}
	return true, moved, nil
}

// report reports to the parent that this rank and all ranks below it have entered.
func (b *barrier) report() (done, moved bool, err error) {
	b.write(b.g.tree.digit)
	return b.out.toParent()
}

// await polls the byte that the parent writes: byte 0 of the rank's word.
func (b *barrier) await() (done, moved bool, err error) {
	t := &b.g.tree
	b.g.port.Read(b.flag[:], b.g.area.counts(t.level))
	done, err = checkCount(t.above[0], b.flag[0], byte(b.count))
	return done, false, err
}

func (b *barrier) release() (done, moved bool, err error) {
	b.write(0)
	return b.out.toChildren()
}

// write sets the outbox's message to the count, at the entry of member digit.
func (b *barrier) write(digit int) {
	b.out.posts[0] = post{b.g.area.counts(0) + dimmnet.Offset(digit), b.count, 1}
}
