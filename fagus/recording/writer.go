package recording

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// DefaultLimit is the default of Recording.Limit.
const DefaultLimit = 4 << 30

const (
	bufferBytes = 32 << 10 // of a rank
	writesBytes = 32 << 10 // of an entry with writes, at which it ends
	inputBytes  = 4 << 10  // of inputs, at which they become an entry
	markBytes   = 1 << 10  // that are left for the last mark of a file
	mostLines   = 1 << 12  // of a rank
	mostText    = 512      // bytes of a mark's text
	flushEvery  = dimmnet.Second
)

// Recording says where the ranks of a run record what they do.
type Recording struct {
	Dir    string
	Values bool  // also the bytes that tenures have changed
	Limit  int64 // of all ranks' files together, in bytes; each rank has an equal share
	// Attempt is how often the job was started before: Sub says what that means.
	Attempt      int
	Program, Net string // for About

	mu    sync.Mutex
	notes []string
	runs  int
}

// New returns a Recording without values and with the default limit.
func New(dir string) *Recording { return &Recording{Dir: dir, Limit: DefaultLimit} }

// Notes says which ranks of this process recorded less than all, and why.
func (r *Recording) Notes() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.notes
}

func (r *Recording) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// Begin begins a run, and returns its number in this process, from 1. Package fagus calls it.
func (r *Recording) Begin() (run int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs++
	return r.runs
}

// Sub returns the directory with the record of a run: dir for the first run of the first attempt of
// a job, dir/run2 for the second run of a process, and so on; dir/attempt1 for a job that was
// started again, dir/attempt1/run2.
func Sub(dir string, attempt, run int) string {
	if attempt > 0 {
		dir = filepath.Join(dir, fmt.Sprintf("attempt%d", attempt))
	}
	if run > 1 {
		dir = filepath.Join(dir, fmt.Sprintf("run%d", run))
	}
	return dir
}

// place returns the directory of the present run.
func (r *Recording) place() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Sub(r.Dir, r.Attempt, r.runs)
}

func fileName(dir string, rank int) string {
	return filepath.Join(dir, fmt.Sprintf("rank%d.record", rank))
}

// Holds reports whether a directory has a record.
func Holds(dir string) bool {
	some, err := filepath.Glob(filepath.Join(dir, "rank*.record"))
	return err == nil && len(some) > 0
}

// Writer records what one rank does. Only the goroutine of the rank uses it.
type Writer struct {
	of      *Recording
	about   About
	file    io.WriteCloser
	to      *bufio.Writer
	left    int64            // bytes
	entry   []byte           // the frame of the entry that is being made; reused
	at      consistency.Addr // the end of the last piece of an entry with writes; 0: it has none
	over    bool             // nothing more is recorded
	inputs  []byte           // that no entry has yet
	flushed dimmnet.Time
	lines   map[uint64]int
}

// Writer makes the directory if there is none, and the file of a rank.
func (r *Recording) Writer(about About) (*Writer, error) {
	dir := r.place()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	file, err := os.OpenFile(fileName(dir, about.Rank), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("recording: %s has a record of an earlier run: name another directory, or remove that one; a job that others than fagus start again needs another name for each start", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	about.Program, about.Net, about.Values = r.Program, r.Net, r.Values
	about.Command, about.Folder = command()
	w := &Writer{of: r, about: about, file: file, to: bufio.NewWriterSize(file, bufferBytes), lines: make(map[uint64]int),
		left: max(r.Limit/int64(about.Nodes), 2*markBytes) - markBytes}
	w.to.WriteString(magic) // Flush returns errors
	w.to.Write(binary.LittleEndian.AppendUint32(nil, version))
	w.JSON(&about)
	return w, w.to.Flush()
}

// command returns how this process was started, as far as that is known.
func command() (words []string, folder string) {
	self, err := os.Executable()
	if err != nil {
		return nil, ""
	}
	if folder, err = os.Getwd(); err != nil {
		return nil, ""
	}
	return append([]string{self}, os.Args[1:]...), folder
}

// JSON records an *About, *Array, *Binding, *Line or *Mark.
func (w *Writer) JSON(e Entry) {
	kind := kindMark
	switch e := e.(type) {
	case *About:
		kind = kindAbout
	case *Array:
		kind = kindArray
	case *Binding:
		kind = kindBinding
	case *Line:
		kind = kindLine
	case *Mark:
		w.putInputs()
		e.Text = e.Text[:min(len(e.Text), mostText)]
	}
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // of these types there is none
	}
	w.begin(kind)
	w.entry = append(w.entry, text...)
	w.end()
}

// Input records an input of a rank, which has a number or, if the kind has them, bytes.
func (w *Writer) Input(kind InputKind, number uint64, b []byte) {
	if w.over {
		return
	}
	w.inputs = append(w.inputs, byte(kind))
	if kind.HasBytes() {
		w.inputs = append(binary.AppendUvarint(w.inputs, uint64(len(b))), b...)
	} else {
		w.inputs = binary.AppendUvarint(w.inputs, number)
	}
	if len(w.inputs) >= inputBytes {
		w.putInputs()
	}
}

// putInputs records the inputs that no entry has.
func (w *Writer) putInputs() {
	if len(w.inputs) == 0 {
		return
	}
	w.begin(kindInputs)
	w.entry = append(w.entry, w.inputs...)
	w.inputs = w.inputs[:0]
	w.end()
}

// Line returns the number of the line with a key. text makes the line if it is new.
func (w *Writer) Line(key uint64, text func() string) int {
	at, known := w.lines[key]
	if !known && len(w.lines) < mostLines && !w.over {
		at = len(w.lines) + 1
		w.lines[key] = at
		w.JSON(&Line{text()})
	}
	return at
}

// Wrote begins the writes of a tenure to a variable.
func (w *Writer) Wrote(id syncvar.ID, version syncvar.Version) {
	w.begin(kindWrites)
	w.entry = appendUvarints(w.entry, uint64(id), uint64(version))
	w.at = 0
}

// Piece records that the tenure has changed the bytes from an address on, whole elements. Pieces
// are by address, and cut at pages: so the pieces of two runs that wrote the same correspond.
func (w *Writer) Piece(id syncvar.ID, version syncvar.Version, lo consistency.Addr, b []byte) {
	for len(b) > 0 && !w.over {
		n := min(len(b), int(consistency.PageBytes-lo%consistency.PageBytes))
		w.entry = appendUvarints(w.entry, uint64(lo-w.at), uint64(n))
		w.entry = binary.LittleEndian.AppendUint64(w.entry, Hash(b[:n]))
		if w.of.Values {
			w.entry = append(w.entry, b[:n]...)
		}
		lo, b = lo+consistency.Addr(n), b[n:]
		if w.at = lo; len(w.entry) >= writesBytes {
			w.end()
			w.Wrote(id, version)
		}
	}
}

// WroteAll ends the writes of a tenure to a variable.
func (w *Writer) WroteAll() {
	if w.at > 0 {
		w.end()
	}
}

// Tenure records a tenure. Its writes follow.
func (w *Writer) Tenure(t *Tenure) {
	w.putInputs()
	w.begin(0)
	w.entry = t.append(w.entry[:frameBytes])
	w.end()
	w.flush(t.To)
}

// Meeting records a call in which all ranks have met.
func (w *Writer) Meeting(m *Meeting) {
	w.putInputs()
	w.begin(0)
	w.entry = m.append(w.entry[:frameBytes])
	w.end()
	w.flush(m.To)
}

// flush writes what is in the buffer if the last time was long ago.
func (w *Writer) flush(now dimmnet.Time) {
	if w.about.Clock == dimmnet.Virtual || now-w.flushed < flushEvery || w.over {
		return
	}
	w.flushed = now
	if err := w.to.Flush(); err != nil {
		w.stop(err)
	}
}

func (w *Writer) begin(kind byte) {
	w.entry = append(w.entry[:0], make([]byte, frameBytes)...)
	w.entry = append(w.entry, kind)
}

// end writes the entry, unless the file is full.
func (w *Writer) end() {
	switch {
	case w.over:
	case int64(len(w.entry)) > w.left:
		w.left += markBytes
		w.over = true
		w.of.note("the record of rank %d is not complete: it has reached its share of the limit, %d MiB for %d ranks", w.about.Rank, w.of.Limit>>20, w.about.Nodes)
		w.begin(kindMark)
		w.entry = append(w.entry, `{"kind":"`+Full+`"}`...)
		w.put()
	default:
		w.put()
	}
}

func (w *Writer) put() {
	payload := w.entry[frameBytes:]
	binary.LittleEndian.PutUint32(w.entry, uint32(len(payload)))
	binary.LittleEndian.PutUint32(w.entry[4:], crc32.Checksum(payload, castagnoli()))
	w.left -= int64(len(w.entry))
	if _, err := w.to.Write(w.entry); err != nil {
		w.stop(err)
	}
}

// stop records nothing more, because the file cannot be written.
func (w *Writer) stop(err error) {
	w.over = true
	w.of.note("the record of rank %d is not complete: %v", w.about.Rank, err)
}

// Close ends the file.
func (w *Writer) Close() {
	w.putInputs()
	err := w.to.Flush()
	if err = errors.Join(err, w.file.Close()); err != nil && !w.over {
		w.stop(err)
	}
}
