package tracefile

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// Numbers of fields in the messages of Perfetto's schema (protos/perfetto/trace).
const (
	tracePacket protowire.Number = 1

	packetTimestamp       protowire.Number = 8
	packetSequence        protowire.Number = 10
	packetTrackEvent      protowire.Number = 11
	packetInterned        protowire.Number = 12
	packetSequenceFlags   protowire.Number = 13
	packetTrackDescriptor protowire.Number = 60

	trackUUID    protowire.Number = 1
	trackName    protowire.Number = 2
	trackProcess protowire.Number = 3
	trackThread  protowire.Number = 4
	trackParent  protowire.Number = 5
	trackCounter protowire.Number = 8

	processID   protowire.Number = 1
	processName protowire.Number = 6

	threadProcess protowire.Number = 1
	threadID      protowire.Number = 2
	threadName    protowire.Number = 5

	internedEventNames  protowire.Number = 2
	internedNoteNames   protowire.Number = 3
	internedNoteStrings protowire.Number = 29
	internedIID         protowire.Number = 1
	internedText        protowire.Number = 2

	eventNotes    protowire.Number = 4
	eventType     protowire.Number = 9
	eventNameIID  protowire.Number = 10
	eventTrack    protowire.Number = 11
	eventCounter  protowire.Number = 30
	eventFlow     protowire.Number = 47
	eventFlowEnds protowire.Number = 48

	noteNameIID   protowire.Number = 1
	noteUint      protowire.Number = 3
	noteString    protowire.Number = 6
	noteStringIID protowire.Number = 17
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
