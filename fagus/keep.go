package fagus

import (
	"encoding/binary"
	"fmt"
	"iter"
	"reflect"
	"unsafe"
)

// kept is private memory of the ranks that a checkpoint has besides the arrays.
type kept struct {
	SavedArray
	own  int                    // the bytes that this rank saves each time; -1: any number
	save iter.Seq2[int, []byte] // what this rank saves, with its places in the array, in order
	// load reads what this rank needs from a checkpoint of so many ranks.
	load func(ranks int, read func(offset int, p []byte) error) error
	// apply, if not nil, takes over what load has read, once all ranks have read theirs.
	apply func() error
}

// Keep says that checkpoints have *x, private memory of this rank: the elements from first on of a
// vector of length elements that all ranks have together, for example the results for this rank's
// block of rows. Resume sets the elements of *x; on another number of ranks, a rank gets those that
// belong to it then. Without Config.Checkpoints Keep does nothing.
//
// Keep is collective, like NewArray, and comes before Resume; the arguments x and first may differ.
// *x may be empty, and may become another slice of the same length later; with another length no
// checkpoint is made. Elements that no rank has are 0 afterwards; no two ranks have the same
// element. T is a type that NewArray accepts. An error is returned by the next call of n.
//
//	fagus.Keep(n, "sums", &sums, lo, rows) // sums[i] is of row lo+i
func Keep[T any](n *Node, name string, x *[]T, first, length int) {
	KeepParts(n, name, length, func(yield func(int, []T) bool) { yield(first, *x) })
}

// KeepParts is [Keep] of several parts of a vector: parts yields the first element of each, in
// ascending order, and this rank's memory of them. It yields the same places in every call.
func KeepParts[T any](n *Node, name string, length int, parts iter.Seq2[int, []T]) {
	keepParts(n, name, (*T)(nil), length, func(yield func(int, []byte) bool) {
		for first, x := range parts {
			if !yield(first, bytesOf(x)) {
				return
			}
		}
	})
}

// keepParts is KeepParts of elements of the type that of points to: parts yields the first element
// of each part, and its memory.
func keepParts(n *Node, name string, of any, length int, parts iter.Seq2[int, []byte]) {
	if !n.keeps() {
		return
	}
	k := keptVector(n, name, of, length)
	if k == nil {
		return
	}
	next := 0
	for first, x := range parts {
		own := len(x) / k.Element
		if first < next || first+own > length {
			_ = n.errorf("Keep %q: the elements %d to %d of %d, after those before %d", name, first, first+own-1, length, next)
			return
		}
		next = first + own
		k.own += len(x)
	}
	k.save = func(yield func(int, []byte) bool) {
		for first, x := range parts {
			if !yield(first*k.Element, x) {
				return
			}
		}
	}
	k.load = func(_ int, read func(int, []byte) error) error {
		for first, x := range parts {
			if err := read(first*k.Element, x); err != nil {
				return err
			}
		}
		return nil
	}
	n.keep(k)
}

// KeepCopy says that checkpoints have *x, private memory that is the same on all ranks whenever
// they call Checkpoint, and likewise each of more. It is saved once. In all other respects it is
// [Keep].
func KeepCopy[T any](n *Node, name string, x *[]T, more ...*[]T) {
	keepCopy(n, name, (*T)(nil), func() []byte { return bytesOf(*x) })
	for i, x := range more {
		KeepCopy(n, fmt.Sprintf("%s.%d", name, i+1), x)
	}
}

// keepCopy is KeepCopy of the memory of elements of the type that of points to.
func keepCopy(n *Node, name string, of any, memory func() []byte) {
	if !n.keeps() {
		return
	}
	size := int(reflect.TypeOf(of).Elem().Size())
	k := keptVector(n, name, of, len(memory())/max(1, size))
	if k == nil {
		return
	}
	share := func() (lo int, own []byte) {
		all := memory()
		length := len(all) / k.Element
		lo, hi := k.Element*(length*n.rank/n.nodes), k.Element*(length*(n.rank+1)/n.nodes)
		return lo, all[lo:hi]
	}
	_, own := share()
	k.own = len(own) // if the length changes, some rank's share does
	k.save = func(yield func(int, []byte) bool) { yield(share()) }
	k.load = func(_ int, read func(int, []byte) error) error { return read(0, memory()) }
	n.keep(k)
}

// keeps reports whether there are checkpoints for what a call of Keep names.
func (n *Node) keeps() bool { return n.saving.to != nil && n.status.err == nil }

// keptVector describes a vector of elements of the type that of points to. If NewArray would not
// accept them, it reports an error and returns nil.
func keptVector(n *Node, name string, of any, length int) *kept {
	t := reflect.TypeOf(of).Elem()
	if err := checkElement(t); err != nil {
		_ = n.errorf("Keep %q: elements of type %v: %w; KeepEach saves any bytes of a rank", name, t, err)
		return nil
	}
	size := int(t.Size())
	return &kept{SavedArray: SavedArray{name, fmt.Sprintf("%d private elements of type %s", length, typeText(t)), size, length * size}}
}

const (
	keptEach  = "bytes of each rank"
	eachBytes = 1 << 40 // the place in the array of a rank's bytes, after their number
	wordBytes = 8
)

// KeepEach says that checkpoints have what save returns on each rank, any number of bytes: for
// example a part of a sum. When the run resumes on as many ranks, load gets on each rank what save
// has returned there. Otherwise the bytes of former rank r go to rank r mod Nodes: so load may be
// called several times, in the order of the former ranks, or never. In all other respects it is
// [Keep].
func KeepEach(n *Node, name string, save func() []byte, load func([]byte) error) {
	if !n.keeps() {
		return
	}
	k := &kept{SavedArray: SavedArray{name, keptEach, 1, n.nodes * eachBytes}, own: -1}
	k.save = func(yield func(int, []byte) bool) {
		data := save()
		yield(n.rank*eachBytes, append(binary.LittleEndian.AppendUint64(nil, uint64(len(data))), data...))
	}
	var all [][]byte
	k.load = func(ranks int, read func(int, []byte) error) error {
		all = nil
		for r := n.rank; r < ranks; r += n.nodes {
			var head [wordBytes]byte
			if err := read(r*eachBytes, head[:]); err != nil {
				return err
			}
			count := binary.LittleEndian.Uint64(head[:])
			if count > eachBytes-wordBytes {
				return fmt.Errorf("%q of rank %d has %d bytes: want less", name, r, count)
			}
			data := make([]byte, count)
			if err := read(r*eachBytes+wordBytes, data); err != nil {
				return err
			}
			all = append(all, data)
		}
		return nil
	}
	k.apply = func() error {
		for _, data := range all {
			if err := load(data); err != nil {
				return fmt.Errorf("%q: %w", name, err)
			}
		}
		return nil
	}
	n.keep(k)
}

// OnCheckpoint has every Checkpoint that makes one call f first, on every rank. f may copy what is
// to be saved, and make collective calls. It is collective, like NewArray.
func (n *Node) OnCheckpoint(f func()) {
	if n.saving.to != nil {
		n.saving.cuts = append(n.saving.cuts, f)
	}
}

// OnResume has a Resume that resumes call f in the end, on every rank. f may make collective calls.
// So a library finishes what Resume has restored of its own. It is collective, like NewArray.
func (n *Node) OnResume(f func()) {
	if n.saving.to != nil {
		n.saving.resumed = append(n.saving.resumed, f)
	}
}

// Checkpoints reports whether Config.Checkpoints is set: otherwise Checkpoint does nothing. A
// program may, for example, divide its work into more steps then.
func (n *Node) Checkpoints() bool { return n.saving.to != nil }

func (n *Node) keep(k *kept) {
	if n.status.err == nil {
		n.saving.kept = append(n.saving.kept, k)
	}
}

// noGuard is the Guard of private memory, which no variable guards.
const noGuard = 1<<64 - 1

// keptPieces returns what this rank saves of private memory. It is new in every checkpoint: so
// versions are numbers of checkpoints.
func (n *Node) keptPieces(arrays int, number uint64) (pieces []SavedPiece, err error) {
	for i, k := range n.saving.kept {
		own := 0
		for offset, data := range k.save {
			if own += len(data); len(data) > 0 {
				pieces = append(pieces, SavedPiece{arrays + i, offset, noGuard, number, data})
			}
		}
		if k.own >= 0 && own != k.own {
			return nil, fmt.Errorf("%q: rank %d has %d bytes to save, and had %d when it was kept: a slice has changed its length since Keep or KeepCopy: keep one of the same length", k.Name, n.rank, own, k.own)
		}
	}
	return pieces, nil
}

// loadKept reads this rank's private memory. saved describes it, and arrays precede it.
func (n *Node) loadKept(from Checkpoint, arrays int) error {
	saved := from.Arrays()[arrays:]
	for i, k := range n.saving.kept {
		err := k.load(saved[i].Bytes/eachBytes, func(offset int, p []byte) error {
			if len(p) == 0 {
				return nil
			}
			return from.Read(arrays+i, offset, p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// applyKept ends a Resume.
func (n *Node) applyKept() error {
	for _, k := range n.saving.kept {
		if k.apply == nil {
			continue
		}
		if err := k.apply(); err != nil {
			return err
		}
	}
	for _, f := range n.saving.resumed {
		f()
	}
	return n.status.err
}

// bytesOf returns the memory of x.
func bytesOf[T any](x []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(one)))
}
