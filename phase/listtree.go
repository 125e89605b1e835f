package phase

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// With many nodes, or on request (Lists), the lists travel over a tree. Each rank sends its own
// list and the lists of the ranks below it to its parent, as one bundle. The root sends the bundle
// of all ranks down again. So a rank needs rings to its neighbours only, however many nodes there
// are.
//
// A bundle is a sequence of entries. An entry holds a rank (uvarint), the length of a list
// (uvarint) and the list. It is the list of the rank and of all ranks below it, except those to
// which a later entry gives another list. The first entry is that of the rank at the top. So ranks
// that all make the same call send one list each, and nobody handles more. A bundle may have runs
// of entries (runs.go).
//
// On the wire a bundle has its number of bytes (uvarint) before it, and the words of a Reduce
// behind it (fold.go).

// overTree is what an engine needs for lists that travel over a tree.
type overTree struct {
	replica  *Replica
	lines    markLines
	signals  signals   // of this phase
	schedule *schedule // of this phase
	uniform  bool      // all ranks have sent the same list
	course   course
	ownText  []byte // the encoded list of this rank; ownList is a mark if it is the expected one
	mark     []byte // the mark of this phase; empty if no schedule is expected
	scratch  []byte

	parts []*part // of this rank in the last phases, as in course.past
	part  *part   // of this phase
	plain uint64  // the number of phases since one that could not move all data

	following following

	foreseen  bool             // part repeats one of before if all ranks do what is expected
	repeating bool             // it does
	before    dimmnet.Counters // of the port, at the beginning of a phase that is foreseen

	alike uint32 // how many declarations are known to be equal to those of rank 0

	bundle    []byte // the lists of this rank and of the ranks below it
	outBundle []byte // the same as it is sent, with the words of a Reduce
	fold      folding
	below     int // the number of children whose bundles have not arrived
}

// treeArity is the number of children of a rank: as many as a barrier of DIMMnet-1 has
// (docs/lab/papers.md, DIMMnet-1, Barrier and global sum by AOTF).
const treeArity = 8

// maxBundleBytes bounds the size of all lists of a phase.
const maxBundleBytes = 1 << 28

func (e *Engine) maxListBytes() int {
	if e.tree.Arity > 0 {
		return maxBundleBytes
	}
	return syncvar.MaxListBytes
}

// appendEntry appends an entry to a bundle.
func appendEntry(b []byte, of dimmnet.Rank, list []byte) []byte {
	b = binary.AppendUvarint(b, uint64(of))
	b = binary.AppendUvarint(b, uint64(len(list)))
	return append(b, list...)
}

// eachEntry calls f for the entries of a bundle, in order, those of runs included.
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

func (e *Engine) gatherUp() error {
	e.signals.begin(len(e.peers))
	e.ownText, e.mark = append(e.ownText[:0], e.ownList...), e.mark[:0]
	if s, lag := e.course.expected(); s != nil {
		e.mark = appendMark(e.mark, lag)
		if bytes.Equal(s.text(e.rank), e.ownText) {
			e.ownList = append(e.ownList[:0], e.mark...)
			e.foresee()
		}
	}
	e.bundle = appendEntry(e.bundle[:0], e.rank, e.ownList)
	e.below = len(e.tree.Children(e.rank))
	e.fold.begin(e.own, e.below)
	return e.gathered()
}

// gathered sends the bundle of this rank's subtree on if it is complete.
func (e *Engine) gathered() error {
	if e.below > 0 {
		return nil
	}
	words := e.gatherWords()
	compacted, lists, err := compact(e.bundle)
	if err != nil {
		return err
	}
	if parent, ok := e.tree.Parent(e.rank); ok {
		e.charge(dimmnet.Entry, lists)
		e.outBundle = appendBundle(e.outBundle[:0], compacted, words)
		e.sendBundle(parent, e.rank, e.outBundle, len(words))
		return nil
	}
	if err := e.takeSchedule(0, e.bundle); err != nil { // it looks at the lists, too
		return err
	}
	words = e.finishWords(words)
	e.outBundle = appendBundle(e.outBundle[:0], compacted, words)
	e.spread(e.outBundle, len(words))
	return e.takeAllWords(0, words)
}

func appendBundle(b, entries, words []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(entries)))
	b = append(b, entries...)
	return append(b, words...)
}

// spread sends the bundle of all ranks down; the words of a Reduce are its last n bytes.
func (e *Engine) spread(bundle []byte, n int) {
	for _, c := range e.tree.Children(e.rank) {
		e.sendBundle(c, 0, bundle, n)
	}
}

// takeBundle takes the bundle of a child's subtree, or the bundle of all ranks from the parent.
func (e *Engine) takeBundle(from dimmnet.Rank, b []byte) error {
	child := from > e.rank
	length, n := binary.Uvarint(b)
	if n <= 0 || length == 0 || length > uint64(len(b)-n) {
		return fmt.Errorf("phase: rank %d sent a bundle of %d bytes that says it has %d bytes of lists", from, len(b), length)
	}
	bundle, words := b[n:][:length], b[n+int(length):]
	if !child {
		e.spread(b, len(words))
		if err := e.takeSchedule(from, bundle); err != nil {
			return err
		}
		return e.takeAllWords(from, words)
	}
	first, err := checkBelow(bundle, e.tree, from)
	if err != nil {
		return err
	}
	if err := e.takeWords(from, words); err != nil {
		return err
	}
	if bytes.Equal(first, e.ownList) { // this rank's entry holds for the child, too
		bundle = bundle[len(appendEntry(nil, from, first)):]
	}
	e.bundle = append(e.bundle, bundle...)
	e.below--
	return e.gathered()
}

// takeSchedule takes the lists of all ranks from their bundle.
func (e *Engine) takeSchedule(from dimmnet.Rank, bundle []byte) (err error) {
	if e.schedule, err = e.scheduleOf(from, bundle); err == nil {
		e.uniform = e.schedule.uniform()
	}
	return err
}
