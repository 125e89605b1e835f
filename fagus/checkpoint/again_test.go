package checkpoint_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// counters is a program with a variable for each half of an array. It swaps the two by Rebind. Its
// result is the first element of each half.
type counters struct {
	extra int // writes that give the variables the same version
	swaps bool
}

func (c counters) run(n *fagus.Node) (result [2]int64, resumed bool, err error) {
	x, err := fagus.NewArray[int64](n, "x", 20)
	if err != nil {
		return result, false, err
	}
	a, err := n.Bind("a", x.Range(0, 10))
	if err != nil {
		return result, false, err
	}
	b, err := n.Bind("b", x.Range(10, 20))
	if err != nil {
		return result, false, err
	}
	set := func(v *fagus.SyncVar, i int, to int64) { n.Set(v.Write()).Do(func() { x.Slice()[i] = to }) }
	if resumed = n.Resume(); !resumed {
		for i := range 6 {
			set(a, 0, int64(i+1))
		}
		set(b, 10, 100)
		n.Checkpoint()
		set(a, 0, 777)
		for i := range c.extra {
			set(b, 10, int64(200+i))
		}
		if c.swaps {
			n.Rebind(a.To(x.Range(10, 20)), b.To(x.Range(0, 10)))
		}
		n.Checkpoint()
	}
	n.Set(a.Read(), b.Read()).Do(func() { result = [2]int64{x.Slice()[0], x.Slice()[10]} })
	return result, resumed, n.Err()
}

// TestRebind: after a Rebind the versions of other variables guard the same bytes.
func TestRebind(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for extra := range 8 {
			d := checkpoint.NewDisk()
			var results [2][2]int64
			for i := range results {
				k, _ := keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(t.TempDir(), d)})
				_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Mode: mode, Checkpoints: k}, func(n *fagus.Node) (err error) {
					var resumed bool
					if results[i], resumed, err = (counters{extra, true}).run(n); err == nil && resumed != (i == 1) {
						err = fmt.Errorf("run %d: resumed %v", i, resumed)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if results[0] != results[1] {
				t.Errorf("%v, %d writes: resumed with %v, want %v", mode, extra, results[1], results[0])
			}
		}
	}
}

// TestRunsOfOneKeeper: a Keeper that several runs use one after the other knows that versions and
// times begin anew in each.
func TestRunsOfOneKeeper(t *testing.T) {
	k, _ := keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(t.TempDir(), checkpoint.NewDisk())})
	for stop := 1; stop < 8; stop++ {
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Checkpoints: k}, func(n *fagus.Node) error {
			x := fagus.NewGuarded[int64](n, "x", 10)
			begun := 0
			n.Resume(&begun)
			if begun != stop-1 {
				return fmt.Errorf("begun at %d", begun)
			}
			var before int64
			n.Set(x.Read()).Do(func() { before = x.Slice()[0] })
			if before != int64(2*begun) {
				return fmt.Errorf("begun at %d with %d", begun, before)
			}
			n.Set(x.Write().Unordered()).Do(func() { x.Slice()[0]++ })
			n.Barrier()
			begun = stop
			return n.Checkpoint()
		})
		if err != nil {
			t.Fatalf("run %d: %v", stop, err)
		}
	}
}

// apart is a Keeper that has another directory for each rank.
type apart struct {
	*checkpoint.Keeper
	stores [2]checkpoint.Store
	opened atomic.Int32
}

func (a *apart) Open(ctx context.Context, number uint64) (fagus.Checkpoint, error) {
	return checkpoint.Open(ctx, a.stores[(a.opened.Add(1)-1)%2], number)
}

// TestDirectoriesApart: ranks do not resume from different checkpoints with equal number and
// state.
func TestDirectoriesApart(t *testing.T) {
	var a apart
	for i := range a.stores {
		a.stores[i] = checkpoint.OverDisk(t.TempDir(), checkpoint.NewDisk())
		k, _ := keeper(t, checkpoint.Config{Store: a.stores[i]})
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Checkpoints: k}, func(n *fagus.Node) error {
			_, _, err := (counters{extra: i}).run(n)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
	a.Keeper, _ = keeper(t, checkpoint.Config{Store: a.stores[0]})
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Checkpoints: &a}, func(n *fagus.Node) error {
		_, _, err := (counters{}).run(n)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "sees another checkpoint than rank 0: all hosts must share the directory") {
		t.Errorf("error %v, want that the directories differ", err)
	}
}

// TestUnusable: data that Resume could not use become no checkpoint, and the one before stays.
func TestUnusable(t *testing.T) {
	var first [2]int // of each rank
	for name, program := range map[string]struct {
		// step does something wrong, from step 1 on, and returns the state.
		step func(n *fagus.Node, x *[]int64, i int) string
		want string
	}{
		"a slice that grows": {func(_ *fagus.Node, x *[]int64, i int) string {
			if i > 0 {
				*x = append(*x, 1)
			}
			return ""
		}, "a slice has changed its length since Keep"},
		"a slice that shrinks": {func(n *fagus.Node, x *[]int64, i int) string {
			if i > 0 && n.Rank() == 1 {
				*x = (*x)[:2]
			}
			return ""
		}, "rank 1 has 16 bytes to save, and had 24"},
		"an element of two ranks": {func(n *fagus.Node, _ *[]int64, i int) string {
			if i > 0 && n.Rank() == 0 {
				first[0] = 1
			}
			return ""
		}, "overlaps another"},
		"a large state": {func(_ *fagus.Node, _ *[]int64, i int) string {
			if i > 0 {
				return strings.Repeat("x", 65<<20)
			}
			return ""
		}, "the state is too large"},
	} {
		first = [2]int{0, 3}
		d := checkpoint.NewDisk()
		k, said := keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(t.TempDir(), d), Keep: 1})
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Checkpoints: k}, func(n *fagus.Node) error {
			x := make([]int64, 3)
			fagus.KeepParts(n, "x", 6, func(yield func(int, []int64) bool) { yield(first[n.Rank()], x) })
			var state string
			n.Resume(&state)
			for i := range 3 {
				state = program.step(n, &x, i)
				if err := n.Checkpoint(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || !strings.Contains(said.String(), program.want) {
			t.Errorf("%s: error %v; it said: %s", name, err, said)
		}
		numbers, err := checkpoint.Numbers(t.Context(), checkpoint.OverDisk(t.TempDir(), d))
		if err != nil || len(numbers) != 1 || numbers[0] != 1 {
			t.Errorf("%s: checkpoints %v, error %v; want the first", name, numbers, err)
		}
	}
}

// far is the Keeper of a rank on another host than rank 0: it knows only what rank 0 tells it.
type far struct{ *checkpoint.Keeper }

func (f far) Failed(number uint64, why error) {
	if why.Error() == "another rank has failed" {
		f.Keeper.Failed(number, why)
	}
}

// TestDamageElsewhere: rank 0 counts a checkpoint as damaged if only another rank could not read
// it, and keeps the one before in its place.
func TestDamageElsewhere(t *testing.T) {
	dir := t.TempDir()
	for run, want := range [][]uint64{{4, 5}, {4, 5, 6}} {
		store, err := checkpoint.OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		k, said := keeper(t, checkpoint.Config{Store: store})
		_, err = fagus.Run(t.Context(), fagus.Config{Nodes: 2, Checkpoints: far{k}}, func(n *fagus.Node) error {
			x, made := make([]int64, 10), 0
			fagus.Keep(n, "x", &x, 10*n.Rank(), 20)
			n.Resume(&made)
			if made != 4*run {
				t.Errorf("resumed after checkpoint %d; it said: %s", made, said)
			}
			for made < 5 && n.Err() == nil {
				made++
				x[0]++
				n.Checkpoint()
			}
			return n.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		if numbers, err := checkpoint.Numbers(t.Context(), store); err != nil || !slices.Equal(numbers, want) {
			t.Errorf("run %d: checkpoints %v, error %v; want %v", run, numbers, err, want)
		}
		flip(t, filepath.Join(dir, "c00000005-00001.part"), 10)
	}
}

// TestCleanBesideDamage: old checkpoints are removed though a manifest is damaged.
func TestCleanBesideDamage(t *testing.T) {
	dir := t.TempDir()
	for run := range 3 {
		store, err := checkpoint.OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		k, said := keeper(t, checkpoint.Config{Store: store})
		if _, _, err := (relax{cells: 60, steps: 6 + 20*run, stop: -1}).start(t, fagus.Config{Nodes: 2, Checkpoints: k}); err != nil {
			t.Fatalf("run %d: %v; it said: %s", run, err, said)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		numbers, err := checkpoint.Numbers(t.Context(), store)
		if want := [][]uint64{{5, 6}, {6, 26, 27}, {46, 47}}[run]; err != nil || !slices.Equal(numbers, want) {
			t.Errorf("run %d: checkpoints %v, error %v; want %v", run, numbers, err, want)
		}
		if all, err := store.List(t.Context()); err != nil || len(all) > 12 {
			t.Errorf("run %d: %v, error %v", run, all, err)
		}
		if run == 0 {
			flip(t, filepath.Join(dir, "c00000006.manifest"), 10)
		}
	}
}

// unreadable is a store in which the first manifest cannot be read.
type unreadable struct{ checkpoint.Store }

func (s unreadable) Open(ctx context.Context, name string) (checkpoint.Reader, error) {
	if name == "c00000001.manifest" {
		return nil, checkpoint.ErrDisk
	}
	return s.Store.Open(ctx, name)
}

// TestUnreadableManifest: nothing is removed while a manifest that lists needed parts cannot be
// read. That is reported once.
func TestUnreadableManifest(t *testing.T) {
	store := unreadable{checkpoint.OverDisk(t.TempDir(), checkpoint.NewDisk())}
	k, said := keeper(t, checkpoint.Config{Store: store})
	if _, _, err := (relax{cells: 60, steps: 2, stop: -1}).start(t, fagus.Config{Nodes: 2, Checkpoints: k}); err != nil {
		t.Fatal(err)
	}
	again, saidAgain := keeper(t, checkpoint.Config{Store: store, Keep: 9})
	if err := k.Close(); err != nil { // gives the lock to the second run
		t.Fatal(err)
	}
	if _, _, err := (relax{cells: 60, steps: 8, stop: -1}).start(t, fagus.Config{Nodes: 2, Checkpoints: again}); err != nil {
		t.Fatal(err)
	}
	reports := strings.Count(said.String()+saidAgain.String(), "old ones cannot be removed: checkpoint: c00000001.manifest")
	if numbers, err := checkpoint.Numbers(t.Context(), store); err != nil || len(numbers) != 8 || reports != 2 {
		t.Errorf("checkpoints %v, error %v, reported %d times: want 8, and once by each run; it said: %s", numbers, err, reports, saidAgain)
	}
}

// flip changes a byte of a file.
func flip(t *testing.T, name string, at int) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err == nil {
		b[at] ^= 1
		err = os.WriteFile(name, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestHungDisk: a job ends though its disk does not answer.
func TestHungDisk(t *testing.T) {
	d, release := checkpoint.NewDisk(), make(chan struct{})
	d.Before = func(number int, what string) error {
		if number > 50 && what == "sync" {
			<-release
		}
		return nil
	}
	k, said := keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(t.TempDir(), d), Copy: 1 << 20})
	k.SetPatience(50 * time.Millisecond)
	t.Cleanup(func() { close(release) }) // before the Keeper is closed
	c := relax{cells: 300, steps: 300, stop: -1}
	if _, _, err := c.start(t, fagus.Config{Nodes: 2, Checkpoints: k}); err != nil {
		t.Errorf("error %v; it said: %s", err, said)
	}
}
