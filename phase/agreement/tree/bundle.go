package tree

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Each rank sends its own list and the lists of the ranks below it to its parent, as one bundle.
// The root sends the bundle of all ranks down again. So a rank needs rings to its neighbours only,
// however many nodes there are.
//
// A bundle is a sequence of entries. An entry holds a rank (uvarint), the length of a list
// (uvarint) and the list. The list counts for the rank and all ranks below it, unless a later
// entry gives another list. The first entry belongs to the rank at the top. So ranks that all make
// the same call send one list each, and nobody handles more. A bundle may have runs (runs.go).
//
// On the wire a bundle has its number of bytes (uvarint) before it, and the words of a Reduce
// behind it (fold.go).

// maxBundleBytes bounds the size of all lists of a phase.
const maxBundleBytes = 1 << 28

// appendEntry appends an entry to a bundle.
func appendEntry(b []byte, of dimmnet.Rank, list []byte) []byte {
	b = binary.AppendUvarint(b, uint64(of))
	b = binary.AppendUvarint(b, uint64(len(list)))
	return append(b, list...)
}

// eachEntry calls f for the entries of a bundle, in order, also for the entries of runs.
func eachEntry(b []byte, f func(of uint64, list []byte) error) error {
	var before [maxPeriod]entry
	return eachPart(b, func(of uint64, text []byte) error {
		if period, count := runOf(of); period > 0 {
			err := eachOfRun(before[maxPeriod-period:], count, text, f)
			before = [maxPeriod]entry{}
			return err
		}
		before = [maxPeriod]entry{before[1], {of, text}}
		return f(of, text)
	})
}

// eachPart calls f for the entries and runs of a bundle, in order.
func eachPart(b []byte, f func(of uint64, text []byte) error) error {
	for len(b) > 0 {
		of, n := binary.Uvarint(b)
		if n <= 0 {
			return fmt.Errorf("phase: a bundle of lists ends early")
		}
		b = b[n:]
		length, n := binary.Uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return fmt.Errorf("phase: a bundle of lists ends early, in the list of rank %d", of)
		}
		if err := f(of, b[n:][:length]); err != nil {
			return err
		}
		b = b[n+int(length):]
	}
	return nil
}

// Send begins to gather the lists of this rank's subtree. If the phase may repeat, Send also
// begins this rank's part in it.
func (p *Protocol) Send() error {
	p.signals.begin(len(p.m.Peers))
	p.sent, p.mark = append(p.sent[:0], p.text...), p.mark[:0]
	if s, lag := p.course.expected(); s != nil {
		p.mark = appendMark(p.mark, lag)
		if bytes.Equal(s.text(p.m.Rank), p.text) {
			p.sent = append(p.sent[:0], p.mark...)
			p.foresee()
		}
	}
	p.bundle = appendEntry(p.bundle[:0], p.m.Rank, p.sent)
	p.below = len(p.tree.Children(p.m.Rank))
	p.fold.begin(p.own, p.below)
	return p.gathered()
}

// gathered sends on the bundle of this rank's subtree if it is complete.
func (p *Protocol) gathered() error {
	if p.below > 0 {
		return nil
	}
	words := p.gatherWords()
	compacted, lists, err := compact(p.bundle)
	if err != nil {
		return err
	}
	if parent, ok := p.tree.Parent(p.m.Rank); ok {
		p.m.Charge(dimmnet.Entry, lists)
		p.outBundle = appendBundle(p.outBundle[:0], compacted, words)
		p.sendBundle(parent, p.m.Rank, p.outBundle, len(words))
		return nil
	}
	if err := p.takeSchedule(0, p.bundle); err != nil { // takeSchedule also reads the lists
		return err
	}
	words = p.finishWords(words)
	p.outBundle = appendBundle(p.outBundle[:0], compacted, words)
	p.spread(p.outBundle, len(words))
	return p.takeAllWords(0, words)
}

func appendBundle(b, entries, words []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(entries)))
	b = append(b, entries...)
	return append(b, words...)
}

// spread sends the bundle of all ranks down; the words of a Reduce are its last n bytes.
func (p *Protocol) spread(bundle []byte, n int) {
	for _, c := range p.tree.Children(p.m.Rank) {
		p.sendBundle(c, 0, bundle, n)
	}
}

// TakeList takes the bundle of a child's subtree, or the bundle of all ranks from the parent.
func (p *Protocol) TakeList(from dimmnet.Rank, b []byte) error {
	child := from > p.m.Rank
	length, n := binary.Uvarint(b)
	if n <= 0 || length == 0 || length > uint64(len(b)-n) {
		return fmt.Errorf("phase: rank %d sent a bundle of %d bytes that says it has %d bytes of lists", from, len(b), length)
	}
	bundle, words := b[n:][:length], b[n+int(length):]
	if !child {
		p.spread(b, len(words))
		if err := p.takeSchedule(from, bundle); err != nil {
			return err
		}
		return p.takeAllWords(from, words)
	}
	first, err := checkBelow(bundle, p.tree, from)
	if err != nil {
		return err
	}
	if err := p.takeWords(from, words); err != nil {
		return err
	}
	if bytes.Equal(first, p.sent) { // this rank's entry holds for the child, too
		bundle = bundle[len(appendEntry(nil, from, first)):]
	}
	p.bundle = append(p.bundle, bundle...)
	p.below--
	return p.gathered()
}

// takeSchedule takes the lists of all ranks from their bundle.
func (p *Protocol) takeSchedule(from dimmnet.Rank, bundle []byte) (err error) {
	if p.schedule, err = p.scheduleOf(from, bundle); err == nil {
		p.uniform = p.schedule.uniform()
	}
	return err
}
