package checkpoint

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"
)

// hugeReader is a file that is long because it has a hole.
type hugeReader struct{ size int64 }

func (r hugeReader) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), nil }
func (r hugeReader) Size() int64                           { return r.size }
func (r hugeReader) Close() error                          { return nil }

type hugeStore struct {
	objects
	size int64
}

func (s hugeStore) Open(context.Context, string) (Reader, error) { return hugeReader{s.size}, nil }

// TestLongestManifest: a manifest of the largest size is read, and one with a byte more is not.
func TestLongestManifest(t *testing.T) {
	for size, read := range map[int64]bool{mostManifest: true, mostManifest + 1: false} {
		_, err := ReadManifest(t.Context(), hugeStore{size: size}, 1)
		if err == nil || strings.Contains(err.Error(), "want at most") == read {
			t.Errorf("a manifest of %d bytes: %v; want it read: %t", size, err, read)
		}
	}
	// No manifest is written that is too long to be read.
	m := Manifest{Format: Format, Number: 1, Made: time.Unix(0, 0), State: []byte("1"), Program: "x"}
	short, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	m.Program = strings.Repeat("x", 64<<20-len(short)+1) // takes less time than a long State
	if b, err := m.encode(); err != nil || len(b) != 64<<20 {
		t.Errorf("a manifest of %d bytes, %v; want the longest one", len(b), err)
	}
	m.Program += "x"
	if b, err := m.encode(); err == nil || !strings.Contains(err.Error(), "want at most 67108864") {
		t.Errorf("a manifest of %d bytes is written, error %v", len(b), err)
	}
}

// listReader is a part with no entries and a list of zeros.
type listReader struct{ list uint32 }

func (r listReader) Size() int64 { return int64(len(partMagic)) + int64(r.list) + tailBytes }
func (listReader) Close() error  { return nil }

func (r listReader) ReadAt(p []byte, at int64) (int, error) {
	clear(p)
	if at == r.Size()-tailBytes {
		var b bytes.Buffer
		end := tail{Index: uint64(len(partMagic)), List: r.list, Magic: [8]byte([]byte(indexMagic))}
		_ = binary.Write(&b, binary.LittleEndian, end) // a Buffer takes everything
		copy(p, b.Bytes())
	}
	return len(p), nil
}

// TestLongestList: a list of objects of 64 MiB is read, and one with a byte more is not.
func TestLongestList(t *testing.T) {
	for list, read := range map[uint32]bool{64<<20 - 1: true, 64 << 20: true, 64<<20 + 1: false} {
		_, err := readIndex(listReader{list})
		want := "has 67108865 bytes: want at most 67108864"
		if read {
			want = "the checksum of its index is" // the checksum is of zeros
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a list of %d bytes: %v; want it read: %t", list, err, read)
		}
	}
}

// TestOnlyItsPieces: Read reads no piece that only touches the wanted bytes: its damage has no
// effect.
func TestOnlyItsPieces(t *testing.T) {
	data := []byte("aaabbbccc")
	entries := make([]entry, 3)
	for i := range entries {
		entries[i] = entry{Offset: uint64(3 * i), At: uint64(8 + 3*i), Bytes: 3, Sum: checksum(data[3*i:][:3])}
		if i != 1 {
			entries[i].Sum++
		}
	}
	o, err := Open(t.Context(), stored(t, part(data, entries, "null"), sevenBytes(9)), 7)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for lo := range 9 {
		for hi := lo + 1; hi <= 9; hi++ {
			got := make([]byte, hi-lo)
			err := o.Read(0, lo, got)
			if inside := lo >= 3 && hi <= 6; (err == nil) != inside || inside && string(got) != string(data[lo:hi]) {
				t.Errorf("bytes %d to %d: %q, %v; those of 3 to 6 are not damaged", lo, hi, got, err)
			}
		}
	}
}

// TestStrangeArray: Commit refuses a part with a piece of an array that the job does not have.
func TestStrangeArray(t *testing.T) {
	for array := range uint32(3) {
		s := newShelf()
		k := New(Config{Store: s})
		if err := k.Save(t.Context(), cutOf(1, 0, 1, 30)); err != nil {
			t.Fatal(err)
		}
		own := len(k.cut.Arrays)
		s.objects[partName(1, 1)] = part([]byte("seven b"), []entry{{Array: array, Offset: 100, At: 8, Bytes: 7}}, "null")
		b := s.objects[partName(1, 1)]
		binary.LittleEndian.PutUint32(b[len(b)-12:], k.cut.start)
		resum(b)
		if err := k.Commit(t.Context(), 1); (err == nil) != (int(array) < own) {
			t.Errorf("a part with a piece of array %d of %d: %v", array, own, err)
		}
	}
}

// TestLockAgain: Lock tries again while its patience lasts, and only once without patience.
func TestLockAgain(t *testing.T) {
	for patience, want := range map[time.Duration]int{0: 1, 1: 2, 10 * time.Millisecond: 2, 10*time.Millisecond + 1: 3} {
		tries := 0
		d := &Directory{Patience: patience, lock: func() (func() error, error) {
			tries++
			return nil, errInUse
		}}
		if _, err := d.Lock(t.Context()); !errors.Is(err, errInUse) || tries != want {
			t.Errorf("with a patience of %v, Lock tries %d times, want %d: %v", patience, tries, want, err)
		}
	}
}

// TestKeepDefault: without a number, two checkpoints are kept.
func TestKeepDefault(t *testing.T) {
	for _, keep := range []int{-1, 0} {
		if got := New(Config{Keep: keep}).cfg.Keep; got != 2 {
			t.Errorf("with Keep %d, %d checkpoints are kept", keep, got)
		}
	}
	if got := New(Config{Keep: 1}).cfg.Keep; got != 1 {
		t.Errorf("with Keep 1, %d checkpoints are kept", got)
	}
}
