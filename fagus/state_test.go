package fagus_test

import (
	"log/slog"
	"maps"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// TestLosingState: Resume refuses values of which JSON would lose something.
func TestLosingState(t *testing.T) {
	type hidden struct{ A, b int }
	type Open struct{ A int }
	type recursive struct {
		Next *recursive
		Open
	}
	for want, value := range map[string]any{
		"the field b of fagus_test.hidden is not exported":        &hidden{b: 1},
		"value 1 is of type *[]map[int]*fagus_test.hidden, which": new([]map[int]*hidden),
		"value 1 is of type int: want a pointer":                  7,
		"interface {} loses the type of its value":                new([]any),
		"encoding/json does not encode complex128":                new([2]complex128),
		"": &struct {
			T time.Time
			B *big.Int
			R recursive
			M map[string][]float64
		}{},
	} {
		err := resumable(t, t.TempDir(), 2, func(n *fagus.Node) error {
			n.Resume(value)
			return n.Err()
		})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%T: error %v, want %q", value, err, want)
		}
	}
}

// TestMapsInState: a map has after Resume what it had at the Checkpoint, and no more.
func TestMapsInState(t *testing.T) {
	dir, want := t.TempDir(), map[string]int{"a": 1}
	for _, m := range []map[string]int{maps.Clone(want), {"b": 2}} {
		err := resumable(t, dir, 1, func(n *fagus.Node) error {
			n.Resume(&m)
			return n.Checkpoint()
		})
		if err != nil || !maps.Equal(m, want) {
			t.Errorf("%v, error %v; want %v", m, err, want)
		}
	}
}

// TestNaNInState: a checkpoint that cannot have a value is not made, and the run goes on. If none
// is due, nothing is reported.
func TestNaNInState(t *testing.T) {
	for _, every := range []time.Duration{0, time.Hour} {
		store, err := checkpoint.OpenDirectory(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		keeper := checkpoint.New(checkpoint.Config{Store: store, Every: every, Log: slog.New(slog.NewTextHandler(&said, nil))})
		_, err = fagus.Run(t.Context(), fagus.Config{Nodes: 2, Checkpoints: keeper}, func(n *fagus.Node) error {
			x := 1.0
			n.Resume(&x)
			for i := range n.Steps(4) {
				x = []float64{1, math.NaN(), math.Inf(1), 2}[i]
			}
			return n.Checkpoint()
		})
		if err != nil || strings.Contains(said.String(), "JSON has no NaN") != (every == 0) {
			t.Errorf("every %v: error %v; it said: %s", every, err, said.String())
		}
		numbers, err := checkpoint.Numbers(t.Context(), store)
		if err != nil || len(numbers) != map[time.Duration]int{0: 2}[every] {
			t.Errorf("every %v: checkpoints %v, error %v", every, numbers, err)
		}
		_ = keeper.Close()
	}
}

// TestLateScratch: an array that was saved stays so.
func TestLateScratch(t *testing.T) {
	for _, saved := range []bool{false, true} {
		err := resumable(t, t.TempDir(), 2, func(n *fagus.Node) error {
			a, b := fagus.NewGuarded[int](n, "a", 3), fagus.NewGuarded[int](n, "b", 3)
			a.Scratch()
			n.Resume()
			a.Scratch()
			n.Checkpoint()
			fagus.NewGuarded[int](n, "c", 3).Scratch()
			if saved {
				b.Scratch()
			}
			return n.Checkpoint()
		})
		if want := `Scratch of the array "b"`; saved != (err != nil && strings.Contains(err.Error(), want)) {
			t.Errorf("saved %v: error %v, want %s", saved, err, want)
		}
	}
}
