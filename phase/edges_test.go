package phase

import (
	"bytes"
	"errors"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestLargestWords: grants, notices and signals with the largest values arrive as they are; a
// signal with one byte more than a line has room for is refused.
func TestLargestWords(t *testing.T) {
	memory := span{lo: 64, n: 1<<32 - 128}
	for phase := uint64(0); phase < 3; phase++ {
		for message := range 2 * messageMax {
			tag := tag(phase+ringbuf.PhaseMask-1, message)
			for _, g := range []grant{{offset: 64}, {offset: 1<<32 - 72, standing: true}} {
				if got, ok, err := decodeGrant(g.encode(tag), tag, 8, memory); !ok || err != nil || got != g {
					t.Errorf("%+v arrives as %+v, %t, %v", g, got, ok, err)
				}
			}
			for _, n := range []notice{{}, {bytes: 1<<32 - 8, ends: true, last: true}, {bytes: 8, ends: true}} {
				if got, ok := decodeNotice(n.encode(tag), tag); !ok || got != n {
					t.Errorf("%+v arrives as %+v, %t", n, got, ok)
				}
			}
		}
	}
	if tag(5, 0) != tag(5, messageMax) || tag(5, 0) == tag(5, messageMax-1) || tag(5, 0) == 0 {
		t.Errorf("tags of messages 0, %d and %d: %x, %x, %x", messageMax-1, messageMax, tag(5, 0), tag(5, messageMax-1), tag(5, messageMax))
	}
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

// TestLastRun: a run may reach the last rank that there can be, and not one more; its period is 1
// or 2, and it has at least one list.
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

// TestLandedInPart: a PUSH has landed when its done word has all of its bytes. Any other number but
// 0 is an error.
func TestLandedInPart(t *testing.T) {
	for done, want := range map[uint64]string{0: "waits", 99: "fails", 100: "landed", 101: "fails", 1: "fails", 1 << 32: "fails", 1<<32 + 100: "fails"} {
		b := &push{rings: rings{e: &Engine{port: donePort{done: done}}}, words: pushWords{count: 1}}
		h := &hop{state: hopPush, flying: 100}
		landed, err := h.pollDone(b)
		got := "waits"
		switch {
		case err != nil:
			got = "fails"
		case landed && h.sent == 100 && h.flying == 0 && h.state == hopLanded:
			got = "landed"
		}
		if got != want {
			t.Errorf("with %d in the done word of a PUSH of 100 bytes it %s, want: %s", done, got, want)
		}
	}
}

// donePort is a port of which one word is read.
type donePort struct {
	dimmnet.Port
	done uint64
}

func (p donePort) Load(dimmnet.Offset) uint64 { return p.done }

// TestAlikeDeclarations: schedules in which some rank has made more, fewer or other declarations
// are not alike, whichever rank it is.
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

// TestLinesApart: no byte that one peer writes in another's inline area is written by a second
// peer, for another phase or as another part, with attached contents of each size.
func TestLinesApart(t *testing.T) {
	for nodes := 2; nodes <= 6; nodes++ {
		limits := dimmnet.Limits{LLCM: 1 << 16}
		a := newInlineArea(&limits, nodes)
		a.addBlocks(&limits)
		for owner := range dimmnet.Rank(nodes) {
			owners := make(map[dimmnet.Offset]string)
			claim := func(what string, at dimmnet.Offset, n int) {
				for i := range n {
					o := at + dimmnet.Offset(i)
					if other, taken := owners[o]; taken || int(o) < limits.LLCM || int(o) >= 1<<16 {
						t.Fatalf("%d nodes: byte %d of rank %d is that of %s, and of %s", nodes, o, owner, what, other)
					}
					owners[o] = what
				}
			}
			for peer := range dimmnet.Rank(nodes) {
				if peer == owner {
					continue
				}
				for phase := range uint64(2) {
					claim("a request", a.request(owner, peer, phase), 8)
					claim("a value", a.value(owner, peer, phase), 8)
					claim("contents", a.attached(owner, peer, phase, attachBytes), attachBytes)
					if a.block > 0 {
						claim("a block", a.attached(owner, peer, phase, attachBytes+1), a.block)
					}
				}
			}
		}
	}
}
