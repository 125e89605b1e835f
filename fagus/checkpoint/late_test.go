package checkpoint_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// TestPatience: a job waits for an earlier start of itself that is still ending.
func TestPatience(t *testing.T) {
	first, err := checkpoint.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	second, err := checkpoint.OpenDirectory(first.String())
	if err != nil {
		t.Fatal(err)
	}
	second.Patience = 20 * time.Second
	unlock, err := first.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func(unlock func() error) {
		time.Sleep(50 * time.Millisecond)
		_ = unlock() // the second Lock succeeds only if this does
	}(unlock)
	if unlock, err = second.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Lock(t.Context()); err == nil {
		t.Error("a job that has no patience has locked the directory of another")
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// TestLateWriter: a rank of an earlier start of a job writes the same object at the same time.
// Either it makes Commit fail, or it fails itself. It changes nothing that the other one has
// committed.
func TestLateWriter(t *testing.T) {
	store, err := checkpoint.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"c00000001-00001.part", "c00000002-00001.part"} {
		var writers []checkpoint.Writer
		for _, text := range []string{"old", "new"} {
			w, err := store.Create(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(w, text); err != nil {
				t.Fatal(err)
			}
			writers = append(writers, w)
		}
		want := "old"
		if name[8] == '2' {
			writers[0], writers[1], want = writers[1], writers[0], "new"
		}
		if err := writers[0].Commit(); err != nil {
			t.Errorf("the first Commit: %v", err)
		}
		if err := writers[1].Commit(); !errors.Is(err, os.ErrExist) {
			t.Errorf("the second Commit: error %v, want %v", err, os.ErrExist)
		}
		r, err := store.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, r.Size())
		if _, err := r.ReadAt(got, 0); err != nil || string(got) != want {
			t.Errorf("%s has %q, %v: want %q", name, got, err, want)
		}
		_ = r.Close()
	}
}

// TestLatePart: in an earlier start of the job, rank 1 was stopped before it wrote its part of the
// next checkpoint. It writes the part when the other ranks of this start have written theirs.
// There is no checkpoint with this part, and the next one is correct.
func TestLatePart(t *testing.T) {
	for _, run := range []uint32{1, 2} {
		store, err := checkpoint.OpenDirectory(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		now, said := keeper(t, checkpoint.Config{Store: store, Copy: 1 << 20})
		rank1, _ := keeper(t, checkpoint.Config{Store: store, Copy: 1 << 20})
		zombie, _ := keeper(t, checkpoint.Config{Store: store})
		save := func(k *checkpoint.Keeper, start uint32, number uint64, rank int, data string) error {
			return k.Save(t.Context(), fagus.Cut{
				Number: number, Start: start, Rank: rank, Nodes: 2, State: []byte("0"), Arrays: []fagus.SavedArray{{Name: "a", Kind: "uint8", Element: 1, Bytes: 2}},
				Pieces: []fagus.SavedPiece{{Offset: rank, Version: number, Data: []byte(data)}},
			})
		}
		for _, late := range []bool{true, false} {
			number, _, err := now.Due(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := save(now, 2, number, 0, "n"); err != nil {
				t.Fatal(err)
			}
			if late {
				err = save(zombie, run, number, 1, "z")
			} else {
				err = save(rank1, 2, number, 1, "w")
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := now.Commit(t.Context(), number); err != nil {
				t.Fatal(err)
			}
			if valid := now.Finish(t.Context()); valid != (run == 2 || !late) {
				t.Errorf("run %08x: checkpoint %d, late %v: valid %v: %s", run, number, late, valid, said)
			}
		}
		if want := "is of another start of the job (00000001): this one is 00000002"; strings.Contains(said.String(), want) != (run == 1) {
			t.Errorf("run %08x: it said: %s", run, said)
		}
	}
}
