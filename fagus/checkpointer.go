package fagus

import (
	"context"
	"encoding/json"

	"github.com/fagus-dsm/fagus/consistency"
)

// A Checkpointer keeps the checkpoints of a job. Package fagus/checkpoint has one over a directory.
// The goroutine of each rank calls its methods; in one process they may be called by several ranks
// at the same time.
type Checkpointer interface {
	// Begin begins a run at a rank: what was known of versions and of the time is void.
	Begin(rank int)
	// Due returns the number of the checkpoint to make at the present cut, larger than every
	// number before and below 2^62, or 0 to make none. now is the time of the run. If
	// stop, the run ends when the checkpoint is valid. Rank 0 calls Due. An error ends the run.
	Due(ctx context.Context, now Time) (number uint64, stop bool, err error)
	// Save keeps what a rank owns at a cut. The memory of the pieces may change after it returns.
	Save(ctx context.Context, cut Cut) error
	// Commit makes a checkpoint valid. Every rank has saved its cut. Rank 0 calls it.
	Commit(ctx context.Context, number uint64) error
	// Newest returns the number of the newest checkpoint with a number below below, or 0 if there
	// is none. Rank 0 calls it.
	Newest(ctx context.Context, below uint64) (number uint64, err error)
	// Open opens a checkpoint. Every rank calls it. After an UnlikeError the run ends; after any
	// other one the checkpoint before is used.
	Open(ctx context.Context, number uint64) (Checkpoint, error)
	// Failed is told why a checkpoint was not made, or is not used. The run goes on.
	Failed(number uint64, why error)
	// Lost returns the number of the last checkpoint of which this rank could not write its part
	// after Save had returned, or 0. With wait it returns when nothing is being written, or that
	// has taken too long. stop asks rank 0 for a Stop. Every rank calls it.
	Lost(ctx context.Context, rank int, wait bool) (number uint64, stop bool)
	// Stop has the next Due tell that the run ends. Any goroutine of rank 0's process calls it.
	Stop()
	// GiveUp tells rank 0 that another rank has lost its part of a checkpoint.
	GiveUp(number uint64)
	// Undone reports whether a checkpoint has failed for certain: it will never be valid. Rank 0
	// calls it.
	Undone(number uint64) bool
	// Undo removes what a rank has saved of a checkpoint that has failed for certain. It may be
	// called again. Every rank calls it.
	Undo(ctx context.Context, number uint64, rank int)
	// Finish returns when no Commit is under way: whether the last one has made its checkpoint
	// valid. Rank 0 calls it.
	Finish(ctx context.Context) (valid bool)
}

// saving is what a rank knows of its checkpoints.
type saving struct {
	to       Checkpointer              // nil: none are made
	start    uint32                    // number of this run; 0: not agreed yet
	making   uint64                    // the checkpoint that was begun last
	scratch  map[consistency.Addr]bool // arrays that are not saved, by address
	fixed    consistency.Addr          // Scratch of an array below it comes too late
	kept     []*kept                   // private memory that is saved
	cuts     []func()                  // of OnCheckpoint
	resumed  []func()                  // of OnResume
	state    []any                     // the pointers of Resume
	resumeAt string                    // the line of Resume: "sor.go:77"
	loop     SavedLoop                 // the first of Steps or Rounds, or the checkpoint's
	looped   bool                      // the first one has begun
	over     bool                      // it has ended
	steps    int                       // made by it
	begun    int                       // steps that runs before this one have made
	inSteps  bool                      // a loop of Steps or Rounds reports the rank's progress
}

// UnlikeError means that the program, or its input, differs from what was saved.
type UnlikeError struct{ What string }

// Error returns What.
func (e *UnlikeError) Error() string { return e.What }

// A Cut is what a rank owns at a cut: a point between calls at which every rank has made the same
// call, and none has a message on its way.
type Cut struct {
	Number      uint64 // of the checkpoint
	Start       uint32 // the same number on all ranks, and another one in every run
	Rank, Nodes int
	State       json.RawMessage // of the program
	Loop        SavedLoop       // whose steps State counts
	Arrays      []SavedArray    // all arrays of the program
	Pieces      []SavedPiece    // what this rank owns, by array and offset
}

// SavedLoop describes a loop of Steps or Rounds; the zero value: none has begun.
type SavedLoop struct {
	Kind string `json:"kind"` // "Steps" or "Rounds"
	End  int    `json:"end"`  // steps, or items
	// Place is "sor.go, 22 lines after Resume", or "sor.go, line 99" if Resume is in another file.
	Place string `json:"place"`
}

// SavedArray describes an array of a checkpoint.
type SavedArray struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`    // the number and type of elements: "9 elements of type float64"
	Element int    `json:"element"` // bytes
	Bytes   int    `json:"bytes"`
}

// Each reports whether the array is one of KeepEach. Of its Bytes, 2^40 for each rank, only the
// first are used.
func (a SavedArray) Each() bool { return a.Kind == keptEach }

// SavedPiece is consecutive bytes of an array. Pieces of one run with the same place, Guard and
// Version have the same data.
type SavedPiece struct {
	Array   int    // index in Cut.Arrays
	Offset  int    // in the array, in bytes
	Guard   uint64 // the variable that guards them, and the number of Rebinds before
	Version uint64 // of the variable
	Data    []byte
}

// Checkpoint is a checkpoint that can be read.
type Checkpoint interface {
	// Identity differs between checkpoints with the same number.
	Identity() []byte
	// State is the state of the program.
	State() json.RawMessage
	// Loop is the loop whose steps State counts.
	Loop() SavedLoop
	// Arrays are the arrays that the program had.
	Arrays() []SavedArray
	// Read fills p with the bytes of an array, an index in Arrays, at an offset. Bytes that were
	// never saved are 0.
	Read(array, offset int, p []byte) error
	// Close gives back what Open took.
	Close() error
}
