package fagus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A Checkpointer keeps the checkpoints of a job. Package fagus/checkpoint has one over a directory.
// The goroutine of each rank calls its methods; in one process they may be called by several ranks
// at the same time.
type Checkpointer interface {
	// Due returns the number of the checkpoint to make at the present cut, larger than that of
	// every checkpoint before and below 2^62, or 0 to make none. now is the time of the run. If
	// stop, the run ends when the checkpoint is valid. Rank 0 calls Due. An error ends the run.
	Due(ctx context.Context, now Time) (number uint64, stop bool, err error)
	// Save keeps what a rank owns at a cut. The memory of the pieces may change after it returns.
	Save(ctx context.Context, cut Cut) error
	// Commit makes a checkpoint valid. Every rank has saved its cut. Rank 0 calls it.
	Commit(ctx context.Context, number uint64) error
	// Newest returns the number of the newest checkpoint with a number below below, or 0 if there
	// is none. Rank 0 calls it.
	Newest(ctx context.Context, below uint64) (number uint64, err error)
	// Open opens a checkpoint. Every rank calls it.
	Open(ctx context.Context, number uint64) (Checkpoint, error)
	// Failed is told why a checkpoint was not made, or is not used. The run goes on.
	Failed(number uint64, why error)
	// Lost returns the number of the last checkpoint of which this rank could not write its part
	// after Save had returned, or 0. With wait it returns when nothing is being written. Every rank
	// calls it.
	Lost(ctx context.Context, rank int, wait bool) (number uint64)
	// GiveUp tells rank 0 that another rank has lost its part of a checkpoint.
	GiveUp(number uint64)
	// Finish returns when no Commit is under way: whether the last one has made its checkpoint
	// valid. Rank 0 calls it.
	Finish(ctx context.Context) (valid bool)
}

// A Cut is what a rank owns at a cut: a point between calls at which every rank has made the same
// call, and none has a message on its way.
type Cut struct {
	Number      uint64 // of the checkpoint
	Rank, Nodes int
	State       json.RawMessage // of the program
	Arrays      []SavedArray    // all arrays of the program
	Pieces      []SavedPiece    // what this rank owns, by array and offset
}

// SavedArray describes an array of a checkpoint.
type SavedArray struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`    // the number and type of elements
	Element int    `json:"element"` // bytes
	Bytes   int    `json:"bytes"`
}

// SavedPiece is consecutive bytes of an array, with the version of the variable that guards them.
type SavedPiece struct {
	Array   int // index in Cut.Arrays
	Offset  int // in the array, in bytes
	Version uint64
	Data    []byte
}

// Checkpoint is a checkpoint that can be read.
type Checkpoint interface {
	// State is the state of the program.
	State() json.RawMessage
	// Arrays are the arrays that the program had.
	Arrays() []SavedArray
	// Read fills p with the bytes of an array, an index in Arrays, at an offset. Bytes that were
	// never saved are 0.
	Read(array, offset int, p []byte) error
	// Close gives back what Open took.
	Close() error
}

// Checkpoint lets the run make a checkpoint, from which a later run resumes (see Resume), on any
// number of ranks, any network and in any mode. It is collective, and the rank must hold no
// variable. Without Config.Checkpoints it does nothing.
//
// A checkpoint has the contents of all variables; what Keep, KeepCopy and KeepEach have named; and
// state, a small value that encoding/json can encode, such as the number of iterations made. All
// ranks pass the same state. Nothing else is saved, of arrays or of private memory.
//
// Config.Checkpoints decides whether the call makes a checkpoint. If not, it is a Barrier. If the
// checkpoint cannot be written, the run goes on: the last one stays valid, and Config.Checkpoints
// is told why. Config.Checkpoints may also end the run here: all ranks get ErrStopped.
func (n *Node) Checkpoint(state any) error {
	if err := n.ready("Checkpoint"); err != nil || n.checkpoints == nil {
		return err
	}
	encoded, err := json.Marshal(state)
	if err != nil {
		return n.errorf("Checkpoint: encoding the state: %w", err)
	}
	number, stop, err := n.due()
	if err != nil || number == 0 {
		return err
	}
	for _, f := range n.cuts {
		f()
	}
	saved := n.checkpoints.Save(n.ctx, n.cut(number, encoded))
	// A rank that goes on could become the owner of what another one is about to save.
	failed, err := n.agreed("Checkpoint", encoded, saved)
	if err != nil {
		return err
	}
	if failed == nil && n.rank == 0 {
		failed = n.checkpoints.Commit(n.ctx, number)
	}
	if failed != nil && (failed != errOther || n.rank == 0) {
		n.checkpoints.Failed(number, failed)
	}
	if stop && failed == nil {
		return n.stop()
	}
	return nil
}

// ErrStopped is the error of a run that was told to stop, and can go on from its last checkpoint.
var ErrStopped = errors.New("the run was told to stop, and has made a checkpoint from which it can go on")

// due returns on all ranks which checkpoint begins, which rank 0 decides; 0: none.
func (n *Node) due() (number uint64, stop bool, err error) {
	const last = 1 << 63
	if n.rank == 0 {
		if number, stop, err = n.checkpoints.Due(n.ctx, n.Now()); err != nil {
			return 0, false, n.errorf("Checkpoint: %w", err)
		}
		if stop {
			number |= last
		}
	}
	number, err = n.begins(number, false)
	return number &^ last, number&last != 0, err
}

// stop ends the run on all ranks if the last checkpoint is valid.
func (n *Node) stop() error {
	valid := 0
	if n.rank == 0 && n.checkpoints.Finish(n.ctx) {
		valid = 1
	}
	all, err := Gather(n, valid)
	if err == nil && all[0] == 1 {
		err = n.errorf("Checkpoint: %w", ErrStopped)
	}
	return err
}

// begins returns on all ranks which checkpoint begins, which rank 0 knows. It tells rank 0 what the
// others have lost.
func (n *Node) begins(number uint64, wait bool) (uint64, error) {
	if n.rank > 0 {
		number = n.checkpoints.Lost(n.ctx, n.rank, wait)
	}
	words, err := Gather(n, number)
	if err != nil {
		return 0, err
	}
	for _, lost := range words[1:] {
		if n.rank == 0 && lost > 0 {
			n.checkpoints.GiveUp(lost)
		}
	}
	return words[0], nil
}

// Resume reports whether the run resumes from a checkpoint. If so, all variables and state, a
// pointer, have the values that they had at the Checkpoint. It is collective: each rank calls it
// once, when all arrays are made and bound as at the Checkpoint; only the bindings may differ.
//
//	i := 0
//	if !n.Resume(&i) {
//		fill()
//	}
//	for ; i < iterations; i++ {
//		iterate()
//		n.Checkpoint(i + 1)
//	}
//
// A checkpoint that is damaged is not used: the one before it is. If none can be read, or the
// program has other arrays than the one that was saved, the run fails. Whether Resume has failed,
// Node.Err says.
//
// A resumed rank has acquired nothing yet, so that an Update fetches only what the rank acquires
// after Resume. The values of variables that a rank has not acquired are old.
func (n *Node) Resume(state any) (resumed bool) {
	if err := n.ready("Resume"); err != nil || n.checkpoints == nil {
		return false
	}
	resumed, err := n.resume(state)
	if err != nil {
		_ = n.errorf("Resume: %w", err)
		return false
	}
	return resumed
}

func (n *Node) resume(state any) (resumed bool, err error) {
	set := n.Set(n.share()...)
	set.moves = true
	var wrong error // why the last checkpoint cannot be used
	for below := ^uint64(0); ; {
		number, err := n.newest(below)
		if err != nil || number == 0 {
			return false, cmp.Or(err, wrong)
		}
		encoded, read := n.restore(set, number)
		if n.err != nil {
			return false, n.err
		}
		if unlike := (*unlikeError)(nil); errors.As(read, &unlike) {
			return false, read
		}
		failed, err := n.agreed("Resume", encoded, read)
		if err != nil {
			return false, err
		}
		if failed == nil {
			return true, cmp.Or(json.Unmarshal(encoded, state), n.applyKept())
		}
		if failed != errOther {
			n.checkpoints.Failed(number, failed)
		}
		wrong = fmt.Errorf("no checkpoint can be used, the newest of which is %d: %w", number, cmp.Or(wrong, failed))
		below = number
	}
}

// newest returns on all ranks the number of the newest checkpoint below a number, or 0.
func (n *Node) newest(below uint64) (number uint64, err error) {
	const unknown = ^uint64(0)
	var found error
	if n.rank == 0 {
		if number, found = n.checkpoints.Newest(n.ctx, below); found != nil {
			number = unknown
		}
	}
	numbers, err := Gather(n, number)
	switch {
	case err != nil:
		return 0, err
	case numbers[0] == unknown && found == nil:
		return 0, cmp.Or(n.Barrier(), errors.New("rank 0 cannot look for checkpoints"))
	}
	return numbers[0], found
}

// unlikeError means that the program differs from the one that was saved.
type unlikeError struct{ what string }

func (e *unlikeError) Error() string { return e.what }

// restore writes a checkpoint's values of the variables in set, whose ranges this rank's share has.
func (n *Node) restore(set *SyncSet, number uint64) (state json.RawMessage, err error) {
	arrays, numbers := n.savedArrays()
	from, err := n.checkpoints.Open(n.ctx, number)
	if err == nil {
		defer from.Close()
		err = compareArrays(arrays, from.Arrays())
	}
	// Whatever has failed here, other ranks expect this rank's tenure.
	acquired := set.Do(func() {
		for _, id := range set.exclusive {
			n.eachSaved(id, numbers, func(array, offset int, data []byte) bool {
				if err == nil {
					err = from.Read(array, offset, data)
				}
				return err == nil
			})
		}
	})
	if acquired != nil {
		return nil, acquired
	}
	if err != nil {
		return nil, err
	}
	return from.State(), n.loadKept(from, len(arrays)-len(n.kept))
}

// compareArrays returns an error if this rank's arrays are not those of a checkpoint.
func compareArrays(own, saved []SavedArray) error {
	for i, a := range own {
		if i >= len(saved) {
			return &unlikeError{fmt.Sprintf("the checkpoint has no array %q: it is of another program, or of another version of this one", a.Name)}
		}
		if a.Kind == keptEach {
			a.Bytes = saved[i].Bytes // by the number of ranks
		}
		if saved[i] != a {
			return &unlikeError{fmt.Sprintf("array %d is %q, %s; in the checkpoint it is %q, %s: the checkpoint is of another program, of another version of this one, or of another input", i, a.Name, a.Kind, saved[i].Name, saved[i].Kind)}
		}
	}
	if len(own) < len(saved) {
		return &unlikeError{fmt.Sprintf("the checkpoint has an array %q, which this program has not made before Resume", saved[len(own)].Name)}
	}
	return nil
}

// Scratch says that what a has at a Checkpoint means nothing afterwards. It is not saved, and in a
// run that resumes the array may have another length: that of buffers for each rank, for example.
// It is collective, like NewArray.
func (a *Array[T]) Scratch() {
	if a.node.scratch == nil {
		a.node.scratch = map[consistency.Addr]bool{}
	}
	a.node.scratch[a.base] = true
}

// savedArrays describes the arrays whose contents are saved, and then the private memory, and
// returns the numbers of the arrays in that order. An array that is not saved has the number -1.
func (n *Node) savedArrays() (saved []SavedArray, numbers []int) {
	for r := range n.space.Regions {
		if n.scratch[r.Lo] {
			numbers = append(numbers, -1)
			continue
		}
		numbers = append(numbers, len(saved))
		saved = append(saved, SavedArray{r.Name, r.Kind, r.Element, r.Len()})
	}
	for _, k := range n.kept {
		saved = append(saved, k.SavedArray)
	}
	return saved, numbers
}

// eachSaved calls f for the parts of a variable's ranges whose contents are saved, with the number
// of their array among the saved ones. It stops when f returns false.
func (n *Node) eachSaved(id syncvar.ID, numbers []int, f func(array, offset int, data []byte) bool) {
	for _, r := range n.space.Ranges(id) {
		array, offset := n.space.Locate(r)
		if numbers[array] >= 0 && !f(numbers[array], offset, n.space.Bytes(r)) {
			return
		}
	}
}

// cut returns what this rank owns. All ranks are in a call, and none has begun a tenure since it.
func (n *Node) cut(number uint64, state json.RawMessage) Cut {
	arrays, numbers := n.savedArrays()
	c := Cut{Number: number, Rank: n.rank, Nodes: n.nodes, State: state, Arrays: arrays}
	for id := syncvar.ID(0); n.space.Bound(id); id++ {
		if !n.engine.Owns(id) {
			continue
		}
		version := uint64(n.engine.Version(id))
		n.eachSaved(id, numbers, func(array, offset int, data []byte) bool {
			c.Pieces = append(c.Pieces, SavedPiece{array, offset, version, data})
			return true
		})
	}
	c.Pieces = append(c.Pieces, n.keptPieces(len(arrays)-len(n.kept), number)...)
	return c
}

// share returns requests for this rank's share of all variables, by bytes.
func (n *Node) share() (share []Request) {
	_, numbers := n.savedArrays()
	var ends []int // by variable: the saved bytes up to its end
	total := 0
	for id := syncvar.ID(0); n.space.Bound(id); id++ {
		n.eachSaved(id, numbers, func(_, _ int, data []byte) bool {
			total += len(data)
			return true
		})
		ends = append(ends, total)
	}
	before := 0
	for id, end := range ends {
		if end > before && before*n.nodes/total == n.rank {
			share = append(share, n.whole(syncvar.ID(id)))
		}
		before = end
	}
	return share
}

// whole returns a request for a variable, all of which the rank writes.
func (n *Node) whole(id syncvar.ID) Request {
	var all []Range
	for _, r := range n.space.Ranges(id) {
		all = append(all, Range{node: n, bytes: consistency.Range{Lo: r.Lo, Hi: r.Hi}})
	}
	v := &SyncVar{node: n, id: id, name: n.space.Name(id)}
	return v.Write().Writing(all...)
}

// agreed returns when all ranks have called it. failed is this rank's own failure, or errOther if
// another rank has failed; err means that ranks have passed different states.
func (n *Node) agreed(call string, state json.RawMessage, own error) (failed, err error) {
	const right = 1 << 32
	word := uint64(right) | uint64(crc32.ChecksumIEEE(state))
	if own != nil {
		word = 0
	}
	words, err := Gather(n, word)
	if err != nil {
		return nil, err
	}
	if own != nil {
		return own, nil
	}
	if slices.Contains(words, 0) {
		return errOther, nil
	}
	for r, w := range words {
		if w != words[0] {
			return nil, n.errorf("%s: rank %d has another state than rank 0: every rank passes the same", call, r)
		}
	}
	return nil, nil
}

// errOther means that another rank has failed, which reports why.
var errOther = errors.New("another rank has failed")

// finishCheckpoints returns when the last checkpoint is valid, or given up.
func (n *Node) finishCheckpoints() error {
	if n.checkpoints == nil {
		return nil
	}
	if n.rank == 0 {
		n.checkpoints.Lost(n.ctx, 0, true)
	}
	if _, err := n.begins(0, true); err != nil {
		return err
	}
	if n.rank == 0 {
		n.checkpoints.Finish(n.ctx) // if it fails, Failed was told
	}
	return nil
}
