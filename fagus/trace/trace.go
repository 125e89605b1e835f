package trace

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"slices"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// Trace is what the ranks of a run have done. During a run only its Recorders are used.
type Trace struct {
	About
	Variables []Variable `json:"variables"`
	Lines     []string   `json:"lines"`
	Sets      []Set      `json:"sets"`
	Ranks     []Rank     `json:"ranks"` // in increasing order: those that have returned
	// Limit bounds the events of all ranks of the run together, in bytes of memory, where a rank
	// keeps 64 events at least. If it is 0, DefaultLimit bounds them, and each rank keeps at most
	// 262144. It is set before the run.
	Limit int64 `json:"-"`
	// Network is what packets did, if the network is simulated and calls Pass. It takes a quarter
	// of the limit beside what the events take.
	Network Network `json:"network"`

	mu     sync.Mutex
	lines  map[string]int32 // indices in Lines
	sets   map[string]int32 // indices in Sets, by what fmt.Sprint makes of one
	opened int              // recorders
	// sealed is set when the run is over: ranks that have not returned are missing, and what a
	// network does that goes on.
	sealed bool
}

// About says what a run was.
type About struct {
	Program string        `json:"program"`
	Mode    string        `json:"mode"`
	Net     string        `json:"net"`
	Clock   dimmnet.Clock `json:"clock"`
	Nodes   int           `json:"nodes"`
}

// Rank is what one rank has done. Its events are in the order in which they ended.
type Rank struct {
	Rank    int    `json:"rank"`
	Dropped uint64 `json:"dropped,omitempty"` // events that later ones have replaced
	Failed  string `json:"failed,omitempty"`  // the first failure of a call
	// Begun is when the rank began its program, by its clock: no event is earlier.
	Begun  dimmnet.Time   `json:"-"`
	Origin dimmnet.Origin `json:"-"` // of its clock
	// Offset is added to a time of the rank's clock to get the time of the trace. The result may be
	// off by Uncertain; see Align.
	Offset    dimmnet.Time `json:"offset,omitempty"`
	Uncertain dimmnet.Time `json:"uncertain,omitempty"`
	Events    []Event      `json:"-"`
}

// New returns a Trace without events.
func New() *Trace { return &Trace{} }

// Begin discards the record of the run before, and begins one.
func (t *Trace) Begin(about About) {
	t.mu.Lock()
	defer t.mu.Unlock()
	about.Program, about.Net = cmp.Or(about.Program, t.Program), cmp.Or(about.Net, t.Net)
	t.About, t.Variables, t.Lines, t.Sets, t.Ranks = about, nil, nil, nil, nil
	t.Network.begin(t.Limit)
	t.lines, t.sets, t.opened, t.sealed = make(map[string]int32), make(map[string]int32), 0, false
}

// Recorder returns the recorder of a rank, one of t.Nodes, that begins its program now, by a clock
// with an origin.
func (t *Trace) Recorder(rank int, now dimmnet.Time, origin dimmnet.Origin) *Recorder {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opened++
	most := t.eventsOf(max(1, t.Nodes))
	r := &Recorder{trace: t, names: t.opened == 1, rank: rank, begun: now, origin: origin, most: most}
	r.lineTable.most = max(leastTexts, min(mostTexts, most/16))
	r.setTable.most = r.lineTable.most
	// The system gives memory when it is used. To grow the slice would take longer than a call.
	r.events = make([]Event, 0, min(most, mostEvents))
	return r
}

// record is what one rank has recorded. Its events refer to its own tables.
type record struct {
	Rank      Rank
	Variables []Variable // of one rank in each process
	Lines     []string
	Sets      []Set
}

func (t *Trace) close(r *record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.sealed {
		t.add(r)
	}
}

// add adds a record, whose events refer to the tables of the Trace from now on.
func (t *Trace) add(r *record) {
	lines, sets := make([]int32, len(r.Lines)), make([]int32, len(r.Sets))
	for i, line := range r.Lines {
		lines[i] = indexIn(t.lines, &t.Lines, line, line)
	}
	for i, set := range r.Sets {
		sets[i] = indexIn(t.sets, &t.Sets, fmt.Sprint(set), set)
	}
	if len(r.Variables) > len(t.Variables) {
		t.Variables = r.Variables
	}
	for i := range r.Rank.Events {
		e := &r.Rank.Events[i]
		if e.Line != None {
			e.Line = lines[e.Line]
		}
		if e.Set != None {
			e.Set = sets[e.Set]
		}
	}
	at, found := slices.BinarySearchFunc(t.Ranks, r.Rank.Rank, func(of Rank, rank int) int { return of.Rank - rank })
	if !found {
		t.Ranks = slices.Insert(t.Ranks, at, r.Rank)
	}
}

func indexIn[T any](of map[string]int32, all *[]T, key string, value T) int32 {
	at, known := of[key]
	if !known {
		at = int32(len(*all))
		of[key], *all = at, append(*all, value)
	}
	return at
}

// Dropped returns how many events of all ranks are not in the trace any more, and how many there
// were.
func (t *Trace) Dropped() (dropped, all uint64) {
	for i := range t.Ranks {
		dropped += t.Ranks[i].Dropped
		all += uint64(len(t.Ranks[i].Events))
	}
	return dropped, all + dropped
}

// Seal ends the record: ranks of this process that have not returned stay missing.
func (t *Trace) Seal() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sealed = true
	t.Network.sort()
}

// Encode returns what the only rank of this process has done, for Decode in another process.
func (t *Trace) Encode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(record{Rank: t.Ranks[0], Lines: t.Lines, Sets: t.Sets})
	return b.Bytes(), err
}

// Decode adds what the rank of another process has done.
func (t *Trace) Decode(rank int, data []byte) error {
	var r record
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&r); err != nil {
		return fmt.Errorf("trace: the record of rank %d: %w", rank, err)
	}
	if r.Rank.Rank != rank {
		return fmt.Errorf("trace: rank %d has sent a record of rank %d", rank, r.Rank.Rank)
	}
	if err := r.check(t.Nodes, len(t.Variables)); err != nil {
		return err
	}
	t.add(&r)
	return nil
}

// Check returns an error unless t, which comes from outside, may be what the ranks of a run have
// recorded.
func (t *Trace) Check() error {
	if t.Nodes < 0 || t.Nodes > dimmnet.MaxNodes {
		return fmt.Errorf("trace: %d ranks, want at most %d", t.Nodes, dimmnet.MaxNodes)
	}
	if err := t.Network.check(t.Nodes); err != nil {
		return err
	}
	for _, r := range t.Ranks {
		if err := (&record{Rank: r, Lines: t.Lines, Sets: t.Sets}).check(t.Nodes, len(t.Variables)); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error unless r, which comes from outside, may be what a rank has recorded.
func (r *record) check(nodes, variables int) error {
	for _, s := range r.Sets {
		for _, id := range slices.Concat(s.Shared, s.Exclusive) {
			if int(id) >= variables {
				return fmt.Errorf("trace: rank %d has a set with variable %d, of %d", r.Rank.Rank, id, variables)
			}
		}
	}
	within := func(index int32, of int) bool { return index >= None && int(index) < of }
	last := dimmnet.Time(0)
	for i, e := range r.Rank.Events {
		ok := e.Kind > 0 && e.Kind < Kinds && e.Lo <= e.Hi && e.From >= 0 && e.To >= e.From && e.To >= last && (e.Kind == Called) == (e.Call != 0) && e.Call <= rollcall.End &&
			within(e.Rank, nodes) && within(e.ID, variables) && within(e.Set, len(r.Sets)) && within(e.Line, len(r.Lines))
		if !ok {
			return fmt.Errorf("trace: event %d of rank %d is %+v, after %v: it is none of a Recorder", i, r.Rank.Rank, e, last)
		}
		last = e.To
	}
	return nil
}
