package recording

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Entry is one of *About, *Array, *Binding, *Line, *Writes, *Tenure, *Meeting, *Mark, *Inputs.
type Entry any

// About is the first entry of a file.
type About struct {
	Program string        `json:"program"`
	Mode    string        `json:"mode"`
	Net     string        `json:"net"`
	Clock   dimmnet.Clock `json:"clock"`
	Nodes   int           `json:"nodes"`
	Rank    int           `json:"rank"`
	Values  bool          `json:"values"` // Writes have the bytes, and there are Inputs
	// Begun is when the rank began its program, by its clock: no time in the file is earlier.
	Begun  dimmnet.Time   `json:"begun_ps,omitempty"`
	Origin dimmnet.Origin `json:"origin,omitzero"` // of its clock

	// What a replay needs to know of the configuration.
	Check       string `json:"check,omitempty"`           // Config.Check, unless it is off
	Detection   string `json:"write_detection,omitempty"` // Config.WriteDetection
	Checkpoints bool   `json:"checkpoints,omitempty"`     // Config.Checkpoints is set

	Command []string `json:"command,omitempty"` // the process: its executable and arguments
	Folder  string   `json:"folder,omitempty"`  // and its working directory
}

// Array is an array of the program. Arrays do not overlap, and are in increasing order.
type Array struct {
	Name    string           `json:"name"`
	Kind    string           `json:"kind"` // "9 elements of type float64"
	Element int              `json:"element"`
	Base    consistency.Addr `json:"base"`
	Bytes   int              `json:"bytes"`
}

// Binding says which ranges a variable guards from now on, by address.
type Binding struct {
	ID     syncvar.ID          `json:"id"`
	Name   string              `json:"name"`
	Ranges []consistency.Range `json:"ranges"`
	Again  bool                `json:"again,omitempty"` // by a Rebind
}

// Line is the next source line of the file: entries refer to the first one by 1, and so on. In an
// entry, 0 is no line.
type Line struct {
	Text string `json:"text"`
}

// Piece is bytes that a tenure has changed, whole elements within one page.
type Piece struct {
	Range consistency.Range
	Hash  uint64
	Bytes []byte // nil without values; valid until the next entry is read
}

// Writes are pieces that the tenure of the last Tenure entry has changed. Version is the one that
// the tenure has made.
type Writes struct {
	ID      syncvar.ID
	Version syncvar.Version
	Pieces  []Piece
}

// Held is a variable that a tenure held: in a shared tenure with the version seen, in an exclusive
// one with the version made. It is also a variable whose data an Update has brought.
type Held struct {
	ID      syncvar.ID
	Version syncvar.Version
}

// Tenure is a tenure that has ended.
type Tenure struct {
	From, To          dimmnet.Time // when it was acquired and released, by the clock of the rank
	Step              uint64       // how many steps the rank had made at the release
	Acquired          int          // the line of the Acquire
	Released          int          // the line of the Release
	Moved             bool         // a Rebind has made it: the values are not new
	Restored          bool         // Resume has made it: the bytes are those of a checkpoint
	Open              bool         // the record ends within the tenure
	Shared, Exclusive []Held
}

// Meeting is a call in which all ranks have met.
type Meeting struct {
	Call     rollcall.Call
	From, To dimmnet.Time
	Before   uint64 // steps of the rank when the call began
	Step     uint64 // steps of the rank at the end of the call
	Line     int
	Arrived  []Held // of an Update: variables of which data have arrived
}

// The kinds of marks.
const (
	Saved   = "checkpoint"    // the checkpoint Number was made
	Unsaved = "no checkpoint" // the checkpoint Number was not made, for the reason Text
	Resumed = "resumed"       // the run goes on from the checkpoint Number
	Failed  = "failed"        // a call has failed with the error Text
	Full    = "full"          // the record has reached its limit: nothing more is recorded
	Folding = "folding"       // Node.Folds is true
)

// Mark is something that happens rarely.
type Mark struct {
	Kind   string `json:"kind"`
	Number uint64 `json:"number,omitempty"`
	Text   string `json:"text,omitempty"`
}

// Inputs is what has reached the program of a rank by other ways than tenures, in order, up to the
// entry that follows.
type Inputs struct{ All []Input }

// Input is a number or bytes that a rank gets. Which one it has depends on the kind.
type Input struct {
	Kind   InputKind
	Number uint64
	Bytes  []byte // valid until the next entry is read
}

// InputKind is a kind of input.
type InputKind byte

// The kinds of inputs.
const (
	Now    InputKind = 1 + iota // the time that Node.Now returns, or the duration of Node.Measure
	Word                        // the word of this rank in a Reduce
	Start                       // a random number
	Owns                        // whether the rank owns a variable: 0 or 1
	Vector                      // the Hash of what this rank gives to a Fold
	Folded                      // bytes: the result of a Fold; only rank 0 has it
	Answer                      // bytes: what a Checkpointer answers
	inputKinds
)

// HasBytes reports whether inputs of the kind are bytes.
func (k InputKind) HasBytes() bool { return k == Folded || k == Answer }

// String names what the input is.
func (k InputKind) String() string {
	if k == 0 || k >= inputKinds {
		return fmt.Sprintf("input %d", byte(k))
	}
	return [inputKinds]string{Now: "the time", Word: "a Reduce", Vector: "a Fold", Start: "a random number", Owns: "the owner of a variable", Folded: "the result of a Fold", Answer: "a checkpoint"}[k]
}

// The first byte of an entry. Entries of the first kinds are JSON.
const (
	kindAbout byte = 1 + iota
	kindArray
	kindBinding
	kindLine
	kindMark
	kindWrites
	kindTenure
	kindMeeting
	kindInputs
)

const (
	magic      = "FAGUSREC"
	version    = 2
	frameBytes = 8       // the length of an entry and its CRC-32C, little endian
	mostEntry  = 1 << 28 // bytes
)

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// Hash returns two checksums of b in one number. Processors compute both faster than they read
// memory.
func Hash(b []byte) uint64 {
	return uint64(crc32.Checksum(b, castagnoli()))<<32 | uint64(crc32.ChecksumIEEE(b))
}

func appendHeld(b []byte, all []Held) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, h := range all {
		b = binary.AppendUvarint(b, uint64(h.ID))
		b = binary.AppendUvarint(b, uint64(h.Version))
	}
	return b
}

func appendUvarints(b []byte, all ...uint64) []byte {
	for _, x := range all {
		b = binary.AppendUvarint(b, x)
	}
	return b
}

func (t *Tenure) append(b []byte) []byte {
	flags := uint64(0)
	if t.Moved {
		flags |= 1
	}
	if t.Restored {
		flags |= 2
	}
	if t.Open {
		flags |= 4
	}
	b = appendUvarints(append(b, kindTenure), uint64(t.From), uint64(t.To-t.From), t.Step, uint64(t.Acquired), uint64(t.Released), flags)
	return appendHeld(appendHeld(b, t.Shared), t.Exclusive)
}

func (m *Meeting) append(b []byte) []byte {
	b = append(b, kindMeeting, byte(m.Call))
	return appendHeld(appendUvarints(b, uint64(m.From), uint64(m.To-m.From), m.Before, m.Step-m.Before, uint64(m.Line)), m.Arrived)
}

var errEntry = errors.New("the entry ends early, or has a number that is too large")

// decoder reads the fields of an entry, which may be anything.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uvarint(most uint64) uint64 {
	x, n := binary.Uvarint(d.b)
	if n <= 0 || x > most {
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return x
}

func (d *decoder) take(n int) []byte {
	if n > len(d.b) {
		d.bad = true
		return nil
	}
	taken := d.b[:n:n]
	d.b = d.b[n:]
	return taken
}

func (d *decoder) held() []Held {
	n := d.uvarint(uint64(len(d.b) / 2)) // each has at least 2 bytes
	if d.bad || n == 0 {
		return nil
	}
	all := make([]Held, n)
	for i := range all {
		all[i] = Held{d.id(), d.version()}
	}
	return all
}

func (d *decoder) id() syncvar.ID           { return syncvar.ID(d.uvarint(syncvar.MaxID)) }
func (d *decoder) version() syncvar.Version { return syncvar.Version(d.uvarint(1 << 62)) }
func (d *decoder) time() dimmnet.Time       { return dimmnet.Time(d.uvarint(1 << 61)) }
func (d *decoder) line(known int) int       { return int(d.uvarint(uint64(known))) }

// decode returns the entry of a payload, which may be w, whose memory is reused. lines is the
// number of lines before it.
func decode(b []byte, values bool, lines int, w *Writes) (Entry, error) {
	if len(b) == 0 {
		return nil, errEntry
	}
	var e Entry
	d := decoder{b: b[1:]}
	switch b[0] {
	case kindAbout:
		e = new(About)
	case kindArray:
		e = new(Array)
	case kindBinding:
		e = new(Binding)
	case kindLine:
		e = new(Line)
	case kindMark:
		e = new(Mark)
	case kindWrites:
		return d.writes(values, w)
	case kindTenure:
		return d.tenure(lines)
	case kindMeeting:
		return d.meeting(lines)
	case kindInputs:
		return d.inputs()
	default:
		return nil, fmt.Errorf("an entry of kind %d", b[0])
	}
	return e, json.Unmarshal(d.b, e)
}

func (d *decoder) end(e Entry) (Entry, error) {
	if d.bad || len(d.b) > 0 {
		return nil, errEntry
	}
	return e, nil
}

func (d *decoder) writes(values bool, w *Writes) (Entry, error) {
	w.ID, w.Version, w.Pieces = d.id(), d.version(), w.Pieces[:0]
	at := uint64(0)
	for !d.bad && len(d.b) > 0 {
		at += d.uvarint(consistency.MaxAddr)
		n := d.uvarint(consistency.PageBytes)
		p := Piece{Range: consistency.Range{Lo: consistency.Addr(at), Hi: consistency.Addr(at + n)}}
		if hash := d.take(8); !d.bad {
			p.Hash = binary.LittleEndian.Uint64(hash)
		}
		if values {
			p.Bytes = d.take(int(n))
		}
		if at += n; n == 0 || at > consistency.MaxAddr {
			return nil, errEntry
		}
		w.Pieces = append(w.Pieces, p)
	}
	return d.end(w)
}

func (d *decoder) inputs() (Entry, error) {
	all := new(Inputs)
	for !d.bad && len(d.b) > 0 {
		in := Input{Kind: InputKind(d.take(1)[0]), Number: d.uvarint(math.MaxUint64)}
		if in.Kind == 0 || in.Kind >= inputKinds || len(all.All) == inputBytes {
			return nil, errEntry
		}
		if in.Kind.HasBytes() {
			if in.Number > uint64(len(d.b)) {
				return nil, errEntry
			}
			in.Bytes, in.Number = d.take(int(in.Number)), 0
		}
		all.All = append(all.All, in)
	}
	return d.end(all)
}

func (d *decoder) tenure(lines int) (Entry, error) {
	t := &Tenure{From: d.time()}
	t.To = t.From + d.time()
	t.Step = d.uvarint(1 << 62)
	t.Acquired, t.Released = d.line(lines), d.line(lines)
	flags := d.uvarint(7)
	t.Moved, t.Restored, t.Open = flags&1 != 0, flags&2 != 0, flags&4 != 0
	t.Shared, t.Exclusive = d.held(), d.held()
	return d.end(t)
}

func (d *decoder) meeting(lines int) (Entry, error) {
	call := d.take(1)
	if d.bad || call[0] == 0 || rollcall.Call(call[0]) > rollcall.End {
		return nil, errEntry
	}
	m := &Meeting{Call: rollcall.Call(call[0]), From: d.time()}
	m.To = m.From + d.time()
	m.Before = d.uvarint(1 << 61)
	m.Step = m.Before + d.uvarint(1<<61)
	m.Line = d.line(lines)
	m.Arrived = d.held()
	return d.end(m)
}
