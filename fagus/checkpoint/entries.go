package checkpoint

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// mostList bounds the bytes of the list of objects in an index.
const mostList = 64 << 20

// chunkEntries is how many entries of an index are read at a time.
const chunkEntries = 1 << 12

// readEntries reads the entries of an index, whose place has been checked, and returns the
// checksum of their bytes. It stops at the first entry that no writer writes. So a file with large
// holes, which read as zeros, takes no memory.
func (x *index) readEntries(r Reader, t *tail) (sum uint32, err error) {
	b := make([]byte, chunkEntries*entryBytes)
	for from := int64(0); from < int64(t.Entries); from += chunkEntries {
		n := min(chunkEntries, int64(t.Entries)-from)
		chunk := b[:n*entryBytes]
		if err := readAt(r, chunk, int64(t.Index)+from*entryBytes); err != nil {
			return 0, err
		}
		sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), chunk)
		some := make([]entry, n)
		if _, err := binary.Decode(chunk, binary.LittleEndian, some); err != nil {
			return 0, err
		}
		for i, e := range some {
			if e.Bytes == 0 || e.Bytes > pieceBytes {
				return 0, fmt.Errorf("entry %d of its index has %d bytes: want 1 to %d: it is damaged", from+int64(i), e.Bytes, pieceBytes)
			}
		}
		x.entries = append(x.entries, some...)
	}
	return sum, nil
}

// after returns the checksum of an index: sum is the checksum of its beginning (0 of nothing), and
// rest is the bytes that follow.
func (t *tail) after(sum uint32, rest []byte) uint32 {
	b := binary.LittleEndian.AppendUint64(rest[:len(rest):len(rest)], t.Index)
	b = binary.LittleEndian.AppendUint32(b, t.Entries)
	b = binary.LittleEndian.AppendUint32(b, t.List)
	return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b)
}
