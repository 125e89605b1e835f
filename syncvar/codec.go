package syncvar

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A list on the wire:
//
//	call      1 byte, with the bit 0x80 if the rank is behind a Fence, and 0x40 if it awaits
//	phase     uvarint
//	age       uvarint, Phase - Since
//	declared  uvarint
//	digest    8 bytes, little endian
//	3 sets    Shared, Exclusive, Clean
//	word      8 bytes, little endian, only in a Reduce
//	awaited   uvarint, only if the rank awaits a change: the variable
//
// A set is the number of its runs, and then the gap, stride and count of each run. A run has count
// IDs, each of them stride above the one before. gap is the number of IDs between the end of the
// previous run and the first ID of this one. Any number of cyclic rows is one run.

// MaxListBytes bounds the size of an encoded list.
const MaxListBytes = 1 << 23

const (
	fencedBit  = 0x80
	awaitedBit = 0x40
)

// AppendList appends the encoding of l to b.
func AppendList(b []byte, l *List) []byte {
	call := byte(l.Call)
	if l.Fenced {
		call |= fencedBit
	}
	if len(l.Awaits) > 0 {
		call |= awaitedBit
	}
	b = append(b, call)
	b = binary.AppendUvarint(b, l.Phase)
	b = binary.AppendUvarint(b, l.Phase-l.Since)
	b = binary.AppendUvarint(b, uint64(l.Declared))
	b = binary.LittleEndian.AppendUint64(b, l.Digest)
	b = appendSet(b, l.Shared)
	b = appendSet(b, l.Exclusive)
	b = appendSet(b, l.Clean)
	if l.Call == Reduce {
		b = binary.LittleEndian.AppendUint64(b, l.Word)
	}
	if len(l.Awaits) > 0 {
		b = binary.AppendUvarint(b, uint64(l.Awaits[0]))
	}
	return b
}

type run struct {
	first, stride ID
	count         int
}

func runs(set []ID) (rs []run) {
	for len(set) > 0 {
		r := run{first: set[0], stride: 1, count: 1}
		if len(set) > 1 {
			r.stride = set[1] - set[0]
			for r.count < len(set) && set[r.count] == r.first+r.stride*ID(r.count) {
				r.count++
			}
		}
		rs = append(rs, r)
		set = set[r.count:]
	}
	return rs
}

func appendSet(b []byte, set []ID) []byte {
	rs := runs(set)
	b = binary.AppendUvarint(b, uint64(len(rs)))
	next := ID(0) // the smallest ID with which a run may begin
	for _, r := range rs {
		b = binary.AppendUvarint(b, uint64(r.first-next))
		b = binary.AppendUvarint(b, uint64(r.stride))
		b = binary.AppendUvarint(b, uint64(r.count))
		next = r.first + r.stride*ID(r.count-1) + 1
	}
	return b
}

var errShort = errors.New("syncvar: list ends early")

type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail(err error) uint64 {
	if d.err == nil {
		d.err = err
	}
	return 0
}

// uvarint decodes a number of at most limit. An error names it by set and field.
func (d *decoder) uvarint(set, field string, limit uint64) uint64 {
	if d.err != nil {
		return 0
	}
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		return d.fail(errShort)
	}
	if v > limit {
		return d.fail(fmt.Errorf("syncvar: list: %s %s %d, the limit is %d", set, field, v, limit))
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes(n int) []byte {
	if d.err != nil || len(d.b) < n {
		d.fail(errShort)
		return make([]byte, n)
	}
	p := d.b[:n]
	d.b = d.b[n:]
	return p
}

func (d *decoder) set(what string) (set []ID) {
	count := d.uvarint(what, "runs", MaxID)
	next := uint64(0)
	for ; count > 0 && d.err == nil; count-- {
		first := next + d.uvarint(what, "gap", MaxID)
		stride := d.uvarint(what, "stride", MaxID)
		n := d.uvarint(what, "count", MaxID)
		if d.err != nil {
			break
		}
		if stride == 0 || n == 0 {
			d.fail(fmt.Errorf("syncvar: list: %s run of %d IDs, %d apart", what, n, stride))
			break
		}
		last := first + stride*(n-1)
		if last >= MaxID {
			d.fail(fmt.Errorf("syncvar: list: %s ID %d, the limit is %d", what, last, MaxID-1))
			break
		}
		for id := first; id <= last; id += stride {
			set = append(set, ID(id))
		}
		next = last + 1
	}
	return set
}

// DecodeList decodes a list from the wire. It returns an error if the list is malformed, exceeds a
// limit, names a variable that its rank has not declared, or wants a variable both shared and
// exclusive. It allocates at most a few bytes per ID, even if b is invalid.
func DecodeList(b []byte) (List, error) {
	if len(b) > MaxListBytes {
		return List{}, fmt.Errorf("syncvar: list of %d bytes, the limit is %d", len(b), MaxListBytes)
	}
	d := decoder{b: b}
	var l List
	call := d.bytes(1)[0]
	l.Call, l.Fenced = Call(call&^(fencedBit|awaitedBit)), call&fencedBit != 0
	if d.err == nil && (l.Call == 0 || l.Call >= lastCall) {
		return List{}, fmt.Errorf("syncvar: list: unknown call %d", l.Call)
	}
	l.Phase = d.uvarint("the", "phase", 1<<62)
	l.Since = l.Phase - d.uvarint("the", "age", l.Phase)
	l.Declared = uint32(d.uvarint("the", "declarations", 1<<31))
	l.Digest = binary.LittleEndian.Uint64(d.bytes(8))
	l.Shared = d.set("shared")
	l.Exclusive = d.set("exclusive")
	l.Clean = d.set("clean")
	if l.Call == Reduce {
		l.Word = binary.LittleEndian.Uint64(d.bytes(8))
	}
	if call&awaitedBit != 0 {
		l.Awaits = []ID{ID(d.uvarint("the", "awaited variable", MaxID-1))}
	}
	if d.err != nil {
		return List{}, d.err
	}
	if len(d.b) > 0 {
		return List{}, fmt.Errorf("syncvar: list: %d bytes follow its end", len(d.b))
	}
	return l, l.check()
}

func (l *List) check() error {
	if l.Call != Acquire && len(l.Shared)+len(l.Exclusive) > 0 {
		return fmt.Errorf("syncvar: list: %v that wants variables", l.Call)
	}
	if len(l.Awaits) > 0 && (l.Call != Acquire || !l.wantsNothing()) {
		return fmt.Errorf("syncvar: list: %v that awaits a change, and wants %d variables", l.Call, len(l.Shared)+len(l.Exclusive))
	}
	for _, set := range [...][]ID{l.Shared, l.Exclusive, l.Clean, l.Attached, l.Awaits} {
		if n := len(set); n > 0 && uint32(set[n-1]) >= l.Declared {
			return fmt.Errorf("syncvar: list names variable %d, but its rank has made only %d declarations", set[n-1], l.Declared)
		}
	}
	ex := l.Exclusive
	for _, id := range l.Shared {
		for len(ex) > 0 && ex[0] < id {
			ex = ex[1:]
		}
		if len(ex) > 0 && ex[0] == id {
			return fmt.Errorf("syncvar: list: variable %d is wanted both shared and exclusive", id)
		}
	}
	return nil
}
