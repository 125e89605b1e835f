package tree

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// In most programs rank r wants what rank r-1 wants, a few IDs further on. So a bundle of more
// than one mark is sorted by rank, and ranks whose lists progress evenly are one entry, a run:
//
//	period * runBase + count (uvarint), bytes of the steps (uvarint), steps (varints)
//
// Each of the next count ranks has the list of the rank before it, with a step added to its age
// and to each of its IDs: ranks of a pipeline begin to wait one after another. If all IDs have the
// same step, it is there once. If the period is 2, each rank has the list of the last rank but
// one: ranks that exclude their neighbours are granted in turns. Then the steps of the first rank
// come first, behind their number of bytes. A run follows as many entries as its period says, none
// of them a mark.
const runBase = dimmnet.MaxNodes

const maxPeriod = 2

// runOf returns the period of a run and how many lists it has; period is 0 if of is a rank.
func runOf(of uint64) (period int, count uint64) {
	if of <= runBase || of >= (maxPeriod+1)*runBase {
		return 0, 0
	}
	return int(of / runBase), of % runBase
}

// An entry of a bundle: the list of a rank. It also counts for the ranks below it without an entry
// of their own behind it.
type entry struct {
	of   uint64
	list []byte
}

// appendRuns appends entries, which it sorts by rank, to b, as runs where possible.
func appendRuns(b []byte, entries []entry) []byte {
	slices.SortStableFunc(entries, func(x, y entry) int { return int(x.of) - int(y.of) })
	for len(entries) > 0 {
		steps, n := evenRun(entries, 1)
		period := 1
		if other, m := evenRun(entries, 2); m > n+1 {
			steps, n, period = other, m, 2
		}
		for _, e := range entries[:period] {
			b = appendEntry(b, dimmnet.Rank(e.of), e.list)
		}
		if n > 0 {
			var text []byte
			if period == 2 {
				first := appendSteps(nil, steps[0])
				text = append(binary.AppendUvarint(nil, uint64(len(first))), first...)
			}
			text = appendSteps(text, steps[period-1])
			b = binary.AppendUvarint(b, uint64(period*runBase+n))
			b = binary.AppendUvarint(b, uint64(len(text)))
			b = append(b, text...)
		}
		entries = entries[period+n:]
	}
	return b
}

// evenRun returns the number of entries, after the first period ones, whose lists progress by the
// same steps.
func evenRun(entries []entry, period int) (steps [maxPeriod][]int, n int) {
	var last [maxPeriod]syncvar.List
	for i, e := range entries {
		l, err := decodeScheduled(dimmnet.Rank(e.of), e.list)
		if err != nil || i > 0 && e.of != entries[i-1].of+1 {
			return steps, max(i-period, 0) // a mark, for example
		}
		turn := i % period
		if i >= period {
			next, ok := stepsBetween(&last[turn], &l)
			if !ok || i >= 2*period && !slices.Equal(next, steps[turn]) {
				return steps, i - period
			}
			steps[turn] = next
		}
		last[turn] = l
	}
	return steps, max(len(entries)-period, 0)
}

// idsOf returns the lists of IDs in a list.
func idsOf(l *syncvar.List) [3][]syncvar.ID { return [...][]syncvar.ID{l.Shared, l.Exclusive, l.Clean} }

// stepsBetween returns the differences of the ages and of the IDs of two lists; ok is false if they
// differ in anything else.
func stepsBetween(a, b *syncvar.List) (steps []int, ok bool) {
	alike := a.Call == b.Call && a.Fenced == b.Fenced && a.Declared == b.Declared && a.Digest == b.Digest && a.Word == b.Word && slices.Equal(a.Awaits, b.Awaits)
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

// eachOfRun calls f for the entries of a run of count lists. after is the entries before the run,
// as many as its period says.
func eachOfRun(after []entry, count uint64, text []byte, f func(of uint64, list []byte) error) error {
	last := after[len(after)-1]
	if after[0].list == nil || last.of != after[0].of+uint64(len(after))-1 || count == 0 || last.of+count >= dimmnet.MaxNodes {
		return fmt.Errorf("phase: a run of %d lists after rank %d", count, last.of)
	}
	var lists [maxPeriod]progression
	for i, e := range after {
		steps := text
		if i < len(after)-1 {
			n, at := binary.Uvarint(text)
			if at <= 0 || n > uint64(len(text)-at) {
				return fmt.Errorf("phase: the steps of a run after rank %d end early", last.of)
			}
			steps, text = text[at:][:n], text[at+int(n):]
		}
		if err := lists[i].begin(e, steps); err != nil {
			return err
		}
	}
	for i := range count {
		if err := f(last.of+1+i, lists[int(i)%len(after)].next()); err != nil {
			return err
		}
	}
	return nil
}

// progression is lists that progress by steps.
type progression struct {
	list syncvar.List
	age  int64
	ids  []int64 // one for all IDs, or one for each
	text []byte  // the last list
}

func (p *progression) begin(after entry, steps []byte) (err error) {
	if p.list, err = decodeScheduled(dimmnet.Rank(after.of), after.list); err != nil {
		return err
	}
	for len(steps) > 0 {
		s, n := binary.Varint(steps)
		if n <= 0 {
			return fmt.Errorf("phase: the steps of a run after rank %d end early", after.of)
		}
		p.ids, steps = append(p.ids, s), steps[n:]
	}
	if ids := p.list.Entries(); len(p.ids) != 1+ids && !(len(p.ids) == 2 && ids > 0) {
		return fmt.Errorf("phase: a run after rank %d has %d steps for an age and %d IDs", after.of, len(p.ids), ids)
	}
	p.age, p.ids = p.ids[0], p.ids[1:]
	return nil
}

func (p *progression) next() []byte {
	p.list.Since -= uint64(p.age)
	at := 0
	for _, ids := range idsOf(&p.list) {
		for j := range ids {
			ids[j] += syncvar.ID(p.ids[at])
			at = min(at+1, len(p.ids)-1)
		}
	}
	p.text = appendScheduled(p.text[len(p.text):], &p.list)
	return p.text
}

// entriesOf returns the entries of a bundle without runs.
func entriesOf(bundle []byte) (entries []entry, err error) {
	err = eachEntry(bundle, func(of uint64, list []byte) error {
		entries = append(entries, entry{of, list})
		return nil
	})
	return entries, err
}

// countEntries returns the number of entries of a bundle, also of its runs.
func countEntries(bundle []byte) (n int) {
	_ = eachPart(bundle, func(of uint64, _ []byte) error {
		_, count := runOf(of)
		n += max(1, int(count))
		return nil
	})
	return n
}

// compact returns a bundle as it is sent, and the number of lists that it compares.
func compact(bundle []byte) (_ []byte, lists int, err error) {
	entries, err := entriesOf(bundle)
	if err != nil || len(entries) <= 2 {
		return bundle, 0, err
	}
	return appendRuns(nil, entries), len(entries), nil
}

// checkBelow returns an error unless a child's bundle begins with the child's entry, and all
// entries are of the child or of ranks below it. So no run follows the first entry: the next rank
// by number is not below the child.
func checkBelow(bundle []byte, tree ringbuf.Tree, child dimmnet.Rank) (first []byte, err error) {
	last := uint64(0)
	err = eachPart(bundle, func(of uint64, list []byte) error {
		lo, hi := of, of
		if period, count := runOf(of); period > 0 && first != nil {
			lo, hi = last+1, last+count
		}
		for r := lo; r <= hi; r++ {
			if r >= uint64(tree.Nodes) || !tree.Below(dimmnet.Rank(r), child) || first == nil && dimmnet.Rank(r) != child {
				return fmt.Errorf("phase: rank %d sent a list of rank %d, which is not due from it", child, r)
			}
		}
		if first == nil {
			first = list
		}
		last = hi
		return nil
	})
	return first, err
}
