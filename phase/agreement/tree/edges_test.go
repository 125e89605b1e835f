package tree

import (
	"bytes"
	"errors"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestLastRun: a run may reach the highest rank number, and not go past it. Its period is 1 or 2,
// and it has at least one list.
func TestLastRun(t *testing.T) {
	list := appendScheduled(nil, &syncvar.List{Call: syncvar.Barrier})
	steps := appendSteps(nil, []int{0})
	for _, c := range []struct {
		after, count uint64
		valid        bool
	}{{dimmnet.MaxNodes - 2, 1, true}, {dimmnet.MaxNodes - 4, 3, true}, {dimmnet.MaxNodes - 4, 4, false}, {dimmnet.MaxNodes - 1, 1, false}, {3, 0, false}, {0, dimmnet.MaxNodes - 1, true}} {
		n := uint64(0)
		err := eachOfRun([]entry{{c.after, list}}, c.count, steps, func(of uint64, text []byte) error {
			if n++; of != c.after+n || !bytes.Equal(text, list) {
				return errors.New("another entry")
			}
			return nil
		})
		if (err == nil) != c.valid || c.valid && n != c.count {
			t.Errorf("a run of %d lists after rank %d: %d entries, %v; want it valid: %t", c.count, c.after, n, err, c.valid)
		}
	}
	for of, want := range map[uint64][2]uint64{0: {0, 0}, runBase - 1: {0, 0}, runBase: {0, 0}, runBase + 1: {1, 1}, 2*runBase - 1: {1, runBase - 1}, 2*runBase + 1: {2, 1}, 3*runBase - 1: {2, runBase - 1}, 3 * runBase: {0, 0}} {
		if period, count := runOf(of); period != int(want[0]) || period > 0 && count != want[1] {
			t.Errorf("%d is a run of period %d with %d lists, want %v", of, period, count, want)
		}
	}
}

// TestAlikeDeclarations: schedules are not alike if any rank has made more, fewer or other
// declarations.
func TestAlikeDeclarations(t *testing.T) {
	tree := ringbuf.Tree{Nodes: 4, Arity: 3}
	for rank := range 5 {
		for what, change := range map[string]func(l *syncvar.List){"more": func(l *syncvar.List) { l.Declared++ }, "fewer": func(l *syncvar.List) { l.Declared-- }, "other": func(l *syncvar.List) { l.Digest++ }} {
			var texts [][]byte
			for r := range 4 {
				l := syncvar.List{Call: syncvar.Barrier, Declared: 9, Digest: 7}
				if r == rank {
					change(&l)
				}
				texts = append(texts, appendScheduled(nil, &l))
			}
			s := scheduleOfTexts(t, tree, texts...)
			if s.all(); s.alike != (rank == 4) {
				t.Errorf("rank %d has made %s declarations: alike %t", rank, what, s.alike)
			}
		}
	}
}

// TestLargestSignals: signals with the largest values arrive unchanged. A signal with one byte
// more than a line has room for is refused.
func TestLargestSignals(t *testing.T) {
	const room = 120
	for s, valid := range map[signal]bool{
		{lag: 1}: true, {lag: 1<<16 - 1, bytes: room}: true, {lag: 1, bytes: room + dimmnet.WordBytes}: false, {lag: 1, bytes: 7}: false, {lag: 1, bytes: 8}: true,
		{bytes: 1}: true, {bytes: room}: true, {bytes: room + 1}: false, {bytes: room - 1}: true, {}: false, {follows: true}: true, {follows: true, bytes: 8}: false, {follows: true, lag: 1}: false,
	} {
		got, ok, err := decodeSignal(s.encode(7), 7, room)
		if (err == nil) != valid || valid && (!ok || got != s) {
			t.Errorf("%+v arrives as %+v, %t, %v; want it valid: %t", s, got, ok, err, valid)
		}
		if _, ok, err := decodeSignal(s.encode(8), 7, room); ok || err != nil {
			t.Errorf("%+v of another phase: %t, %v", s, ok, err)
		}
	}
}
