package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// log collects what a Keeper reports.
type log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// keeper returns a Keeper that is closed at the end of the test, and its reports.
func keeper(t *testing.T, cfg checkpoint.Config) (*checkpoint.Keeper, *log) {
	t.Helper()
	said := new(log)
	cfg.Log = slog.New(slog.NewTextHandler(said, nil))
	k := checkpoint.New(cfg)
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
		if open := checkpoint.LeftOpen(cfg.Store); open != 0 {
			t.Errorf("%d files of the store are left open", open)
		}
	})
	return k, said
}

// TestFailingDisk: a job goes on when checkpoints cannot be written, and reports it. The
// checkpoints that exist are correct.
func TestFailingDisk(t *testing.T) {
	whole := relax{cells: 300, steps: 12, stop: -1}
	want, _, err := whole.start(t, fagus.Config{Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	failures := map[string]func(r *rand.Rand, number int, what string) error{
		"full": func(_ *rand.Rand, number int, what string) error {
			if number > 100 && what == "write" {
				return syscall.ENOSPC
			}
			return nil
		},
		"read-only": func(_ *rand.Rand, number int, what string) error {
			if number > 100 && (what == "create" || what == "link" || what == "remove") {
				return syscall.EROFS
			}
			return nil
		},
		"failing now and then": func(r *rand.Rand, number int, _ string) error {
			if number > 20 && r.IntN(20) == 0 {
				return checkpoint.ErrDisk
			}
			return nil
		},
		"slow": func(r *rand.Rand, _ int, _ string) error {
			time.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
			return nil
		},
	}
	for name, fails := range failures {
		for _, copies := range []int64{0, 1 << 20} {
			t.Run(fmt.Sprintf("%s/copy=%d", name, copies), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(seed, uint64(copies)))
				t.Logf("seed %d", seed)
				d := checkpoint.NewDisk()
				failed := false // in a way that must be reported
				d.Before = func(number int, what string) error {
					err := fails(r, number, what)
					failed = failed || err != nil && name != "failing now and then"
					return err
				}
				path := t.TempDir()
				k, said := keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(path, d), Copy: copies})
				got, _, err := whole.start(t, fagus.Config{Nodes: 3, Checkpoints: k})
				if err != nil && name != "failing now and then" || err == nil && got != want {
					t.Fatalf("sum %x, error %v; want %x", got, err, want)
				}
				if err := k.Close(); err != nil { // the failed checkpoint is being removed
					t.Error(err)
				}
				if failed && !strings.Contains(said.String(), "level=WARN") {
					t.Error("nothing was reported")
				}
				d.Before = nil
				after, said := keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(t.TempDir(), d)})
				got, _, err = whole.start(t, fagus.Config{Nodes: 2, Checkpoints: after})
				if err != nil || got != want {
					t.Errorf("afterwards: sum %x, error %v; want %x; it said:\n%s", got, err, want, said)
				}
			})
		}
	}
}

// TestTwoJobs: of two jobs that use a directory at the same time, the second one fails at once.
func TestTwoJobs(t *testing.T) {
	d, path := checkpoint.NewDisk(), t.TempDir()
	first, _ := keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(path, d)})
	if _, err := first.Newest(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	second, _ := keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(path, d)})
	_, _, err := small.start(t, fagus.Config{Nodes: 2, Checkpoints: second})
	if err == nil || !strings.Contains(err.Error(), "another job is using it (process") || !strings.Contains(err.Error(), "remove "+filepath.Join(path, "lock")) {
		t.Errorf("error %v, want that another job uses the directory, and what to do", err)
	}
}

// TestOtherProgram: a program with other arrays does not resume, and says which array differs.
func TestOtherProgram(t *testing.T) {
	d := checkpoint.NewDisk()
	k, _ := keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(t.TempDir(), d)})
	if _, _, err := small.start(t, fagus.Config{Nodes: 2, Checkpoints: k}); err != nil {
		t.Fatal(err)
	}
	larger := small
	larger.cells++
	k, _ = keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(t.TempDir(), d)})
	_, _, err := larger.start(t, fagus.Config{Nodes: 2, Checkpoints: k})
	if want := `array 0 is "cells", 61 elements of type uint64; in the checkpoint it is "cells", 60 elements`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestOtherInput: a run with another input does not resume, even from an older checkpoint, and
// says what differs. A checkpoint without a text, as an older version of Fagus makes it, is
// accepted.
func TestOtherInput(t *testing.T) {
	for _, c := range []struct {
		saved, now []string
		want       string // ""; no error
	}{
		{[]string{"--x=1", "--seed=0"}, []string{"--x=1", "--seed=0"}, ""},
		{nil, []string{"--x=1"}, ""},
		{[]string{"--x=1"}, nil, ""},
		{[]string{"--in=\xff\xfe"}, []string{"--in=\xff\xfe"}, ""},
		{[]string{"--x=1", "--y=2"}, []string{"--x=3", "--y=2"}, "was made with --x=1, and this run has --x=3: give it the same"},
		{[]string{"--y=2"}, []string{"--x=3", "--y=2"}, "was made with less, and this run has --x=3: "},
		{[]string{"a b"}, []string{"b", "a"}, "was made with a b, and this run has b a: "},
	} {
		d := checkpoint.NewDisk()
		run := func(input []string) (*log, error) {
			k, said := keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(t.TempDir(), d), Input: input})
			_, _, err := small.start(t, fagus.Config{Nodes: 2, Checkpoints: k})
			return said, err
		}
		if _, err := run(c.saved); err != nil {
			t.Fatal(err)
		}
		said, err := run(c.now)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || strings.Contains(said.String(), "WARN") {
			t.Errorf("%q, then %q: error %v, want %q; log %s", c.saved, c.now, err, c.want, said)
		}
	}
}

// TestOtherState: ranks that pass different states get an error.
func TestOtherState(t *testing.T) {
	k, _ := keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(t.TempDir(), checkpoint.NewDisk())})
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 3, Checkpoints: k}, func(n *fagus.Node) error {
		state := 0
		n.Resume(&state)
		state = n.Rank() / 2
		return n.Checkpoint()
	})
	if err == nil || !strings.Contains(err.Error(), "rank 2 has another state than rank 0") {
		t.Errorf("error %v, want that rank 2 has another state", err)
	}
}

// TestIncremental: unchanged data are not written again, and unused objects are removed.
func TestIncremental(t *testing.T) {
	d := checkpoint.NewDisk()
	store := checkpoint.OverDisk(t.TempDir(), d)
	const parts, bytes, steps = 50, 10000, 40
	sizes := func() (total int64) {
		all, err := store.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range all {
			total += o.Bytes
		}
		return total
	}
	k, said := keeper(t, checkpoint.Config{Store: store})
	program := func(n *fagus.Node) error {
		a, err := fagus.NewArray[byte](n, "a", parts*bytes)
		if err != nil {
			return err
		}
		var all []fagus.Request
		for i := range parts {
			v, err := n.Bind(fmt.Sprint(i), a.Range(i*bytes, (i+1)*bytes))
			if err != nil {
				return err
			}
			all = append(all, v.Write())
		}
		next := 0
		n.Resume(&next)
		begun := next
		mine := all[n.Rank()*parts/2 : (n.Rank()+1)*parts/2]
		for i := begun; i < begun+steps; i++ {
			set := mine[i%len(mine):][:1]
			if i == 0 {
				set = mine
			}
			n.Set(set...).Do(func() {
				for j := range set {
					a.Slice()[(n.Rank()*parts/2+(i+j)%len(mine))*bytes] += byte(i + 1)
				}
			})
			next = i + 1
			n.Checkpoint()
			if n.Rank() == 0 && sizes() > 5*parts*bytes {
				t.Errorf("step %d: the objects have %d bytes", i, sizes())
			}
		}
		return n.Err()
	}
	if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Checkpoints: k}, program); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(said.String(), "level=WARN") {
		t.Error(said)
	}
	numbers, err := checkpoint.Numbers(t.Context(), store)
	if err != nil || !slices.Equal(numbers, []uint64{steps - 1, steps}) {
		t.Fatalf("checkpoints %v, error %v; want the last two", numbers, err)
	}
	for _, number := range numbers {
		s, err := checkpoint.Open(t.Context(), store, number)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(); err != nil {
			t.Errorf("checkpoint %d: %v", number, err)
		}
		got := make([]byte, parts*bytes)
		if err := s.Read(0, 0, got); err != nil {
			t.Fatal(err)
		}
		for p := range parts {
			var want byte
			for i := range number {
				if i == 0 || int(i)%(parts/2) == p%(parts/2) {
					want += byte(i + 1)
				}
			}
			if got[p*bytes] != want {
				t.Errorf("checkpoint %d, part %d: %d, want %d", number, p, got[p*bytes], want)
			}
		}
		_ = s.Close()
	}
}

// TestDirectory: the unfinished files of a killed job are removed, and other files are left alone.
func TestDirectory(t *testing.T) {
	path := t.TempDir()
	for _, name := range []string{"c00000003-00000.part.0123456789abcdef.unfinished", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(path, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store, err := checkpoint.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	k, said := keeper(t, checkpoint.Config{Store: store, Copy: 1 << 20})
	if _, _, err := small.start(t, fagus.Config{Nodes: 2, Checkpoints: k}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(said.String(), "level=WARN") {
		t.Error(said)
	}
	var names []string
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err != nil || slices.Contains(names, "c00000003-00000.part.0123456789abcdef.unfinished") || !slices.Contains(names, "notes.txt") {
		t.Errorf("the directory has %v, error %v", names, err)
	}
	numbers, err := checkpoint.Numbers(t.Context(), store)
	if err != nil || len(numbers) == 0 || numbers[len(numbers)-1] > uint64(small.steps) {
		t.Errorf("checkpoints %v, error %v", numbers, err)
	}
	w, err := store.Create(t.Context(), fmt.Sprintf("c%08d.manifest", numbers[0]))
	if err == nil {
		err = w.Commit()
	}
	if !errors.Is(err, os.ErrExist) {
		t.Errorf("writing a manifest that exists: error %v, want %v", err, os.ErrExist)
	}
}

// stopping is a Keeper that another goroutine tells to stop some steps after it was made.
type stopping struct {
	*checkpoint.Keeper
	steps int
}

func (s *stopping) Due(ctx context.Context, now fagus.Time) (number uint64, stop bool, err error) {
	if s.steps++; s.steps == 300 {
		told := make(chan struct{})
		go func() {
			defer close(told)
			s.Stop()
		}()
		<-told
	}
	return s.Keeper.Due(ctx, now)
}

// TestStop: a run that is told to stop makes a checkpoint, though none is due, and ends.
func TestStop(t *testing.T) {
	whole := relax{cells: 100, steps: 2000, stop: -1}
	want, _, err := whole.start(t, fagus.Config{Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, copies := range []int64{0, 1 << 20} {
		d, begun := checkpoint.NewDisk(), 0
		for tries := 0; ; tries++ {
			k, said := keeper(t, checkpoint.Config{Store: checkpoint.OverDisk(t.TempDir(), d), Every: time.Hour, Copy: copies})
			sum, at, err := whole.start(t, fagus.Config{Nodes: 1 + tries%3, Mode: fagus.Mode(tries % 2), Checkpoints: &stopping{Keeper: k}})
			if err == nil {
				if sum != want || at < begun {
					t.Errorf("sum %x, begun at step %d; want %x, step %d or later", sum, at, want, begun)
				}
				if tries < 3 {
					t.Errorf("the run was stopped %d times only", tries)
				}
				break
			}
			if !errors.Is(err, fagus.ErrStopped) || strings.Contains(said.String(), "level=WARN") {
				t.Fatalf("try %d: error %v, want %v; it said:\n%s", tries, err, fagus.ErrStopped, said)
			}
			if err := k.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
