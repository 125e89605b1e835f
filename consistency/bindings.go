package consistency

import (
	"github.com/google/btree"

	"github.com/fagus-dsm/fagus/syncvar"
)

type binding struct {
	Range
	id syncvar.ID
}

// bindings are ranges that do not overlap, each bound to a variable. They are a tree. A Space has
// them by this interface, because the Go compiler compiles a generic type again for each package in
// which it is a part of a type: a tree in a Space would take a seventh of the time for a program.
type bindings interface {
	add(b binding)
	remove(r Range)
	// overlap returns a range that shares a byte with r and is bound to one of the first v
	// variables.
	overlap(r Range, v int) (found binding, ok bool)
}

type tree struct{ *btree.BTreeG[binding] }

func newTree() bindings {
	return tree{btree.NewG(16, func(a, b binding) bool { return a.Lo < b.Lo })}
}

func (t tree) add(b binding)  { t.ReplaceOrInsert(b) }
func (t tree) remove(r Range) { t.Delete(binding{Range: r}) }

func (t tree) overlap(r Range, v int) (found binding, ok bool) {
	// Only the last binding that begins before the end of r can share a byte with r.
	t.DescendLessOrEqual(binding{Range: Range{Lo: r.Hi - 1}}, func(b binding) bool {
		found, ok = b, int(b.id) < v && b.Hi > r.Lo
		return int(b.id) >= v
	})
	return found, ok
}
