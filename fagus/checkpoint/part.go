package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/fagus-dsm/fagus/fagus"
)

// pieceBytes is the size of the longest piece: to check a byte, a reader must read its piece.
const pieceBytes = 1 << 20

const (
	partMagic  = "FAGUSP1\n"
	indexMagic = "FAGUSI1\n"
)

// checksum returns the CRC-32C of b.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// entry says where a piece of an array is.
type entry struct {
	Array  uint32 // index in the arrays of the manifest
	Object uint32 // 0: this part; otherwise the number, from 1, of an object in the part's list
	Offset uint64 // in the array
	At     uint64 // in the object
	Bytes  uint32
	Sum    uint32 // CRC-32C of the bytes
}

// tail is the end of a part.
type tail struct {
	Index   uint64 // offset of the entries, which the list of objects follows
	Entries uint32
	List    uint32 // bytes of the list of objects, which is JSON
	Sum     uint32 // CRC-32C of entries, list and the fields above
	Run     uint32 // Cut.Start; needed only until the manifest is written
	Magic   [8]byte
}

const (
	entryBytes = 32
	tailBytes  = 32
)

// partWriter writes a part.
type partWriter struct {
	w       io.Writer
	name    string
	run     uint32
	at      uint64
	entries []entry
	list    []string
	numbers map[string]uint32 // of list
}

func newPartWriter(w io.Writer, name string, run uint32) (*partWriter, error) {
	p := &partWriter{w: w, name: name, run: run, numbers: map[string]uint32{name: 0}}
	return p, p.write([]byte(partMagic))
}

func (p *partWriter) write(b []byte) error {
	n, err := p.w.Write(b)
	p.at += uint64(n)
	return err
}

// save writes a piece, cut into shorter pieces.
func (p *partWriter) save(piece fagus.SavedPiece) (places []place, err error) {
	for from := 0; from < len(piece.Data); from += pieceBytes {
		data := piece.Data[from:min(len(piece.Data), from+pieceBytes)]
		e := entry{
			Array: uint32(piece.Array), Offset: uint64(piece.Offset + from), At: p.at,
			Bytes: uint32(len(data)), Sum: checksum(data),
		}
		if err := p.write(data); err != nil {
			return nil, err
		}
		p.entries = append(p.entries, e)
		places = append(places, place{p.name, e})
	}
	return places, nil
}

// refer adds pieces that are saved already.
func (p *partWriter) refer(places []place) {
	for _, at := range places {
		number, known := p.numbers[at.object]
		if !known {
			p.list = append(p.list, at.object)
			number = uint32(len(p.list))
			p.numbers[at.object] = number
		}
		e := at.entry
		e.Object = number
		p.entries = append(p.entries, e)
	}
}

// end writes the index, and returns its checksum.
func (p *partWriter) end() (sum uint32, err error) {
	list, err := json.Marshal(p.list)
	if err != nil {
		return 0, err
	}
	var b bytes.Buffer
	t := tail{Index: p.at, Entries: uint32(len(p.entries)), List: uint32(len(list)), Run: p.run, Magic: [8]byte([]byte(indexMagic))}
	for _, part := range []any{p.entries, list} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			return 0, err
		}
	}
	t.Sum = t.after(0, b.Bytes())
	if err := binary.Write(&b, binary.LittleEndian, t); err != nil {
		return 0, err
	}
	return t.Sum, p.write(b.Bytes())
}

// index is the decoded index of a part.
type index struct {
	entries []entry
	list    []string
	sum     uint32
	run     uint32
}

var errNoPart = errors.New("it is no whole part: its end is missing")

// readIndex reads and checks the index of a part.
func readIndex(r Reader) (*index, error) {
	size := r.Size()
	var end [tailBytes]byte
	if size < int64(len(partMagic)+tailBytes) {
		return nil, errNoPart
	}
	if err := readAt(r, end[:], size-tailBytes); err != nil {
		return nil, err
	}
	var t tail
	if _, err := binary.Decode(end[:], binary.LittleEndian, &t); err != nil {
		return nil, err
	}
	if string(t.Magic[:]) != indexMagic {
		return nil, errNoPart
	}
	bytes := int64(t.Entries)*entryBytes + int64(t.List)
	if t.Index > uint64(size) || int64(t.Index)+bytes+tailBytes != size {
		return nil, errNoPart
	}
	if t.List > mostList {
		return nil, fmt.Errorf("its list of objects has %d bytes: want at most %d", t.List, mostList)
	}
	x := &index{sum: t.Sum, run: t.Run}
	entries, err := x.readEntries(r, &t)
	if err != nil {
		return nil, err
	}
	list := make([]byte, t.List)
	if err := readAt(r, list, int64(t.Index)+int64(t.Entries)*entryBytes); err != nil {
		return nil, err
	}
	if sum := t.after(entries, list); sum != t.Sum {
		return nil, fmt.Errorf("the checksum of its index is %08x: want %08x", sum, t.Sum)
	}
	if err := json.Unmarshal(list, &x.list); err != nil {
		return nil, fmt.Errorf("its list of objects: %w", err)
	}
	for _, e := range x.entries {
		if uint64(e.Object) > uint64(len(x.list)) {
			return nil, fmt.Errorf("an entry of its index has object %d of %d", e.Object, len(x.list))
		}
	}
	return x, nil
}

// readAt fills p.
func readAt(r io.ReaderAt, p []byte, at int64) error {
	if n, err := r.ReadAt(p, at); n < len(p) {
		return fmt.Errorf("reading %d bytes at %d: %w", len(p), at, err)
	}
	return nil
}
