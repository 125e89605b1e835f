package tracefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// mostFile bounds the size of a file that Read takes, in bytes.
const mostFile = 4 << 30

var errForeign = errors.New("this is no trace that --trace has written")

// Read reads a file of Write. The times of all ranks are of one clock.
func Read(from io.Reader) (*trace.Trace, error) {
	data, err := io.ReadAll(io.LimitReader(from, mostFile))
	if err != nil {
		return nil, err
	}
	r := reader{trace: trace.New(), ranks: make(map[uint64]*track)}
	err = fields(data, func(n protowire.Number, v value) error {
		if n != tracePacket {
			return nil
		}
		return r.packet(v.bytes)
	})
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	return r.result()
}

// value is the value of a field: a number, or bytes.
type value struct {
	number uint64
	bytes  []byte
}

// fields calls f for each field of a message.
func fields(data []byte, f func(protowire.Number, value) error) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return fmt.Errorf("%w: %w", errForeign, protowire.ParseError(n))
		}
		data = data[n:]
		var v value
		switch kind {
		case protowire.VarintType:
			v.number, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			v.number, n = protowire.ConsumeFixed64(data)
		case protowire.BytesType:
			v.bytes, n = protowire.ConsumeBytes(data)
		default:
			n = protowire.ConsumeFieldValue(number, kind, data)
		}
		if n < 0 {
			return fmt.Errorf("%w, or its end is missing: %w", errForeign, protowire.ParseError(n))
		}
		data = data[n:]
		if err := f(number, v); err != nil {
			return err
		}
	}
	return nil
}

// reader makes a Trace of packets.
type reader struct {
	trace  *trace.Trace
	tables bool // they have been read
	ranks  map[uint64]*track
}

// track is the track of a rank.
type track struct {
	events []trace.Event
	call   trace.Event   // that has begun
	inner  []trace.Event // what has happened in it
	wait   trace.Event   // a wait, or moving data, that has begun
	open   []uint64
}

func (r *reader) packet(data []byte) error {
	var at uint64
	var event []byte
	err := fields(data, func(n protowire.Number, v value) error {
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
	err := fields(data, func(n protowire.Number, v value) error {
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
		return errForeign
	}
	t := r.ranks[e.track]
	if t == nil {
		return fmt.Errorf("an event of the unknown track %d", e.track)
	}
	return t.add(at, &e)
}

func (e *item) note(data []byte) error {
	var name, number uint64
	var text []byte
	err := fields(data, func(n protowire.Number, v value) error {
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
	of := tables{Trace: r.trace}
	if err := json.Unmarshal(text, &of); err != nil || of.Schema != Schema {
		return fmt.Errorf("%w: its schema is %q, want %q", errForeign, of.Schema, Schema)
	}
	r.tables = true
	last := trace.None
	for i := range r.trace.Ranks {
		rank := r.trace.Ranks[i].Rank
		if rank <= last || rank >= r.trace.Nodes {
			return fmt.Errorf("the tables have rank %d after rank %d, of %d", rank, last, r.trace.Nodes)
		}
		last = rank
		r.ranks[rankTrack+uint64(rank)] = &track{}
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
		case name == uint64(trace.Waited) || name == uint64(trace.Moved):
			t.wait.To = at
			t.inner = append(t.inner, t.wait)
		default:
			t.call.To = at
			t.events = append(append(t.events, t.inner...), t.call)
			t.inner = t.inner[:0]
		}
	}
	return nil
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
		return nil, fmt.Errorf("trace: %w", errForeign)
	}
	t := r.trace
	for i := range t.Ranks {
		of := r.ranks[rankTrack+uint64(t.Ranks[i].Rank)]
		rank := &t.Ranks[i]
		rank.Events = append(of.events, of.inner...)
		rank.Offset = 0 // the file has times of one clock
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	return t, nil
}
