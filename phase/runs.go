package phase

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// In most programs rank r wants what rank r-1 wants, a few IDs further on. So a bundle that is no
// single mark is sorted by rank, and ranks whose lists progress evenly are one entry, a run:
//
//	runBase + count (uvarint), bytes of the steps (uvarint), steps (varints)
//
// Each of the next count ranks has the list of the rank before it. The first step is added to its
// age: ranks of a pipeline begin to wait one after another. The other steps move its IDs on. If
// these are all equal, there is one. A run follows an entry, and not one of a mark.
const runBase = dimmnet.MaxNodes

// An entry of a bundle: the list of a rank and of all ranks below it that have no entry of their
// own behind it.
type entry struct {
	of   uint64
	list []byte
}

// appendRuns appends entries, which it sorts by rank, to b, as runs where possible.
func appendRuns(b []byte, entries []entry) []byte {
	slices.SortStableFunc(entries, func(x, y entry) int { return int(x.of) - int(y.of) })
	for len(entries) > 0 {
		b = appendEntry(b, dimmnet.Rank(entries[0].of), entries[0].list)
		steps, n := evenRun(entries)
		if n > 0 {
			text := appendSteps(nil, steps)
			b = binary.AppendUvarint(b, runBase+uint64(n))
			b = binary.AppendUvarint(b, uint64(len(text)))
			b = append(b, text...)
		}
		entries = entries[1+n:]
	}
	return b
}

// evenRun returns for how many entries after the first the lists progress by the same steps.
func evenRun(entries []entry) (steps []int, n int) {
	var last syncvar.List
	for i, e := range entries {
		l, err := decodeScheduled(dimmnet.Rank(e.of), e.list)
		if err != nil || i > 0 && e.of != entries[i-1].of+1 {
			return steps, max(i-1, 0) // a mark, for example
		}
		if i > 0 {
			next, ok := stepsBetween(&last, &l)
			if !ok || i > 1 && !slices.Equal(next, steps) {
				return steps, i - 1
			}
			steps = next
		}
		last = l
	}
	return steps, len(entries) - 1
}

// idsOf returns the sets of a list.
func idsOf(l *syncvar.List) [3][]syncvar.ID { return [...][]syncvar.ID{l.Shared, l.Exclusive, l.Clean} }

// stepsBetween returns the differences of the ages and of the IDs of two lists; ok is false if they
// differ in anything else.
func stepsBetween(a, b *syncvar.List) (steps []int, ok bool) {
	alike := a.Call == b.Call && a.Fenced == b.Fenced && a.Declared == b.Declared && a.Digest == b.Digest && a.Word == b.Word
	steps = append(steps, int(a.Since)-int(b.Since))
	for i, ids := range idsOf(a) {
		to := idsOf(b)[i]
		if alike = alike && len(ids) == len(to); !alike {
			return nil, false
		}
		for j := range ids {
			steps = append(steps, int(to[j])-int(ids[j]))
		}
	}
	return steps, true
}

func appendSteps(b []byte, steps []int) []byte {
	if len(steps) > 1 && !slices.ContainsFunc(steps[1:], func(s int) bool { return s != steps[1] }) {
		steps = steps[:2]
	}
	for _, s := range steps {
		b = binary.AppendVarint(b, int64(s))
	}
	return b
}

// eachOfRun calls f for the entries of a run of count ranks, after an entry.
func eachOfRun(after entry, count uint64, steps []byte, f func(of uint64, list []byte) error) error {
	if after.list == nil || after.of+count >= dimmnet.MaxNodes {
		return fmt.Errorf("phase: a run of %d lists after rank %d", count, after.of)
	}
	l, err := decodeScheduled(dimmnet.Rank(after.of), after.list)
	if err != nil {
		return err
	}
	var by []int64
	for len(steps) > 0 {
		s, n := binary.Varint(steps)
		if n <= 0 {
			return fmt.Errorf("phase: the steps of a run after rank %d end early", after.of)
		}
		by, steps = append(by, s), steps[n:]
	}
	if ids := l.Entries(); len(by) != 1+ids && !(len(by) == 2 && ids > 0) {
		return fmt.Errorf("phase: a run after rank %d has %d steps for an age and %d IDs", after.of, len(by), ids)
	}
	age, by := by[0], by[1:]
	var text []byte
	for i := range count {
		l.Since -= uint64(age)
		at := 0
		for _, ids := range idsOf(&l) {
			for j := range ids {
				ids[j] += syncvar.ID(by[at])
				at = min(at+1, len(by)-1)
			}
		}
		text = appendScheduled(text[len(text):], &l)
		if err := f(after.of+1+i, text); err != nil {
			return err
		}
	}
	return nil
}

// entriesOf returns the entries of a bundle without runs.
func entriesOf(bundle []byte) (entries []entry, err error) {
	err = eachEntry(bundle, func(of uint64, list []byte) error {
		entries = append(entries, entry{of, list})
		return nil
	})
	return entries, err
}

// countEntries returns the number of entries of a bundle, those of runs included.
func countEntries(bundle []byte) (n int) {
	_ = eachPart(bundle, func(of uint64, _ []byte) error {
		n += max(1, int(of)-runBase)
		return nil
	})
	return n
}

// compact returns a bundle as it is sent, and the number of lists that it looks at for that.
func compact(bundle []byte) (_ []byte, lists int, err error) {
	entries, err := entriesOf(bundle)
	if err != nil || len(entries) <= 2 {
		return bundle, 0, err
	}
	return appendRuns(nil, entries), len(entries), nil
}

// checkBelow returns an error unless a bundle of a child begins with its entry, and all entries are
// of the child or of ranks below it. alone reports whether the first entry begins no run.
func checkBelow(bundle []byte, tree ringbuf.Tree, child dimmnet.Rank) (first []byte, alone bool, err error) {
	parts, last := 0, uint64(0)
	err = eachPart(bundle, func(of uint64, list []byte) error {
		lo, hi := of, of
		if of > runBase && parts > 0 {
			lo, hi = last+1, last+of-runBase
			alone = alone && parts > 1
		}
		for r := lo; r <= hi; r++ {
			if r >= uint64(tree.Nodes) || !tree.Below(dimmnet.Rank(r), child) || parts == 0 && dimmnet.Rank(r) != child {
				return fmt.Errorf("phase: rank %d sent a list of rank %d, which is not due from it", child, r)
			}
		}
		if parts++; parts == 1 {
			first, alone = list, true
		}
		last = hi
		return nil
	})
	return first, alone, err
}
