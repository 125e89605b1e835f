package trace

import (
	"slices"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// DefaultLimit is the limit of a trace if Trace.Limit is 0, in bytes.
const DefaultLimit = 256 << 20

const (
	mostEvents = 1 << 18 // of a rank, without a limit of the user's
	leastKept  = 1 << 6  // of a rank: with the most ranks, these are the default limit
	mostTexts  = 1 << 12 // lines, and sets, of a rank
	leastTexts = 1 << 6
	mostInSet  = 64 // variables of a set that are recorded
)

// eventsOf returns how many events each of several ranks may keep.
func (t *Trace) eventsOf(ranks int) int {
	if t.Limit == 0 {
		return min(mostEvents, perRank(DefaultLimit, ranks))
	}
	return perRank(t.Limit, ranks)
}

func perRank(limit int64, ranks int) int {
	return int(max(leastKept, limit/int64(ranks)/int64(unsafe.Sizeof(Event{}))))
}

// Recorder records the events of one rank. Only the goroutine of the rank uses it.
type Recorder struct {
	trace  *Trace
	names  bool // it records the names of variables
	rank   int
	begun  dimmnet.Time
	origin dimmnet.Origin
	most   int
	events []Event // a ring, when there are most of them
	oldest int
	drops  uint64

	variables []Variable

	lines     []string
	lineTable table
	sets      []Set
	setTable  table
	failed    string
}

// table has an index for each value that a rank has seen, up to most.
type table struct {
	recent [16]entry // by the last bits of the key: a map takes longer
	of     map[uint64]int32
	most   int
}

type entry struct {
	key uint64
	at  int32
}

// index returns the index of the value with a key, and whether it is new. If the table is full, it
// returns None.
func (t *table) index(key uint64) (at int32, added bool) {
	recent := &t.recent[key%uint64(len(t.recent))]
	if recent.key == key && key != 0 {
		return recent.at, false
	}
	at, known := t.of[key]
	switch {
	case known:
		*recent = entry{key, at}
		return at, false
	case len(t.of) == t.most:
		return None, false
	case t.of == nil:
		t.of = make(map[uint64]int32)
	}
	at = int32(len(t.of))
	t.of[key] = at
	return at, true
}

// Add records an event. It replaces the oldest one if there are too many.
func (r *Recorder) Add(e Event) {
	if len(r.events) < r.most {
		r.events = append(r.events, e)
		return
	}
	r.events[r.oldest] = e
	r.drops++
	if r.oldest++; r.oldest == r.most {
		r.oldest = 0
	}
}

// Line returns the index of the line with a key. text makes the line if it is new.
func (r *Recorder) Line(key uint64, text func() string) int32 {
	at, added := r.lineTable.index(key)
	if added {
		r.lines = append(r.lines, text())
	}
	return at
}

// Set returns the index of a set.
func (r *Recorder) Set(shared, exclusive []syncvar.ID) int32 {
	const basis, prime = 0xcbf29ce484222325, 0x100000001b3 // of the hash FNV-1
	key := uint64(basis)
	for _, ids := range [...][]syncvar.ID{shared, exclusive} {
		key = (key ^ uint64(len(ids))) * prime
		for _, id := range ids {
			key = (key ^ uint64(id)) * prime
			key ^= key >> 29
		}
	}
	at, added := r.setTable.index(key)
	if added {
		first := shared[:min(len(shared), mostInSet)]
		more := exclusive[:min(len(exclusive), mostInSet-len(first))]
		r.sets = append(r.sets, Set{slices.Clone(first), slices.Clone(more), len(shared) + len(exclusive)})
	}
	return at
}

// Failed records the first failure of the rank.
func (r *Recorder) Failed(now dimmnet.Time, err error) {
	r.failed = err.Error()
	r.Add(Of(Failed, now, now))
}

// Bound records a variable of the program. All ranks have the same ones, in the same order.
func (r *Recorder) Bound(v Variable) {
	if r.names {
		r.variables = append(r.variables, v)
	}
}

// Close ends the record. Until then the Trace does not have it.
func (r *Recorder) Close() {
	events := r.events
	if r.events = nil; r.oldest > 0 { // turned in place: a copy would take as much again
		slices.Reverse(events[:r.oldest])
		slices.Reverse(events[r.oldest:])
		slices.Reverse(events)
	}
	r.trace.close(&record{Rank{Rank: r.rank, Begun: r.begun, Origin: r.origin, Dropped: r.drops, Failed: r.failed, Events: events}, r.variables, r.lines, r.sets})
}
