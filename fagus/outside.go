package fagus

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/replay"
)

// outside is where a rank gets what reaches its program by other ways than tenures. With
// Config.Record it is recorded. In a replay it is what the recorded run has got.
type outside interface {
	// Number returns own, a number that this rank has got, or the recorded one.
	Number(kind recording.InputKind, own uint64) uint64
	// Bytes does the same for bytes, which are valid until the next call.
	Bytes(kind recording.InputKind, own []byte) []byte
}

// number passes on a number from outside.
func (n *Node) number(kind recording.InputKind, own uint64) uint64 {
	if n.outside == nil {
		return own
	}
	return n.outside.Number(kind, own)
}

// time passes on a time or a duration.
func (n *Node) time(t Time) Time { return Time(n.number(recording.Now, uint64(t))) }

// Number implements outside.
func (r *recorder) Number(kind recording.InputKind, own uint64) uint64 {
	r.Input(kind, own, nil)
	return own
}

// Bytes implements outside.
func (r *recorder) Bytes(kind recording.InputKind, own []byte) []byte {
	r.Input(kind, 0, own)
	return own
}

// relayed is what a replay has from a record, and is recorded again if also is not nil.
type relayed struct {
	from *replay.Engine
	also outside
}

// Number implements outside.
func (r relayed) Number(kind recording.InputKind, own uint64) uint64 {
	own = r.from.Number(kind, own)
	if r.also != nil {
		r.also.Number(kind, own)
	}
	return own
}

// Bytes implements outside.
func (r relayed) Bytes(kind recording.InputKind, own []byte) []byte {
	own = r.from.Bytes(kind, own)
	if r.also != nil {
		r.also.Bytes(kind, own)
	}
	return own
}

// witness returns the Checkpointer of a rank, whose answers come from outside. to is nil in a
// replay.
func (n *Node) witness(to Checkpointer) Checkpointer {
	if n.outside == nil {
		return to
	}
	if n.replays {
		to = nil
	}
	return &witness{to, n.outside}
}

// witness is a Checkpointer that passes on what another one answers.
type witness struct {
	to  Checkpointer // nil: all answers come from outside
	out outside
}

// answer is what a method returns.
type answer struct {
	Number uint64        `json:"n,omitempty"`
	Yes    bool          `json:"y,omitempty"`
	Err    string        `json:"e,omitempty"`
	Unlike bool          `json:"u,omitempty"` // the error is an UnlikeError
	Opened *openedAnswer `json:"o,omitempty"`
	err    error         // as the method has returned it
}

// openedAnswer is what a Checkpoint tells of itself.
type openedAnswer struct {
	Identity []byte
	State    json.RawMessage
	Loop     SavedLoop
	Arrays   []SavedArray
}

// pass passes on what a method returns, and returns its error.
func (w *witness) pass(a *answer) error {
	if w.to != nil && a.err != nil {
		a.Err = a.err.Error()
		var unlike *UnlikeError
		a.Unlike = errors.As(a.err, &unlike)
	}
	text, err := json.Marshal(a)
	if err != nil {
		panic(err) // a checkpoint's state is JSON
	}
	text = w.out.Bytes(recording.Answer, text)
	if w.to != nil {
		return a.err
	}
	*a = answer{}
	switch err := json.Unmarshal(text, a); {
	case err != nil:
		return err
	case a.Unlike:
		return &UnlikeError{a.Err}
	case a.Err != "":
		return errors.New(a.Err)
	}
	return nil
}

func (w *witness) Begin(rank int) {
	if w.to != nil {
		w.to.Begin(rank)
	}
}

func (w *witness) Due(ctx context.Context, now Time) (number uint64, stop bool, err error) {
	var a answer
	if w.to != nil {
		a.Number, a.Yes, a.err = w.to.Due(ctx, now)
	}
	err = w.pass(&a)
	return a.Number, a.Yes, err
}

func (w *witness) Save(ctx context.Context, cut Cut) error {
	var a answer
	if w.to != nil {
		a.err = w.to.Save(ctx, cut)
	}
	return w.pass(&a)
}

func (w *witness) Commit(ctx context.Context, number uint64) error {
	var a answer
	if w.to != nil {
		a.err = w.to.Commit(ctx, number)
	}
	return w.pass(&a)
}

func (w *witness) Newest(ctx context.Context, below uint64) (uint64, error) {
	var a answer
	if w.to != nil {
		a.Number, a.err = w.to.Newest(ctx, below)
	}
	err := w.pass(&a)
	return a.Number, err
}

func (w *witness) Open(ctx context.Context, number uint64) (Checkpoint, error) {
	var a answer
	var from Checkpoint
	if w.to != nil {
		if from, a.err = w.to.Open(ctx, number); a.err == nil {
			a.Opened = &openedAnswer{from.Identity(), from.State(), from.Loop(), from.Arrays()}
		}
	}
	if err := w.pass(&a); err != nil {
		return nil, err
	}
	if a.Opened == nil {
		return nil, errors.New("the record has no checkpoint")
	}
	return &witnessed{from, a.Opened, w}, nil
}

func (w *witness) Failed(number uint64, why error) {
	if w.to != nil {
		w.to.Failed(number, why)
	}
}

func (w *witness) Lost(ctx context.Context, rank int, wait bool) (number uint64, stop bool) {
	var a answer
	if w.to != nil {
		a.Number, a.Yes = w.to.Lost(ctx, rank, wait)
	}
	_ = w.pass(&a) // there is none
	return a.Number, a.Yes
}

func (w *witness) Stop() {
	if w.to != nil {
		w.to.Stop()
	}
}

func (w *witness) GiveUp(number uint64) {
	if w.to != nil {
		w.to.GiveUp(number)
	}
}

func (w *witness) Undone(number uint64) bool {
	var a answer
	if w.to != nil {
		a.Yes = w.to.Undone(number)
	}
	_ = w.pass(&a) // there is none
	return a.Yes
}

func (w *witness) Undo(ctx context.Context, number uint64, rank int) {
	if w.to != nil {
		w.to.Undo(ctx, number, rank)
	}
}

func (w *witness) Finish(ctx context.Context) bool {
	var a answer
	if w.to != nil {
		a.Yes = w.to.Finish(ctx)
	}
	_ = w.pass(&a) // there is none
	return a.Yes
}

// witnessed is a Checkpoint that passes on what another one has.
type witnessed struct {
	from Checkpoint // nil in a replay
	*openedAnswer
	by *witness
}

func (w *witnessed) Identity() []byte       { return w.openedAnswer.Identity }
func (w *witnessed) State() json.RawMessage { return w.openedAnswer.State }
func (w *witnessed) Loop() SavedLoop        { return w.openedAnswer.Loop }
func (w *witnessed) Arrays() []SavedArray   { return w.openedAnswer.Arrays }

// mostPassed is how many bytes of a checkpoint are one answer.
const mostPassed = 32 << 10

func (w *witnessed) Read(array, offset int, p []byte) error {
	var a answer
	if w.from != nil {
		a.err = w.from.Read(array, offset, p)
	}
	err := w.by.pass(&a)
	for err == nil && len(p) > 0 {
		part := p[:min(len(p), mostPassed)]
		copy(part, w.by.out.Bytes(recording.Answer, part))
		p = p[len(part):]
	}
	return err
}

func (w *witnessed) Close() error {
	if w.from == nil {
		return nil
	}
	return w.from.Close()
}
