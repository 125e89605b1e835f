package recording

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// IsFile reports whether the first bytes of a file are those of a record.
func IsFile(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// Run is the record of a run.
type Run struct {
	About // of rank 0
	Dir   string
}

// Open opens the record in a directory. Rank 0's file must be there.
func Open(dir string) (*Run, error) {
	first, err := open(dir, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no record of rank 0: name the directory that --record of the run named: %w", dir, err)
	}
	if err != nil {
		return nil, err
	}
	defer first.Close()
	return &Run{first.About, dir}, nil
}

// Rank opens the file of a rank. If there is none, the Reader has no entries.
func (r *Run) Rank(rank int) (*Reader, error) {
	reader, err := open(r.Dir, rank)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Reader{About: About{Rank: rank}, ended: "it is missing"}, nil
	case err != nil:
		return nil, err
	}
	if got, want := reader.About, r.About; got.Nodes != want.Nodes || got.Mode != want.Mode || got.Values != want.Values || got.Program != want.Program || got.Net != want.Net {
		reader.Close()
		return nil, fmt.Errorf("%s is the record of another run than that of rank 0: it has %d ranks, mode %s, network %s", fileName(r.Dir, rank), got.Nodes, got.Mode, got.Net)
	}
	return reader, nil
}

// Reader reads the file of a rank, which may be damaged.
type Reader struct {
	About
	Lines []string // those read so far

	file interface { // nil: there is none
		io.ReaderAt
		io.Closer
		Name() string
	}
	in     *bufio.Reader
	at     int64 // bytes read
	last   int64 // where the last entry begins
	left   int64 // bytes of the file that have not been read
	ended  string
	whole  bool   // the last entry is that of the end of a run
	entry  []byte // reused, as is writes
	writes Writes
}

func open(dir string, rank int) (*Reader, error) {
	name := fileName(dir, rank)
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r := &Reader{file: file}
	info, err := file.Stat()
	if err == nil {
		err = r.begin(file, info.Size(), rank)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// begin begins to read a file of some size.
func (r *Reader) begin(from io.Reader, size int64, rank int) error {
	r.in, r.left = bufio.NewReaderSize(from, 1<<16), size
	head := make([]byte, len(magic)+4)
	if _, err := io.ReadFull(r.in, head); err != nil || string(head[:len(magic)]) != magic {
		return errors.New("it is no record of a run")
	}
	if v := binary.LittleEndian.Uint32(head[len(magic):]); v != version {
		return fmt.Errorf("it has version %d of the format: this program reads version %d", v, version)
	}
	r.at, r.left = int64(len(head)), r.left-int64(len(head))
	e, err := r.Next()
	about, ok := e.(*About)
	if err != nil || !ok || about.Rank != rank || about.Nodes <= rank || about.Nodes > dimmnet.MaxNodes || about.Begun < 0 || about.Origin.Off < 0 {
		return errors.New("it does not say of which run and rank it is")
	}
	r.About = *about
	return nil
}

// Next returns the next entry, which is valid until the next call. At the end of what can be read
// the error is io.EOF.
func (r *Reader) Next() (Entry, error) {
	if r.in == nil || r.ended != "" {
		return nil, io.EOF
	}
	var head [frameBytes]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return nil, r.end(err)
	}
	length := int64(binary.LittleEndian.Uint32(head[:]))
	if length > r.left-frameBytes {
		return nil, r.end(io.ErrUnexpectedEOF)
	}
	if length > mostEntry {
		return nil, r.damaged(fmt.Errorf("an entry of %d bytes", length))
	}
	if int64(cap(r.entry)) < length {
		r.entry = make([]byte, length)
	}
	r.entry = r.entry[:length]
	if _, err := io.ReadFull(r.in, r.entry); err != nil {
		return nil, r.end(err)
	}
	if crc32.Checksum(r.entry, castagnoli()) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, r.damaged(errors.New("the checksum of an entry is wrong"))
	}
	e, err := decode(r.entry, r.Values, len(r.Lines), &r.writes)
	if err != nil {
		return nil, r.damaged(err)
	}
	r.last, r.at, r.left = r.at, r.at+frameBytes+length, r.left-frameBytes-length
	switch e := e.(type) {
	case *Line:
		r.Lines = append(r.Lines, e.Text)
	case *Meeting:
		r.whole = e.Call == rollcall.End
	case *Mark:
		if e.Kind == Full {
			r.ended = "it has reached its limit"
		}
	}
	return e, nil
}

// Offset returns where the last entry of Next begins in the file, for WritesAt.
func (r *Reader) Offset() int64 { return r.last }

// Release gives back the buffers of Next, which returns io.EOF from now on.
func (r *Reader) Release() { r.in, r.entry, r.writes = nil, nil, Writes{} }

// WritesAt returns the writes at an offset, which are valid until the next call of WritesAt for w.
// It does not change what Next returns.
func (r *Reader) WritesAt(offset int64, w *Writes, buffer *[]byte) error {
	var head [frameBytes]byte
	if _, err := r.file.ReadAt(head[:], offset); err != nil {
		return fmt.Errorf("%s: %w", r.file.Name(), err)
	}
	length := int64(binary.LittleEndian.Uint32(head[:]))
	if length > mostEntry || length > r.at-frameBytes-offset {
		return fmt.Errorf("%s: it has changed", r.file.Name())
	}
	if int64(cap(*buffer)) < length {
		*buffer = make([]byte, length)
	}
	b := (*buffer)[:length]
	if _, err := r.file.ReadAt(b, offset+frameBytes); err != nil {
		return fmt.Errorf("%s: %w", r.file.Name(), err)
	}
	if len(b) == 0 || b[0] != kindWrites || crc32.Checksum(b, castagnoli()) != binary.LittleEndian.Uint32(head[4:]) {
		return fmt.Errorf("%s: it has changed", r.file.Name())
	}
	_, err := decode(b, r.Values, 0, w)
	return err
}

// end is called where the file ends, maybe within an entry.
func (r *Reader) end(err error) error {
	switch {
	case err == io.EOF && r.whole:
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		r.ended = "it ends before the run did, or the run has failed"
	default:
		return err
	}
	return io.EOF
}

func (r *Reader) damaged(err error) error {
	r.ended = fmt.Sprintf("it is damaged at byte %d: %v", r.at, err)
	return io.EOF
}

// Line returns the text of a line, an index of an entry.
func (r *Reader) Line(index int) string {
	if index == 0 {
		return ""
	}
	return r.Lines[index-1]
}

// Cut says why the record ends before the run did; "" if it does not. Next has returned io.EOF.
func (r *Reader) Cut() string { return r.ended }

// Close closes the file.
func (r *Reader) Close() {
	if r.file != nil {
		r.file.Close() // it was only read
	}
}
