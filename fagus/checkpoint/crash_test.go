package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// small is a program of a few thousand operations.
var small = relax{cells: 60, steps: 6, stop: -1}

// stride is the distance between the cases that a test tries: usual, or short with -short.
func stride(usual, short int) int {
	if testing.Short() {
		return short
	}
	return longtest.Cases(1, usual)
}

// errKilled ends a run at once, as kill -9 does.
var errKilled = errors.New("killed")

// quiet is a log that nobody reads.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// commits counts the checkpoints that are certainly valid.
type commits struct {
	*checkpoint.Keeper
	last uint64
}

func (c *commits) Commit(ctx context.Context, number uint64) error {
	err := c.Keeper.Commit(ctx, number)
	if err == nil {
		c.last = number
	}
	return err
}

// attempt runs the program on a disk, until it or its context ends.
func attempt(ctx context.Context, t *testing.T, cfg fagus.Config, d *checkpoint.Disk) (sum uint64, from int, last uint64, err error) {
	t.Helper()
	return small.attempt(ctx, t, cfg, d)
}

func (c relax) attempt(ctx context.Context, t *testing.T, cfg fagus.Config, d *checkpoint.Disk) (sum uint64, from int, last uint64, err error) {
	t.Helper()
	store := checkpoint.OverDisk(t.TempDir(), d)
	keeper := &commits{Keeper: checkpoint.New(checkpoint.Config{Store: store, Log: quiet()})}
	cfg.Checkpoints = keeper
	sums, begun := make([]uint64, cfg.Nodes), make([]int, cfg.Nodes)
	_, err = fagus.Run(ctx, cfg, func(n *fagus.Node) (err error) {
		sums[n.Rank()], begun[n.Rank()], err = c.run(n)
		return err
	})
	if closed := keeper.Close(); closed != nil {
		t.Error(closed)
	}
	if open := checkpoint.LeftOpen(store); open != 0 {
		t.Errorf("%d files of the store are left open", open)
	}
	return sums[0], begun[0], keeper.last, err
}

// afterwards resumes on another number of ranks, in the other mode, and compares the result. last
// is the number of the last valid checkpoint.
func afterwards(t *testing.T, what string, want, last uint64, cfg fagus.Config, d *checkpoint.Disk) {
	t.Helper()
	cfg.Nodes, cfg.Mode, cfg.Net = cfg.Nodes%3+1, 1-cfg.Mode, dimmnet1(t)
	sum, from, _, err := attempt(t.Context(), t, cfg, d)
	// Checkpoints have the numbers of their steps, as long as none was lost.
	if err != nil || sum != want || from < int(last) {
		t.Errorf("%s: resumed at step %d, sum %x, error %v; want step %d or later, %x", what, from, sum, err, last, want)
	}
}

// TestKilledAtEveryFileOperation kills a job at every single operation on the disk, with and
// without a loss of power, and resumes the job.
func TestKilledAtEveryFileOperation(t *testing.T) {
	want, _, _, err := attempt(t.Context(), t, fagus.Config{Nodes: 1}, checkpoint.NewDisk())
	if err != nil {
		t.Fatal(err)
	}
	cfg := fagus.Config{Nodes: 2}
	whole := checkpoint.NewDisk()
	if _, _, _, err := attempt(t.Context(), t, fagus.Config{Nodes: 2, Net: dimmnet1(t)}, whole); err != nil {
		t.Fatal(err)
	}
	total := whole.Operations()
	if total < 200 {
		t.Fatalf("the job makes %d operations: want at least 200", total)
	}
	for at := 0; at < total; at += stride(1, 7) {
		ctx, kill := context.WithCancelCause(t.Context())
		d := checkpoint.NewDisk()
		d.Before = func(number int, _ string) error {
			if number >= at { // nothing happens after the death
				kill(errKilled)
				return errKilled
			}
			return nil
		}
		cfg.Mode, cfg.Net = fagus.Mode(at%2), dimmnet1(t)
		_, _, last, err := attempt(ctx, t, cfg, d)
		kill(nil)
		if err == nil {
			t.Fatalf("operation %d: the job was not killed", at)
		}
		for loss := range checkpoint.Losses {
			afterwards(t, fmt.Sprintf("killed at operation %d of %d, loss %d", at, total, loss), want, last, cfg, d.After(loss, uint64(at)))
		}
	}
	t.Logf("%d operations, %d losses each", total, checkpoint.Losses)
}

// TestKilledAtEveryMessage kills a job at every single message between its ranks.
func TestKilledAtEveryMessage(t *testing.T) {
	want, _, _, err := attempt(t.Context(), t, fagus.Config{Nodes: 1}, checkpoint.NewDisk())
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		total := 0
		for at := -1; at < total; at += stride(13, 101) {
			ctx, kill := context.WithCancelCause(t.Context())
			posts := 0
			net := porttest.Wrap(dimmnet1(t), func(p dimmnet.Port) dimmnet.Port {
				return porttest.Refuse(p, func() bool { // ranks are coroutines
					posts++
					if at < 0 || posts <= at {
						return false
					}
					kill(errKilled)
					return true // nothing is posted after the death
				})
			})
			d, cfg := checkpoint.NewDisk(), fagus.Config{Nodes: 3, Mode: mode, Net: net}
			_, _, last, err := attempt(ctx, t, cfg, d)
			kill(nil)
			if at < 0 {
				total = posts // this job was not killed
				continue
			}
			if err == nil {
				t.Fatalf("%v, post %d: the job was not killed", mode, at)
			}
			afterwards(t, fmt.Sprintf("%v, killed at post %d of %d", mode, at, total), want, last, cfg, d.After(checkpoint.LoseNothing, 0))
		}
		if total < 500 {
			t.Errorf("%v: the job makes %d posts: want at least 500", mode, total)
		}
		t.Logf("%v: %d posts", mode, total)
	}
}

// TestDamaged damages each object of a job in several ways. The job resumes from the checkpoint
// before, or fails: it never goes on with wrong data.
func TestDamaged(t *testing.T) {
	made := checkpoint.NewDisk()
	want, _, last, err := attempt(t.Context(), t, fagus.Config{Nodes: 2, Net: dimmnet1(t)}, made)
	if err != nil || last != uint64(small.steps) {
		t.Fatalf("checkpoint %d, error %v; want %d", last, err, small.steps)
	}
	damages := map[string]func([]byte) []byte{
		"a bit is flipped":     func(b []byte) []byte { b[len(b)/3] ^= 4; return b },
		"the last bit":         func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"the first half":       func(b []byte) []byte { return b[:len(b)/2] },
		"the second half is 0": func(b []byte) []byte { clear(b[len(b)/2:]); return b },
		"empty":                func([]byte) []byte { return nil },
		"longer":               func(b []byte) []byte { return append(b, b...) },
	}
	for _, name := range made.Names() {
		for what, damage := range damages {
			d := made.After(checkpoint.LoseNothing, 0)
			d.Change(name, func(b []byte) []byte { return damage(slices.Clone(b)) })
			resumeDamaged(t, name+": "+what, want, d)
		}
		d := made.After(checkpoint.LoseNothing, 0)
		if err := d.Remove(name); err != nil {
			t.Fatal(err)
		}
		resumeDamaged(t, name+": it is missing", want, d)
		for _, from := range made.Names() {
			d := made.After(checkpoint.LoseNothing, 0)
			d.Change(name, func([]byte) []byte { return made.Bytes(from) })
			resumeDamaged(t, name+": it is "+from, want, d)
		}
	}
}

// TestPartOfAnotherJob replaces a part by another job's part, which is valid by itself and has the
// same bytes.
func TestPartOfAnotherJob(t *testing.T) {
	disks := [2]*checkpoint.Disk{checkpoint.NewDisk(), checkpoint.NewDisk()}
	for i, d := range disks {
		c := relax{cells: 60, steps: 1, stop: -1, first: uint64(i)}
		if _, _, _, err := c.attempt(t.Context(), t, fagus.Config{Nodes: 2, Net: dimmnet1(t)}, d); err != nil {
			t.Fatal(err)
		}
	}
	const part = "c00000001-00001.part"
	disks[0].Change(part, func([]byte) []byte { return disks[1].Bytes(part) })
	_, _, _, err := attempt(t.Context(), t, fagus.Config{Nodes: 2, Net: dimmnet1(t)}, disks[0])
	if err == nil || !strings.Contains(err.Error(), "the manifest says") {
		t.Errorf("error %v, want that the part is not that of the manifest", err)
	}
}

func resumeDamaged(t *testing.T, what string, want uint64, d *checkpoint.Disk) {
	t.Helper()
	sum, from, _, err := attempt(t.Context(), t, fagus.Config{Nodes: 3, Net: dimmnet1(t)}, d)
	switch {
	case err != nil: // reported
	case sum != want:
		t.Errorf("%s: resumed at step %d, and the sum is %x: want %x", what, from, sum, want)
	case from < small.steps-1:
		t.Errorf("%s: resumed at step %d: want one of the two checkpoints", what, from)
	}
}
