package tracefile

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

const (
	mostFile   = 4 << 30 // bytes of a file that Read takes
	mostPacket = 1 << 30 // of its tables, which are the largest packet
)

var (
	// ErrForeign is the error of a file that Write has not written, or that is damaged.
	ErrForeign = errors.New("this is no trace that --trace has written")
	errCut     = errors.New("this is no trace that --trace has written, or its end is missing")
)

// Read reads a file of Write. The times of all ranks are of one clock.
func Read(from io.Reader) (*trace.Trace, error) {
	r := reader{trace: trace.New(), tracks: make(map[uint64]*track)}
	in := packets{in: bufio.NewReaderSize(from, 1<<16)}
	for {
		packet, err := in.next()
		if err == io.EOF {
			return r.result()
		}
		if err == nil {
			err = r.packet(packet)
		}
		if err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
	}
}

// IsPerfetto reports whether the first bytes of a file are those of a trace of Perfetto, from Write
// or from another tool.
func IsPerfetto(head []byte) bool {
	in := packets{in: bufio.NewReader(bytes.NewReader(head))}
	packet, err := in.next()
	if err != nil {
		return false
	}
	known := false
	err = fields(packet, func(n fieldNumber, _ value) error {
		known = known || n == packetTimestamp || n == packetSequence
		return nil
	})
	return err == nil && known
}

// packets reads the packets of a file, one by one.
type packets struct {
	in   *bufio.Reader
	read int64            // bytes so far
	part io.LimitedReader // of in: the packet
	data bytes.Buffer
}

// next returns the next packet, which is valid until the next call.
func (p *packets) next() ([]byte, error) {
	tag, err := p.varint()
	if err == io.EOF {
		return nil, io.EOF
	}
	if err != nil || tag != tagOf(tracePacket, bytesKind) {
		return nil, ErrForeign
	}
	size, err := p.varint()
	if err != nil {
		return nil, errCut
	}
	if size > mostPacket {
		return nil, fmt.Errorf("%w: a packet of %d bytes", ErrForeign, size)
	}
	if p.read += int64(size); p.read > mostFile {
		return nil, fmt.Errorf("the file has more than %d GiB, which is more than can be analysed: record less with --trace-limit", mostFile>>30)
	}
	p.data.Reset()
	p.part = io.LimitedReader{R: p.in, N: int64(size)}
	// ReadFrom takes memory as the data come.
	if n, err := p.data.ReadFrom(&p.part); err != nil || n < int64(size) {
		return nil, cmp.Or(err, errCut)
	}
	return p.data.Bytes(), nil
}

// varint returns the next number. The error is io.EOF if the file ends before it.
func (p *packets) varint() (uint64, error) {
	v, err := binary.ReadUvarint(p.in)
	if err == io.ErrUnexpectedEOF {
		return 0, errCut
	}
	return v, err
}

// reader makes a Trace of packets.
type reader struct {
	trace  *trace.Trace
	tables bool // they have been read
	tracks map[uint64]*track
}

// track is the track of a rank.
type track struct {
	events []trace.Event
	most   int           // the number of events to come, as the tables say: they may lie
	call   trace.Event   // that has begun
	inner  []trace.Event // what has happened in it
	wait   trace.Event   // a wait, or moving data, that has begun
	open   []uint64
}

func (r *reader) packet(data []byte) error {
	var at uint64
	var event []byte
	err := fields(data, func(n fieldNumber, v value) error {
		switch n {
		case packetTimestamp:
			at = v.number
		case packetTrackEvent:
			event = v.bytes
		}
		return nil
	})
	if err != nil || event == nil {
		return err
	}
	return r.event(dimmnet.Time(at)*dimmnet.Nanosecond, event)
}

// item is an event of a track, as it is in the file.
type item struct {
	kind, name, track uint64
	notes             [notes]uint64
	tables            []byte
}

func (r *reader) event(at dimmnet.Time, data []byte) error {
	var e item
	err := fields(data, func(n fieldNumber, v value) error {
		switch n {
		case eventType:
			e.kind = v.number
		case eventNameIID:
			e.name = v.number
		case eventTrack:
			e.track = v.number
		case eventNotes:
			return e.note(v.bytes)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case e.tables != nil:
		return r.readTables(e.tables)
	case !r.tables:
		return ErrForeign
	}
	if e.track >= queueTrack {
		return nil // how many packets wait, which follows from the packets
	}
	if e.track >= packetTrack {
		return r.addPacket(e.track-packetTrack, at, &e)
	}
	t := r.tracks[e.track]
	if t == nil {
		return fmt.Errorf("an event of the unknown track %d", e.track)
	}
	return t.add(at, &e)
}

func (e *item) note(data []byte) error {
	var name, number uint64
	var text []byte
	err := fields(data, func(n fieldNumber, v value) error {
		switch n {
		case noteNameIID:
			name = v.number
		case noteUint, noteStringIID:
			number = v.number
		case noteString:
			text = v.bytes
		}
		return nil
	})
	if note(name) == noteTables {
		e.tables = text
	} else if name < uint64(notes) {
		e.notes[name] = number
	}
	return err
}

func (r *reader) readTables(text []byte) error {
	head := tables{Trace: r.trace}
	if err := json.Unmarshal(text, &head); err != nil || head.Schema != Schema {
		return fmt.Errorf("%w: its schema is %q, want %q", ErrForeign, head.Schema, Schema)
	}
	r.tables = true
	last := trace.None
	for i := range r.trace.Ranks {
		rank := r.trace.Ranks[i].Rank
		if rank <= last || rank >= r.trace.Nodes {
			return fmt.Errorf("the tables have rank %d after rank %d, of %d", rank, last, r.trace.Nodes)
		}
		last = rank
		of := &track{}
		if i < len(head.Events) {
			of.most = head.Events[i]
		}
		r.tracks[rankTrack+uint64(rank)] = of
	}
	return nil
}

// index returns the index of an interned text, None if there is none.
func (e *item) index(n note, first uint64) int32 {
	if e.notes[n] < first {
		return trace.None
	}
	return int32(e.notes[n] - first)
}

// add adds an item of the file to the track.
func (t *track) add(at dimmnet.Time, e *item) error {
	switch e.kind {
	case sliceBegin:
		t.open = append(t.open, e.name)
		of := e.event(at)
		if of.Kind == trace.Called {
			t.call, t.inner = of, t.inner[:0]
		} else {
			t.wait = of
		}
	case instant:
		t.inner = append(t.inner, e.event(at))
	case sliceEnd:
		last := len(t.open) - 1
		if last < 0 {
			return errors.New("a slice ends that has not begun")
		}
		name := t.open[last]
		t.open = t.open[:last]
		switch {
		case name == tenure:
		case name < uint64(trace.Kinds) && isSlice(trace.Kind(name)):
			t.wait.To = at
			t.inner = append(t.inner, t.wait)
		default:
			t.call.To = at
			t.grow(1 + len(t.inner))
			t.events = append(append(t.events, t.inner...), t.call)
			t.inner = t.inner[:0]
		}
	}
	return nil
}

// grow makes room for n events: for twice as many as there are, but no more than are to come.
func (t *track) grow(n int) {
	if need := len(t.events) + n; need > cap(t.events) {
		room := 2 * need
		if t.most >= need {
			room = min(room, t.most)
		}
		t.events = append(make([]trace.Event, 0, room), t.events...)
	}
}

// event returns the event of an item that begins, or takes no time.
func (e *item) event(at dimmnet.Time) trace.Event {
	of := trace.Of(trace.Kind(min(e.name, 255)), at, at)
	if e.name > 64 {
		of.Kind, of.Call = trace.Called, rollcall.Call(min(e.name-64, 255))
	}
	of.Line, of.Set, of.ID = e.index(noteLine, firstLine), e.index(noteSet, firstSet), e.index(noteVariable, firstVariable)
	if of.Kind == trace.Called {
		of.Number, of.Posts, of.Bytes = e.notes[noteSteps], uint32(e.notes[notePosts]), e.notes[noteSent]
		return of
	}
	of.Lo, of.Hi = uint32(e.notes[noteLo]), uint32(e.notes[noteHi])
	of.Number, of.Bytes, of.Rank = e.notes[noteNumber], e.notes[noteBytes], int32(e.notes[noteFor])-1
	return of
}

// result returns the Trace, after it has checked the events.
func (r *reader) result() (*trace.Trace, error) {
	if !r.tables {
		return nil, fmt.Errorf("trace: %w", ErrForeign)
	}
	t := r.trace
	for i := range t.Ranks {
		of := r.tracks[rankTrack+uint64(t.Ranks[i].Rank)]
		rank := &t.Ranks[i]
		of.grow(len(of.inner))
		rank.Events = append(of.events, of.inner...)
		rank.Offset = 0 // the file has times of one clock
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	return t, nil
}
