package fagus

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

const (
	// answerTime is how long an error waits for what other processes say.
	answerTime = 3 * time.Second
	// noteTime is how long a note stays the same: many ranks may ask at a time.
	noteTime = 100 * time.Millisecond
	// longestNote bounds a note from another process, in bytes, before compression.
	longestNote = 16 << 20
)

// note is what a rank says about itself to ranks in other processes.
type note struct {
	Entry    rollcall.Entry
	Line     string // of the call that has failed; empty if none has
	Declared []declaredNote
	Counts   *meter.Counts `json:",omitempty"` // nil: it does not count
	Address  string        `json:",omitempty"` // where it serves them
}

type declaredNote struct {
	What, Line string
	Digest     uint64
}

// apart connects the roll-calls and errors of this rank with the ranks of other processes. A
// nil apart does nothing.
type apart struct {
	own       dimmnet.Rank
	nodes     int
	processes dimmnet.Describer
	board     *rollcall.Board
	meter     *meter.Meter // may be nil
	declared  *declarations

	mu   sync.Mutex
	text []byte // the last note
	at   time.Time
}

// newApart returns nil if the ranks of net are in this process.
func newApart(net dimmnet.Network, declared *declarations) *apart {
	j, ok := joined(net)
	d, able := net.(dimmnet.Describer)
	if !ok || !able {
		return nil
	}
	own, nodes := j.Job()
	return &apart{own: own, nodes: nodes, processes: d, declared: declared}
}

// open lets other processes ask, until the returned function is called.
func (a *apart) open(board *rollcall.Board, m *meter.Meter) (closed func()) {
	if a == nil {
		return func() {}
	}
	a.board, a.meter = board, m
	a.processes.Describe(a.note)
	return func() { a.processes.Describe(nil) }
}

// ask returns what the ranks of do, as far as they answer. It is rollcall.About.Ask.
func (a *apart) ask(ctx context.Context, of []dimmnet.Rank) map[int]rollcall.Entry {
	entries := make(map[int]rollcall.Entry)
	all := a.processes.Ask(ctx, nil, of)
	for _, r := range of {
		if int(r) < len(all) {
			if n, ok := decodeNote(all[r]); ok {
				entries[int(r)] = n.Entry
			}
		}
	}
	return entries
}

// states returns meter.Run.Ask, which returns the states of ranks in other processes that answer.
func (a *apart) states() func(ctx context.Context) []meter.State {
	if a == nil {
		return nil
	}
	return func(ctx context.Context) (found []meter.State) {
		of := make([]dimmnet.Rank, a.nodes)
		for r := range of {
			of[r] = dimmnet.Rank(r)
		}
		for r, text := range a.processes.Ask(ctx, nil, of) {
			if n, ok := decodeNote(text); ok && n.Counts != nil && dimmnet.Rank(r) != a.own {
				found = append(found, meter.State{Rank: r, Does: n.Entry, Counts: *n.Counts, Address: n.Address})
			}
		}
		return found
	}
}

// failed is called with the error of a run. If two ranks disagree, it adds what the other processes
// have declared and called. Otherwise it sends the note of this rank to the rank that has failed.
func (a *apart) failed(ctx context.Context, err error) {
	if a == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	var m *syncvar.Mismatch
	var d *consistency.Difference
	var f *dimmnet.Failed
	var of []dimmnet.Rank
	switch {
	case errors.As(err, &m):
		of = []dimmnet.Rank{m.First, m.Second}
	case errors.As(err, &d):
		of = []dimmnet.Rank{d.Own, d.Other}
	case errors.As(err, &f) && f.Lost == nil:
		of = []dimmnet.Rank{f.Rank}
		cancel() // this process needs no answer
	default:
		return
	}
	a.mu.Lock()
	a.at = time.Time{} // the last note is from before the failure
	a.mu.Unlock()
	all := a.processes.Ask(ctx, a.note(), of)
	for _, r := range of {
		if r == a.own || int(r) >= len(all) {
			continue
		}
		if n, ok := decodeNote(all[r]); ok {
			a.declared.other(r, &n)
		}
	}
}

// note returns the note of this rank, compressed. If the note is too long, it lacks the last
// declarations. Any goroutine may call it.
func (a *apart) note() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Since(a.at) < noteTime {
		return a.text
	}
	n := note{Entry: a.board.Roll().Ranks[a.own]}
	n.Line, n.Declared = a.declared.noted(a.own)
	if a.meter != nil {
		n.Counts, n.Address = a.meter.Counts(int(a.own)), a.meter.Address()
	}
	for a.text = n.encode(); len(a.text) > dimmnet.MaxNote; a.text = n.encode() {
		n.Declared = n.Declared[:len(n.Declared)/2]
	}
	a.at = time.Now()
	return a.text
}

func (n *note) encode() []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // the level is valid
	if err := json.NewEncoder(w).Encode(n); err != nil {
		panic(fmt.Sprintf("fagus: encoding a note: %v", err)) // numbers and strings
	}
	_ = w.Close() // a Buffer returns no errors
	return b.Bytes()
}

// decodeNote decodes a note from another process. ok is false if there is none, or a wrong one.
func decodeNote(text []byte) (n note, ok bool) {
	if len(text) == 0 {
		return n, false
	}
	r := io.LimitReader(flate.NewReader(bytes.NewReader(text)), longestNote)
	return n, json.NewDecoder(r).Decode(&n) == nil
}
