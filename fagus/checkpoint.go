package fagus

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Checkpoint lets the run make a checkpoint, from which a later run resumes (see Resume), on any
// number of ranks, any network and in any mode. It is collective, and the rank must hold no
// variable. Without Config.Checkpoints it does nothing.
//
// A checkpoint has the contents of all variables; what Keep, KeepCopy and KeepEach have named; the
// number of steps that Steps has made; and what the pointers of Resume point to, the same on all
// ranks. Nothing else is saved, of arrays or of private memory.
//
// Config.Checkpoints decides whether the call makes a checkpoint. If not, it is a Barrier. If the
// checkpoint cannot be written, the run goes on: the last one stays valid, and Config.Checkpoints
// is told why. Config.Checkpoints may also end the run here: all ranks get ErrStopped.
func (n *Node) Checkpoint() error {
	if err := n.ready("Checkpoint"); err != nil || n.saving.to == nil {
		return err
	}
	number, stop, err := n.due()
	if err != nil || number == 0 {
		return err
	}
	if err := n.beforeCut(); err != nil {
		return err
	}
	cut, saved := n.cut(number)
	if saved == nil {
		saved = n.saving.to.Save(n.status.ctx, cut)
	}
	// A rank that goes on could become the owner of what another one is about to save.
	failed, err := n.agreed("Checkpoint: rank %d has another state than rank 0: what the pointers of Resume point to is the same on every rank", cut.State, saved)
	if err != nil {
		return err
	}
	stop = stop && failed == nil // the same on all ranks, as Commit's error is not
	if failed == nil && n.rank == 0 {
		failed = n.saving.to.Commit(n.status.ctx, number)
	}
	if failed != nil && (failed != errOther || n.rank == 0) {
		n.saving.to.Failed(number, failed)
	}
	if err := n.events.tellAll(event{kind: eventSaved, number: number, err: failed}); err != nil {
		return n.errorf("Checkpoint: %w", err)
	}
	if stop {
		return n.stop()
	}
	return nil
}

// ErrStopped is the error of a run that was told to stop, and can go on from its last checkpoint.
var ErrStopped = errors.New("the run was told to stop, and has made a checkpoint from which it can go on")

// due returns on all ranks which checkpoint begins, which rank 0 decides; 0: none.
func (n *Node) due() (number uint64, stop bool, err error) {
	if n.rank == 0 {
		if number, stop, err = n.saving.to.Due(n.status.ctx, n.host.Now()); err != nil {
			return 0, false, n.errorf("Checkpoint: %w", err)
		}
		if stop {
			number |= stopBit
		}
	}
	number, err = n.begins(number, false)
	stop, number = number&stopBit != 0, number&^stopBit
	if number > 0 {
		n.saving.making = number
	}
	return number, stop, err
}

// Bits in a word of begins.
const (
	stopBit   = 1 << 63 // the run is to stop
	undoneBit = 1 << 62 // of rank 0: the checkpoint that was begun last has failed
)

// beforeCut calls what OnCheckpoint has named. A rank that goes on could take a variable that
// another one is about to save: all wait.
func (n *Node) beforeCut() error {
	for _, f := range n.saving.cuts {
		f()
	}
	if len(n.saving.cuts) == 0 {
		return nil
	}
	return n.Barrier()
}

// stop ends the run on all ranks if the last checkpoint is valid.
func (n *Node) stop() error {
	valid := 0
	if n.rank == 0 && n.saving.to.Finish(n.status.ctx) {
		valid = 1
	}
	all, err := Gather(n, valid)
	if err == nil && all[0] == 1 {
		err = n.errorf("Checkpoint: %w", ErrStopped)
	}
	return err
}

// begins returns on all ranks which checkpoint begins, which rank 0 knows. It tells rank 0 what the
// others have lost, and the others to remove what they have saved of a checkpoint that has failed.
func (n *Node) begins(number uint64, wait bool) (uint64, error) {
	if err := n.beginStart(); err != nil {
		return 0, err
	}
	if n.rank > 0 {
		lost, stop := n.saving.to.Lost(n.status.ctx, n.rank, wait)
		if number = lost; stop {
			number |= stopBit
		}
	} else if n.saving.to.Undone(n.saving.making) {
		number |= undoneBit
	}
	words, err := Gather(n, number)
	if err != nil {
		return 0, err
	}
	for _, word := range words[1:] {
		if n.rank > 0 {
			break
		}
		if word&stopBit != 0 {
			n.saving.to.Stop()
		}
		if lost := word &^ stopBit; lost > 0 {
			n.saving.to.GiveUp(lost)
		}
	}
	if words[0]&undoneBit != 0 {
		n.saving.to.Undo(n.status.ctx, n.saving.making, n.rank)
	}
	return words[0] &^ undoneBit, nil
}

// beginStart has all ranks agree on the number of this run, once. In virtual time all ranks are in
// one process, and the number is fixed, so that runs are the same.
func (n *Node) beginStart() error {
	if n.saving.start != 0 {
		return nil
	}
	n.saving.start = 1
	if n.work.virtual {
		return nil
	}
	words, err := Gather(n, uint32(n.number(recording.Start, uint64(rand.Uint32()|1))))
	if err == nil {
		n.saving.start = words[0]
	}
	return err
}

// Resume reports whether the run resumes from a checkpoint. If so, all variables and what the
// pointers in state point to have the values that they had at the Checkpoint, and Steps goes on
// after the steps that were made. It is collective: each rank calls it once, when all arrays are
// made and bound as at the Checkpoint; only the bindings may differ.
//
//	if !n.Resume() {
//		fill()
//	}
//	for i := range n.Steps(iterations) {
//		iterate(i)
//	}
//
// What state points to are small values that are the same on all ranks, such as numbers, and slices
// that grow by a number in each step. encoding/json encodes them. Resume refuses types that would
// lose something, such as structs with unexported fields. A Checkpoint that meets a NaN or an
// infinity is not made, and the run goes on. Strings must be valid UTF-8.
//
// A checkpoint that is damaged is not used: the one before it is. If none can be read, or the
// program has other arrays than the one that was saved, the run fails. Whether Resume has failed,
// Node.Err says.
//
// A resumed rank has acquired nothing yet, so that an Update fetches only what the rank acquires
// after Resume. The values of variables that a rank has not acquired are old.
func (n *Node) Resume(state ...any) (resumed bool) {
	if err := n.ready("Resume"); err != nil || n.saving.to == nil {
		return false
	}
	n.saving.state, n.saving.resumeAt = state, path.Base(source.Here())
	err := checkState(state)
	if err == nil {
		resumed, err = n.resume()
	}
	if err != nil {
		_ = n.errorf("Resume: %w", err)
		return false
	}
	return resumed
}

func (n *Node) resume() (resumed bool, err error) {
	set := n.Set(n.share()...)
	set.moves = true
	var wrong error // why the last checkpoint cannot be used
	for below := ^uint64(0); ; {
		number, err := n.newest(below)
		if err != nil || number == 0 {
			return false, cmp.Or(err, wrong)
		}
		saved, read := n.restore(set, number)
		if n.status.err != nil {
			return false, n.status.err
		}
		if unlike := (*UnlikeError)(nil); errors.As(read, &unlike) {
			return false, read
		}
		failed, err := n.agreed("Resume: rank %d sees another checkpoint than rank 0: all hosts must share the directory", saved.identity, read)
		if err != nil {
			return false, err
		}
		if failed == nil {
			n.saving.loop = saved.loop
			if err := n.decodeState(saved.state); err != nil {
				return false, err
			}
			if err := n.events.tellAll(event{kind: eventResumed, number: number}); err != nil {
				return false, err
			}
			return true, n.applyKept()
		}
		if failed != errOther || n.rank == 0 { // rank 0 removes old ones, but no damaged ones
			n.saving.to.Failed(number, failed)
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
		if number, found = n.saving.to.Newest(n.status.ctx, below); found != nil {
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

// restored is what a checkpoint has besides the arrays and private memory.
type restored struct {
	state    json.RawMessage
	loop     SavedLoop
	identity []byte
}

// restore writes a checkpoint's values of the variables in set, whose ranges this rank's share has.
func (n *Node) restore(set *SyncSet, number uint64) (r restored, err error) {
	arrays, numbers := n.savedArrays()
	from, err := n.saving.to.Open(n.status.ctx, number)
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
	if err := cmp.Or(acquired, err); err != nil {
		return r, err
	}
	return restored{from.State(), from.Loop(), from.Identity()}, n.loadKept(from, len(arrays)-len(n.saving.kept))
}

// compareArrays returns an error if this rank's arrays are not the arrays of a checkpoint.
func compareArrays(own, saved []SavedArray) error {
	for i, a := range own {
		if i >= len(saved) {
			return &UnlikeError{fmt.Sprintf("the checkpoint has no array %q: it is of another program, or of another version of this one", a.Name)}
		}
		if a.Each() {
			a.Bytes = saved[i].Bytes // by the number of ranks
		}
		if saved[i] != a {
			return &UnlikeError{fmt.Sprintf("array %d is %q, %s; in the checkpoint it is %q, %s: the checkpoint is of another program, of another version of this one, or of another input", i, a.Name, a.Kind, saved[i].Name, saved[i].Kind)}
		}
	}
	if len(own) < len(saved) {
		return &UnlikeError{fmt.Sprintf("the checkpoint has an array %q, which this program has not made before Resume", saved[len(own)].Name)}
	}
	return nil
}

// Scratch says that what a has at a Checkpoint means nothing afterwards. It is not saved, and in a
// run that resumes the array may have another length: a buffer for each rank, for example.
// It is collective, like NewArray, and comes before the first call of Resume or Checkpoint after a
// was made: later ones are errors, which the next call returns.
func (a *elements) Scratch() {
	n := a.node
	if a.base < n.saving.fixed && !n.saving.scratch[a.base] {
		_ = n.errorf("Scratch of the array %q, which a call of Resume or Checkpoint has seen without it: call Scratch when the array is made", a.Name())
		return
	}
	if n.saving.scratch == nil {
		n.saving.scratch = map[consistency.Addr]bool{}
	}
	n.saving.scratch[a.base] = true
}

// savedArrays describes the arrays whose contents are saved, and then the private memory, and
// returns the numbers of the arrays in that order. An array that is not saved has the number -1.
func (n *Node) savedArrays() (saved []SavedArray, numbers []int) {
	for r := range n.space.Regions {
		n.saving.fixed = r.Hi
		if n.saving.scratch[r.Lo] {
			numbers = append(numbers, -1)
			continue
		}
		numbers = append(numbers, len(saved))
		saved = append(saved, SavedArray{jsonText(r.Name), jsonText(r.Kind), r.Element, r.Len()})
	}
	for _, k := range n.saving.kept {
		a := k.SavedArray
		a.Name, a.Kind = jsonText(a.Name), jsonText(a.Kind)
		saved = append(saved, a)
	}
	return saved, numbers
}

// jsonText returns text as it is after encoding and decoding by JSON.
func jsonText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

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
func (n *Node) cut(number uint64) (Cut, error) {
	arrays, numbers := n.savedArrays()
	state, err := n.encodeState()
	c := Cut{Number: number, Start: n.saving.start, Rank: n.rank, Nodes: n.nodes, State: state, Loop: n.saving.loop, Arrays: arrays}
	if err != nil {
		return c, err
	}
	for id := syncvar.ID(0); n.space.Bound(id); id++ {
		if !n.engine.Owns(id) {
			continue
		}
		guard, version := uint64(id)|uint64(n.rebinds)<<32, uint64(n.engine.Version(id))
		n.eachSaved(id, numbers, func(array, offset int, data []byte) bool {
			c.Pieces = append(c.Pieces, SavedPiece{array, offset, guard, version, data})
			return true
		})
	}
	kept, err := n.keptPieces(len(arrays)-len(n.saving.kept), number)
	c.Pieces = append(c.Pieces, kept...)
	return c, err
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
// another rank has failed; err means that ranks have passed different bytes: unlike says so.
func (n *Node) agreed(unlike string, same []byte, own error) (failed, err error) {
	const right = 1 << 32
	word := uint64(right) | uint64(crc32.ChecksumIEEE(same))
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
			return nil, n.errorf(unlike, r)
		}
	}
	return nil, nil
}

// errOther means that another rank has failed, which reports why.
var errOther = errors.New("another rank has failed")

// finishCheckpoints returns when the last checkpoint is valid, or given up.
func (n *Node) finishCheckpoints() error {
	if n.saving.to == nil {
		return nil
	}
	if n.rank == 0 {
		n.saving.to.Lost(n.status.ctx, 0, true)
	}
	if _, err := n.begins(0, true); err != nil {
		return err
	}
	if n.rank == 0 {
		n.saving.to.Finish(n.status.ctx) // if it fails, Failed was told
	}
	return nil
}
