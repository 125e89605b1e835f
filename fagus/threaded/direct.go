package threaded

import (
	"math"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// direct is the part of the LLCM by which ranks take variables from each other without a message.
// Every rank has the same layout.
//
//	table    by variable: hint | open | taken
//	claims   by rank: the claim of the rank on a variable of this rank, or 0
//	landing  private: where a Pull of claims or of a record lands
//	done     private: the done words of Pulls, used in turn
//
// A record is the words open and taken of an entry. Only this rank writes its words open: what its
// Site knows while the variable is free (openWord). A rank that has taken the variable from this
// rank writes taken: the word of its Hint.
//
// At the start, words that are zero are right: rank 0 owns all variables, in version 0. The words
// of other ranks match no hint, because a variable that they own has a version above 0.
type direct struct {
	on            bool
	claims        dimmnet.Offset
	landing, done dimmnet.Offset

	// What the user thread counts:
	pulls uint64
	tries uint64 // attempts to take a variable
}

const (
	directNodes = dimmnet.SampleBytes / dimmnet.WordBytes // a Pull of all claims is a sample
	directTable = 5                                       // the table has 2/directTable of the LLCM
	entryBytes  = 3 * dimmnet.WordBytes
	openAt      = dimmnet.WordBytes     // of the word open in an entry
	takenAt     = 2 * dimmnet.WordBytes // of the word taken in an entry
	recordBytes = 2 * dimmnet.WordBytes
	doneWords   = 2
)

// newDirect lays out the LLCM below stop for direct mode, and makes the rings in the rest. on is
// false if the network has no RDMA, for other numbers of nodes, or if the LLCM is too small.
func newDirect(limits dimmnet.Limits, stop, nodes int) (d direct, t table, rings ringbuf.Layout) {
	if limits.RDMA < directNodes*dimmnet.WordBytes || nodes < 2 || nodes > directNodes {
		return direct{}, table{}, rings
	}
	done := stop - doneWords*dimmnet.WordBytes
	landing := done - directNodes*dimmnet.WordBytes
	claims := landing - nodes*dimmnet.WordBytes
	entries := claims * 2 / directTable / entryBytes
	base := claims - entries*entryBytes
	limits.LLCM = max(0, base)
	rings, err := ringbuf.NewLayout(limits, nodes)
	if err != nil || entries < 1 {
		return direct{}, table{}, rings
	}
	d = direct{on: true, claims: dimmnet.Offset(claims), landing: dimmnet.Offset(landing), done: dimmnet.Offset(done)}
	return d, table{dimmnet.Offset(base), entries, entryBytes}, rings
}

func (d *direct) claim(r dimmnet.Rank) dimmnet.Offset {
	return d.claims + dimmnet.Offset(r)*dimmnet.WordBytes
}

// claimWord returns the word of a rank's n-th claim, which is on a variable. The number tells the
// claim from an earlier one on the same variable, whose withdrawal has not landed yet.
func claimWord(n uint64, id syncvar.ID) uint64 { return n<<32 | uint64(id) + 1 }

// claims reports whether a word from a peer claims a variable.
func claims(word uint64, id syncvar.ID) bool { return uint32(word) == uint32(id)+1 }

// The fields of a word open: version, closed, and the age of the content's last change, in
// versions.
const (
	versionShift = 16
	closedBit    = 1 << 15
	oldestChange = closedBit - 1 // also stands for all older changes
)

func openWord(version, written syncvar.Version) uint64 {
	return uint64(version)<<versionShift | uint64(min(version-written, oldestChange))
}

// opened is a word open.
type opened struct {
	version syncvar.Version
	closed  bool
	written syncvar.Version // the last change of the content; unknown if it is too old
}

// unknown is the version of an unknown change. No rank has so new a copy.
const unknown = syncvar.Version(math.MaxUint64)

func openOf(word uint64) opened {
	o := opened{version: syncvar.Version(word >> versionShift), closed: word&closedBit != 0, written: unknown}
	if age := syncvar.Version(word & oldestChange); age < oldestChange && age <= o.version {
		o.written = o.version - age
	}
	return o
}

// store posts a word, as soon as the port has space.
func store(p dimmnet.Port, to dimmnet.Rank, off dimmnet.Offset, word uint64) error {
	return dimmnet.Until(p, func() bool { return p.Store(to, off, word, dimmnet.WordBytes) })
}
