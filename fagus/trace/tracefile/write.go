package tracefile

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"io"
	"strconv"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// Schema identifies the tables in a file.
const Schema = "fagus.trace/v1"

// tables are what the events of a file refer to.
type tables struct {
	Schema string `json:"schema"`
	*trace.Trace
	Events []int `json:"events"` // of each rank in the trace
}

// Write writes the trace of a run that is over. It aligns the clocks of the ranks first.
func Write(w io.Writer, t *trace.Trace) error {
	t.Align()
	of := tables{Schema: Schema, Trace: t}
	for i := range t.Ranks {
		of.Events = append(of.Events, len(t.Ranks[i].Events))
	}
	text, err := json.Marshal(of)
	if err != nil {
		return err
	}
	out := writer{out: bufio.NewWriter(w)}
	out.state(t, text)
	landed, ended := landings(&t.Network), make(map[int]bool)
	for i := range t.Ranks {
		last := ends(&t.Network, landed[t.Ranks[i].Rank], t.Ranks[i].Events)
		for _, packet := range last {
			ended[packet] = true
		}
		out.rank(&t.Ranks[i], last)
	}
	out.packets(&t.Network, ended)
	return out.out.Flush()
}

// writer writes packets. Errors of out stick; Flush returns them.
type writer struct {
	out    *bufio.Writer
	packet []byte // being made
	part   []byte // a message in it
	note   []byte // a message in part
	head   []byte // of a packet
}

func varint(b []byte, field fieldNumber, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, tagOf(field, varintKind)), v)
}

func message[T ~[]byte | ~string](b []byte, field fieldNumber, m T) []byte {
	b = binary.AppendUvarint(binary.AppendUvarint(b, tagOf(field, bytesKind)), uint64(len(m)))
	return append(b, m...)
}

// end writes the packet.
func (w *writer) end(flags uint64) {
	w.packet = varint(varint(w.packet, packetSequence, sequence), packetSequenceFlags, flags)
	head := binary.AppendUvarint(binary.AppendUvarint(w.head[:0], tagOf(tracePacket, bytesKind)), uint64(len(w.packet)))
	_, _ = w.out.Write(head)
	_, _ = w.out.Write(w.packet)
	w.packet, w.head = w.packet[:0], head
}

// state writes the interned texts, the tracks and the tables.
func (w *writer) state(t *trace.Trace, text []byte) {
	var in []byte
	intern := func(field fieldNumber, iid uint64, text string) {
		in = message(in, field, message(varint(nil, internedIID, iid), internedText, text))
	}
	for k := trace.Called + 1; k < trace.Kinds; k++ {
		intern(internedEventNames, nameIID(k, 0), k.String())
	}
	for c := rollcall.Acquire; c <= rollcall.End; c++ {
		intern(internedEventNames, nameIID(trace.Called, c), c.String())
	}
	intern(internedEventNames, tenure, "tenure")
	for i, kind := range t.Network.Kinds {
		intern(internedEventNames, firstPacketKind+uint64(i), kind)
	}
	for n := note(1); n < notes; n++ {
		intern(internedNoteNames, uint64(n), n.String())
	}
	for i, line := range t.Lines {
		intern(internedNoteStrings, firstLine+uint64(i), line)
	}
	for i, set := range t.Sets {
		intern(internedNoteStrings, firstSet+uint64(i), t.Text(set))
	}
	for i, v := range t.Variables {
		intern(internedNoteStrings, firstVariable+uint64(i), v.Name)
	}
	w.packet = message(w.packet, packetInterned, in)
	w.end(stateCleared)
	name := t.Program + " in " + t.Mode + " mode on " + t.Net
	w.track(runTrack, 0, "run", message(varint(nil, processID, process), processName, name), nil)
	for i := range t.Ranks {
		r := uint64(t.Ranks[i].Rank)
		label := "rank " + strconv.FormatUint(r, 10)
		w.track(rankTrack+r, runTrack, label, nil, message(varint(varint(nil, threadProcess, process), threadID, 2+r), threadName, label))
	}
	w.networkTracks(&t.Network)
	w.note = message(varint(w.note[:0], noteNameIID, uint64(noteTables)), noteString, text)
	w.part = message(w.part[:0], eventNotes, w.note)
	w.event(runTrack, 0, instant, uint64(trace.Called))
}

func (w *writer) track(id, parent uint64, name string, ofProcess, ofThread []byte) {
	d := message(varint(nil, trackUUID, id), trackName, name)
	if parent != 0 {
		d = varint(d, trackParent, parent)
	}
	if ofProcess != nil {
		d = message(d, trackProcess, ofProcess)
	}
	if ofThread != nil {
		d = message(d, trackThread, ofThread)
	}
	w.packet = message(w.packet, packetTrackDescriptor, d)
	w.end(needsState)
}

// event writes an event with the notes and flows in w.part.
func (w *writer) event(track uint64, at dimmnet.Time, kind, name uint64) {
	w.part = varint(varint(w.part, eventType, kind), eventTrack, track)
	if kind != sliceEnd && kind != counter {
		w.part = varint(w.part, eventNameIID, name)
	}
	w.packet = message(varint(w.packet, packetTimestamp, uint64(at/dimmnet.Nanosecond)), packetTrackEvent, w.part)
	w.part = w.part[:0]
	w.end(needsState)
}

func (w *writer) number(n note, v uint64) {
	if v != 0 {
		w.note = varint(varint(w.note[:0], noteNameIID, uint64(n)), noteUint, v)
		w.part = message(w.part, eventNotes, w.note)
	}
}

// text adds the note n with an interned text, unless index is None.
func (w *writer) text(n note, first uint64, index int32) {
	if index != trace.None {
		w.note = varint(varint(w.note[:0], noteNameIID, uint64(n)), noteStringIID, first+uint64(index))
		w.part = message(w.part, eventNotes, w.note)
	}
}

// flow connects the events of one version of a variable by arrows.
func (w *writer) flow(field fieldNumber, e *trace.Event) {
	w.flowOf(field, uint64(e.ID+1)<<40^e.Number&^packetFlow)
}

// rank writes the events of a rank. last has the packets that ended its calls.
func (w *writer) rank(r *trace.Rank, last map[int]int) {
	track := rankTrack + uint64(r.Rank)
	at := func(t dimmnet.Time) dimmnet.Time { return t + r.Offset }
	begun, holds := 0, false
	for i := range r.Events {
		e := &r.Events[i]
		if e.Kind != trace.Called {
			continue
		}
		inner := r.Events[begun:i] // what happened in the call
		begun = i + 1
		if e.Call == rollcall.Release && holds {
			w.event(track, at(e.From), sliceEnd, tenure)
			holds = false
		}
		w.number(noteSteps, e.Number)
		w.number(notePosts, uint64(e.Posts))
		w.number(noteSent, e.Bytes)
		w.text(noteLine, firstLine, e.Line)
		w.text(noteSet, firstSet, e.Set)
		if packet, ok := last[i]; ok {
			w.flowOf(eventFlowEnds, packetFlow|uint64(packet))
		}
		w.event(track, at(e.From), sliceBegin, nameIID(trace.Called, e.Call))
		for k := range inner {
			w.inner(track, &inner[k], at)
		}
		w.event(track, at(e.To), sliceEnd, 0)
		if e.Call == rollcall.Acquire {
			w.text(noteSet, firstSet, e.Set)
			w.event(track, at(e.To), sliceBegin, tenure)
			holds = true
		}
	}
	for k := range r.Events[begun:] {
		w.inner(track, &r.Events[begun+k], at)
	}
	if last := len(r.Events) - 1; holds {
		w.event(track, at(r.Events[last].To), sliceEnd, tenure)
	}
}

// inner writes an event that belongs to a call.
func (w *writer) inner(track uint64, e *trace.Event, at func(dimmnet.Time) dimmnet.Time) {
	switch e.Kind {
	case trace.Waited:
		w.number(noteFor, 1+uint64(e.Rank))
	case trace.Arrived:
		w.flow(eventFlowEnds, e)
	case trace.Wrote:
		w.flow(eventFlow, e)
	}
	w.text(noteVariable, firstVariable, e.ID)
	w.number(noteBytes, e.Bytes)
	w.number(noteNumber, e.Number)
	w.number(noteLo, uint64(e.Lo))
	w.number(noteHi, uint64(e.Hi))
	if isSlice(e.Kind) {
		w.event(track, at(e.From), sliceBegin, nameIID(e.Kind, 0))
		w.event(track, at(e.To), sliceEnd, 0)
		return
	}
	w.event(track, at(e.To), instant, nameIID(e.Kind, 0))
}
