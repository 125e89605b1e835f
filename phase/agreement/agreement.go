package agreement

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Protocol takes one rank through the agreement of each phase. It never waits. In each phase the
// loop calls
//
//	Begin                    the rank enters the phase
//	Send                     once the Mover is ready, unless Begin has sent everything
//	Step                     until the protocol is not Pending
//	Decide                   all lists are known: now there is an Outcome
//	Finish                   if data move: they have arrived
type Protocol interface {
	movement.Agreement

	// Begin enters the next phase with this rank's list. It sets the list's Phase, Declared and
	// Digest. The caller must not touch the list until the phase is over. sent reports that the
	// Mover was ready, so that Begin did the work of Send.
	Begin(l *syncvar.List) (sent bool, err error)
	// Send sends this rank's list.
	Send() error
	// Step sends and takes what can be sent and taken now.
	Step() (progress bool, err error)
	// Pending reports whether Step has work left in this phase.
	Pending() bool
	// Decide sets the outcome when all lists are known. moves reports that data begin to move; if
	// it is false, the phase is over.
	Decide() (moves bool, err error)
	// Finish ends a phase in which data moved.
	Finish()

	// Outcome returns a pointer to the outcome of the present phase. Until Decide it holds the
	// outcome of the last phase.
	Outcome() *Outcome
	// List returns this rank's list of the present phase, or of the last one.
	List() *syncvar.List
	// Words returns, by rank, the words of the Reduce that the last phase completed.
	Words() []uint64
	// Version returns the version, after the last phase, of a variable that this rank holds or
	// held last.
	Version(id syncvar.ID) syncvar.Version
	// Changed reports what has happened, up to the last phase, to a variable that this rank has
	// held, since a version (syncvar.Table.Changed).
	Changed(id syncvar.ID, since syncvar.Version) (tenure, content bool)
	// Table returns the table after the last phase.
	Table() *syncvar.Table

	// Open returns how many lists Step has still to send or to receive.
	Open() int
	// Due appends the ranks whose lists Step expects.
	Due(ranks []dimmnet.Rank) []dimmnet.Rank
	// Full appends the ranks to which Step could not post.
	Full(ranks []dimmnet.Rank) []dimmnet.Rank
}

// Outcome is what all ranks agree on in a phase.
type Outcome struct {
	Plan
	Lists  []syncvar.List // by rank; nil if nobody needs them
	Latest syncvar.Latest // the rank whose list arrived last
}

// Repetitions counts phases that repeat an earlier one, so that nobody plans.
type Repetitions struct {
	Repeated  uint64           // phases that have repeated
	Repeating dimmnet.Counters // what the port did in them
}

// A Fold combines vectors of words. Of gets several vectors of equal length, one after the other,
// and returns one.
type Fold struct {
	Of func(vectors []uint64) []uint64
	// AnyOrder says that vectors may be combined in any grouping and order, with the same result.
	// Otherwise Of gets the vectors of all ranks at once, by rank.
	AnyOrder bool
}

// Quick is a Protocol for ranks that answer each other within a microsecond.
type Quick interface {
	Protocol
	// Polls reports whether Poll is worth its time.
	Polls() bool
	// Poll waits a moment for the lists of others. If all lists are known then, it does the work
	// of Decide.
	Poll() (decided, moves bool, err error)
	// Meet does the work of Begin and Send for a list with nothing but a call in which all ranks
	// meet, and returns that list. It does nothing and returns nil if Begin has more to do.
	Meet(call syncvar.Call, word uint64) *syncvar.List
}

// Repeater is a Protocol in which a phase may repeat an earlier one: nobody plans then.
type Repeater interface {
	Protocol
	// Repetitions returns how many phases have repeated so far. now reports whether the present
	// one repeats, or is expected to.
	Repetitions() (r Repetitions, now bool)
}

// Folder is a Protocol that can combine vectors on their way.
type Folder interface {
	Protocol
	// SetFold sets what the next Reduce combines. Then Words returns the combined vector, or the
	// vectors of all ranks, by rank.
	SetFold(vector []uint64, f Fold)
}

// Declare sets Phase, Declared and Digest of a list. last is the rank's previous list.
func Declare(l, last *syncvar.List, space *consistency.Space, phase uint64) {
	l.Phase, l.Digest = phase, last.Digest
	if l.Declared = uint32(space.Declared()); l.Declared != last.Declared {
		l.Digest = space.Digest(int(l.Declared))
	}
}

// CheckSize returns an error if an encoded list is too long.
func CheckSize(list []byte) error {
	if len(list) > syncvar.MaxListBytes {
		return fmt.Errorf("phase: the acquire list has %d bytes, the limit is %d", len(list), syncvar.MaxListBytes)
	}
	return nil
}
