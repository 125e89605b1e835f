package tracefile

import (
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// Numbers of fields in the messages of Perfetto's schema (protos/perfetto/trace).
const (
	tracePacket fieldNumber = 1

	packetTimestamp       fieldNumber = 8
	packetSequence        fieldNumber = 10
	packetTrackEvent      fieldNumber = 11
	packetInterned        fieldNumber = 12
	packetSequenceFlags   fieldNumber = 13
	packetTrackDescriptor fieldNumber = 60

	trackUUID    fieldNumber = 1
	trackName    fieldNumber = 2
	trackProcess fieldNumber = 3
	trackThread  fieldNumber = 4
	trackParent  fieldNumber = 5
	trackCounter fieldNumber = 8

	processID   fieldNumber = 1
	processName fieldNumber = 6

	threadProcess fieldNumber = 1
	threadID      fieldNumber = 2
	threadName    fieldNumber = 5

	internedEventNames  fieldNumber = 2
	internedNoteNames   fieldNumber = 3
	internedNoteStrings fieldNumber = 29
	internedIID         fieldNumber = 1
	internedText        fieldNumber = 2

	eventNotes    fieldNumber = 4
	eventType     fieldNumber = 9
	eventNameIID  fieldNumber = 10
	eventTrack    fieldNumber = 11
	eventCounter  fieldNumber = 30
	eventFlow     fieldNumber = 47
	eventFlowEnds fieldNumber = 48

	noteNameIID   fieldNumber = 1
	noteUint      fieldNumber = 3
	noteString    fieldNumber = 6
	noteStringIID fieldNumber = 17
)

// Values of TrackEvent.type and TracePacket.sequence_flags.
const (
	sliceBegin = 1
	sliceEnd   = 2
	instant    = 3
	counter    = 4

	stateCleared = 1
	needsState   = 2
)

const (
	sequence  = 1 // the only one of a file
	process   = 1
	runTrack  = 1
	rankTrack = 1 << 8 // of rank 0

	networkProcess = 2
	networkTrack   = 2
	packetTrack    = 1 << 32 // of the first track of the network
	queueTrack     = 1 << 33 // of the packets that wait for it
	packetFlow     = 1 << 63 // of the first packet: from it to the call that it ended
)

// note is a debug annotation: a named value of an event.
type note uint64

// The notes. Their numbers are interned names.
const (
	noteTables   note = 1 + iota // of the first event: the tables of the Trace
	noteLine                     // the source line of a call
	noteSet                      // what it acquires
	noteSteps                    // that the rank has made after the call
	notePosts                    // in the call
	noteSent                     // bytes that the rank has posted in it
	noteFor                      // the rank that another one waited for
	noteVariable                 // that a rank waited for, or that data are of
	noteBytes                    // of data
	noteNumber                   // a version, or a checkpoint
	noteFailed                   // why a call failed, or that a checkpoint was not made
	noteLo                       // where in a variable the changes begin
	noteHi                       // and end
	noteFrom                     // the rank that has sent a packet
	noteQueued                   // for how long a packet has waited, in ns
	noteLanded                   // when it is in memory, in ns

	notes
)

func (n note) String() string {
	return [...]string{"", "tables", "line", "set", "steps", "posts", "bytes posted", "rank", "variable", "bytes", "number", "failed", "from byte", "to byte", "from rank", "waited ns", "landed at ns"}[n]
}

// Interned numbers of texts: an index plus the first number of its table.
const (
	firstPacketKind = 1 << 10 // other event names are those of calls and kinds

	firstLine     = 1
	firstSet      = 1 << 30
	firstVariable = 1 << 31
)

// tenure is the name of the slice between an Acquire and its Release; other names are those of
// calls and kinds.
const tenure = 63

// nameIID returns the interned name of a slice or instant.
func nameIID(k trace.Kind, call rollcall.Call) uint64 {
	if k == trace.Called {
		return 64 + uint64(call)
	}
	return uint64(k)
}

// isSlice reports whether events of a kind are slices within that of their call.
func isSlice(k trace.Kind) bool { return k == trace.Waited || k == trace.Moved || k == trace.Copied }
