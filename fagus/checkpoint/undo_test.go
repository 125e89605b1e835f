package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// failing is a store in which some objects cannot be written.
type failing struct {
	checkpoint.Store
	names []string // of the objects that cannot be written
}

func (s *failing) Create(ctx context.Context, name string) (checkpoint.Writer, error) {
	if slices.Contains(s.names, name) {
		return nil, checkpoint.ErrDisk
	}
	return s.Store.Create(ctx, name)
}

// TestUndo: a rank removes its part of a failed checkpoint before it saves the next one, unless
// the manifest may be there. The checkpoints before and after it stay correct.
func TestUndo(t *testing.T) {
	program := relax{cells: 60, steps: 5, stop: -1}
	want, _, err := program.start(t, fagus.Config{Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, copies := range []int64{0, 1 << 20} {
		for _, fails := range []string{"c00000002-00001.part", "c00000002-00000.part", "c00000002.manifest"} {
			what := fmt.Sprintf("%s, copy %d", fails, copies)
			d := checkpoint.NewDisk()
			store := &failing{checkpoint.OverDisk(t.TempDir(), d), []string{fails}}
			k, said := keeper(t, checkpoint.Config{Store: store, Copy: copies})
			var left [3]bool
			begins := &watched{Keeper: k, save: func(cut fagus.Cut) {
				if cut.Number == 3 {
					left[cut.Rank] = slices.Contains(d.Names(), fmt.Sprintf("c00000002-%05d.part", cut.Rank))
				}
			}}
			if got, _, err := program.start(t, fagus.Config{Nodes: 3, Checkpoints: begins}); err != nil || got != want {
				t.Fatalf("%s: sum %x, error %v; want %x", what, got, err, want)
			}
			if manifest := strings.HasSuffix(fails, ".manifest"); manifest != left[0] || manifest != left[1] || manifest != left[2] {
				if copies == 0 { // otherwise parts are removed while the program computes
					t.Errorf("%s: at the next checkpoint parts are left: %v; it said: %s", what, left, said)
				}
			}
			if err := k.Close(); err != nil {
				t.Fatal(err)
			}
			verified(t, store)
			again, _ := keeper(t, checkpoint.Config{Store: store})
			if got, begun, err := program.start(t, fagus.Config{Nodes: 2, Checkpoints: again}); err != nil || got != want || begun == 0 {
				t.Errorf("%s: resumed at step %d, sum %x, error %v; want %x", what, begun, got, err, want)
			}
		}
	}
}

// TestUndoLast: without a further checkpoint, the next call of Checkpoint removes the failed part.
func TestUndoLast(t *testing.T) {
	d := checkpoint.NewDisk()
	store := &failing{checkpoint.OverDisk(t.TempDir(), d), []string{"c00000002-00001.part", "c00000003-00000.part", "c00000004-00002.part"}}
	k, said := keeper(t, checkpoint.Config{Store: store})
	if _, _, err := (relax{cells: 60, steps: 4, stop: -1}).start(t, fagus.Config{Nodes: 3, Checkpoints: k}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"c00000001-00000.part", "c00000001-00001.part", "c00000001-00002.part", "c00000001.manifest"}; !slices.Equal(d.Names(), want) {
		t.Errorf("there are %v: want %v; it said: %s", d.Names(), want, said)
	}
	verified(t, store)
}

// TestStopFails: if the last checkpoint of a run that is told to stop cannot be written, no rank
// ends before the others, and the run stops at the next checkpoint.
func TestStopFails(t *testing.T) {
	for _, copies := range []int64{0, 1 << 20} {
		d := checkpoint.NewDisk()
		store := &failing{checkpoint.OverDisk(t.TempDir(), d), []string{"c00000002.manifest"}}
		k, said := keeper(t, checkpoint.Config{Store: store, Copy: copies})
		begins := &watched{Keeper: k, save: func(cut fagus.Cut) {
			if cut.Number == 1 {
				k.Stop()
			}
		}}
		_, _, err := (relax{cells: 60, steps: 1 << 20, stop: -1}).start(t, fagus.Config{Nodes: 3, Checkpoints: begins})
		if !errors.Is(err, fagus.ErrStopped) || !strings.Contains(said.String(), checkpoint.ErrDisk.Error()) {
			t.Errorf("copy %d: error %v, want %v; it said: %s", copies, err, fagus.ErrStopped, said)
		}
		if numbers, err := checkpoint.Numbers(t.Context(), store); err != nil || !slices.Equal(numbers, []uint64{1, 3}) {
			t.Errorf("copy %d: checkpoints %v, error %v; want 1 and 3", copies, numbers, err)
		}
	}
}

// TestUndoCopied: parts that are written while ranks compute are removed, too, and the next part
// refers to what the part before referred to.
func TestUndoCopied(t *testing.T) {
	d := checkpoint.NewDisk()
	store := &failing{checkpoint.OverDisk(t.TempDir(), d), []string{"c00000002-00001.part"}}
	k, said := keeper(t, checkpoint.Config{Store: store, Copy: 1 << 20})
	for _, want := range []bool{true, false, true} {
		number, _, err := k.Due(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for rank := range 2 {
			err := k.Save(t.Context(), fagus.Cut{
				Number: number, Rank: rank, Nodes: 2, State: []byte("0"), Arrays: []fagus.SavedArray{{Name: "a", Kind: "uint8", Element: 1, Bytes: 4}},
				Pieces: []fagus.SavedPiece{{Offset: rank, Version: 1, Data: []byte("x")}, {Offset: 2 + rank, Version: number, Data: []byte("y")}},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for rank := range 2 {
			if lost, _ := k.Lost(t.Context(), rank, true); lost > 0 {
				k.GiveUp(lost)
			}
		}
		if err := k.Commit(t.Context(), number); err != nil {
			t.Fatal(err)
		}
		if valid := k.Finish(t.Context()); valid != want || k.Undone(number) == want {
			t.Errorf("checkpoint %d: valid %v, undone %v; it said: %s", number, valid, k.Undone(number), said)
		}
		if !want {
			for rank := range 2 {
				k.Undo(t.Context(), number, rank)
				k.Lost(t.Context(), rank, true)
			}
		}
	}
	names := []string{"c00000001-00000.part", "c00000001-00001.part", "c00000001.manifest", "c00000003-00000.part", "c00000003-00001.part", "c00000003.manifest"}
	if !slices.Equal(d.Names(), names) {
		t.Errorf("there are %v: want %v; it said: %s", d.Names(), names, said)
	}
	m, err := checkpoint.ReadManifest(t.Context(), store, 3)
	if err != nil || !slices.Equal(m.Parts[0].Earlier, []string{"c00000001-00000.part"}) {
		t.Errorf("%+v, error %v: want a reference to the first part", m, err)
	}
	verified(t, store)
}

// watched reports each Save.
type watched struct {
	*checkpoint.Keeper
	save func(fagus.Cut)
}

func (w *watched) Save(ctx context.Context, cut fagus.Cut) error {
	w.save(cut)
	return w.Keeper.Save(ctx, cut)
}

// verified reads all checkpoints of a store.
func verified(t *testing.T, store checkpoint.Store) {
	t.Helper()
	numbers, err := checkpoint.Numbers(t.Context(), store)
	if err != nil || len(numbers) == 0 {
		t.Errorf("checkpoints %v, error %v", numbers, err)
	}
	for _, number := range numbers {
		o, err := checkpoint.Open(t.Context(), store, number)
		if err != nil {
			t.Errorf("checkpoint %d: %v", number, err)
			continue
		}
		if err := o.Verify(); err != nil {
			t.Errorf("checkpoint %d: %v", number, err)
		}
		_ = o.Close() // it was only read
	}
}
