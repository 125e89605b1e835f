package checkpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/fagus-dsm/fagus/fagus"
)

// Snapshot is a checkpoint that is open for reading. It is a fagus.Checkpoint.
type Snapshot struct {
	Manifest *Manifest

	ctx     context.Context
	store   Store
	arrays  [][]place // by array, by offset
	mu      sync.Mutex
	readers map[string]Reader
}

var _ fagus.Checkpoint = (*Snapshot)(nil)

// Open opens a checkpoint, and checks its manifest and the indexes of its parts.
func Open(ctx context.Context, s Store, number uint64) (*Snapshot, error) {
	m, err := ReadManifest(ctx, s, number)
	if err != nil {
		return nil, err
	}
	o := &Snapshot{Manifest: m, ctx: ctx, store: s, arrays: make([][]place, len(m.Arrays)), readers: map[string]Reader{}}
	for _, p := range m.Parts {
		if err := o.add(p); err != nil {
			o.Close()
			return nil, fmt.Errorf("checkpoint %d in %v: part %s: %w", number, s, p.Name, err)
		}
	}
	if err := m.checkPlaces(o.arrays); err != nil {
		o.Close()
		return nil, fmt.Errorf("checkpoint %d in %v: %w", number, s, err)
	}
	return o, nil
}

// add adds the pieces of a part.
func (o *Snapshot) add(p Part) error {
	r, err := o.reader(p.Name)
	if err != nil {
		return err
	}
	if r.Size() != p.Bytes {
		return fmt.Errorf("it has %d bytes: the manifest says %d", r.Size(), p.Bytes)
	}
	x, err := readIndex(r)
	if err != nil {
		return err
	}
	if x.sum != p.Index {
		return fmt.Errorf("the checksum of its index is %08x: the manifest says %08x", x.sum, p.Index)
	}
	for _, e := range x.entries {
		if uint64(e.Array) >= uint64(len(o.arrays)) {
			return fmt.Errorf("it has a piece of array %d of %d", e.Array, len(o.arrays))
		}
		object := p.Name
		if e.Object > 0 {
			object = x.list[e.Object-1]
		}
		if number, what := parseName(object); what != aPart || number > o.Manifest.Number {
			return fmt.Errorf("it refers to %q: want a part of this checkpoint, or of an earlier one", object)
		}
		o.arrays[e.Array] = append(o.arrays[e.Array], place{object, e})
	}
	return nil
}

// checkPlaces sorts the pieces of each array by offset. It returns an error if pieces overlap or
// exceed their array.
func (m *Manifest) checkPlaces(arrays [][]place) error {
	for i, all := range arrays {
		slices.SortFunc(all, func(a, b place) int { return cmp.Compare(a.Offset, b.Offset) })
		if err := checkPlaces(m.Arrays[i], all); err != nil {
			return err
		}
	}
	return nil
}

func checkPlaces(a fagus.SavedArray, all []place) error {
	end := uint64(0)
	for _, p := range all {
		if p.Offset < end || p.Offset > uint64(a.Bytes) || uint64(p.Bytes) > uint64(a.Bytes)-p.Offset {
			return fmt.Errorf("array %q: a piece of %d bytes at %d overlaps another, or exceeds the %d bytes", a.Name, p.Bytes, p.Offset, a.Bytes)
		}
		end = p.Offset + uint64(p.Bytes)
	}
	return nil
}

func (o *Snapshot) reader(name string) (Reader, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r, ok := o.readers[name]; ok {
		return r, nil
	}
	r, err := o.store.Open(o.ctx, name)
	if err == nil {
		o.readers[name] = r
	}
	return r, err
}

// Identity implements fagus.Checkpoint: it is the whole manifest.
func (o *Snapshot) Identity() []byte {
	text, _ := json.Marshal(o.Manifest) // it was decoded from JSON
	return text
}

// State implements fagus.Checkpoint.
func (o *Snapshot) State() json.RawMessage { return o.Manifest.State }

// Loop implements fagus.Checkpoint.
func (o *Snapshot) Loop() fagus.SavedLoop { return o.Manifest.Loop }

// Arrays implements fagus.Checkpoint.
func (o *Snapshot) Arrays() []fagus.SavedArray { return o.Manifest.Arrays }

// Close implements fagus.Checkpoint.
func (o *Snapshot) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.readers {
		_ = r.Close() // it was only read
	}
	o.readers = nil
	return nil
}

// Read implements fagus.Checkpoint. It checks the checksum of every piece from which it reads.
func (o *Snapshot) Read(array, offset int, p []byte) error {
	if err := o.within(array, offset, len(p)); err != nil {
		return err
	}
	all := o.arrays[array]
	lo, hi := uint64(offset), uint64(offset+len(p))
	first, _ := slices.BinarySearchFunc(all, lo, func(at place, lo uint64) int {
		if at.Offset+uint64(at.Bytes) <= lo {
			return -1
		}
		return 1
	})
	filled := lo
	for _, at := range all[first:] {
		if at.Offset >= hi {
			break
		}
		from, to := max(lo, at.Offset), min(hi, at.Offset+uint64(at.Bytes))
		clear(p[filled-lo : from-lo])
		into := p[from-lo : to-lo]
		if err := o.piece(at, int(from-at.Offset), into); err != nil {
			return fmt.Errorf("array %q, bytes %d to %d: %w", o.Manifest.Arrays[array].Name, at.Offset, at.Offset+uint64(at.Bytes), err)
		}
		filled = to
	}
	clear(p[filled-lo:])
	return nil
}

// piece reads bytes of a piece.
func (o *Snapshot) piece(at place, from int, into []byte) error {
	r, err := o.reader(at.object)
	if err != nil {
		return err
	}
	whole := into
	if len(into) < int(at.Bytes) {
		whole = make([]byte, at.Bytes)
	}
	if err := readAt(r, whole, int64(at.At)); err != nil {
		return fmt.Errorf("%s: %w", at.object, err)
	}
	if sum := checksum(whole); sum != at.Sum {
		return fmt.Errorf("%s: the checksum of %d bytes at %d is %08x: want %08x", at.object, at.Bytes, at.At, sum, at.Sum)
	}
	if len(into) < int(at.Bytes) {
		copy(into, whole[from:])
	}
	return nil
}

// Verify reads everything, and returns the first error.
func (o *Snapshot) Verify() error {
	buffer := make([]byte, pieceBytes)
	for i, all := range o.arrays {
		for _, at := range all {
			if err := o.ctx.Err(); err != nil {
				return err
			}
			if err := o.Read(i, int(at.Offset), buffer[:at.Bytes]); err != nil {
				return err
			}
		}
	}
	return nil
}
