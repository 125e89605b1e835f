package syncvar

import (
	"reflect"
	"strings"
	"testing"
)

// TestInline checks that every list that fits is decoded to the same list, and that the request of
// every other list says that the list follows.
func TestInline(t *testing.T) {
	before := &List{Declared: 1 << 18, Digest: 77}
	base := List{Phase: 5000, Since: 5000, Declared: 1 << 18, Digest: 77}
	fitting := 0
	for _, call := range []Call{Acquire, Update, Barrier, End, Reduce} {
		for _, want := range [][2][]ID{{}, {{0}}, {{1<<18 - 1}}, {nil, {0}}, {nil, {9}}, {{1}, {2}}, {{1, 2}}, {{1 << 18}}, {nil, {1 << 18}}} {
			for _, clean := range [][2][]ID{{}, {{0}}, {{1<<18 - 1}}, {{1, 2}}, {{1 << 18}}, {nil, {0}}, {nil, {1<<18 - 1}}, {nil, {1 << 18}}, {{1}, {2}}} {
				for _, age := range []uint64{0, 1, 127, 128} {
					if call != Acquire && len(want[0])+len(want[1]) > 0 {
						continue
					}
					l := base
					l.Fenced = age == 1
					l.Call, l.Shared, l.Exclusive, l.Clean, l.Attached, l.Since = call, want[0], want[1], clean[0], clean[1], base.Phase-age
					w, fits := l.Inline(true)
					small := len(want[0])+len(want[1]) <= 1 && len(clean[0])+len(clean[1]) <= 1 && age < 128
					for _, ids := range [][]ID{want[0], want[1], clean[0], clean[1]} {
						for _, id := range ids {
							small = small && id < 1<<18
						}
					}
					if fits != small || !InlineIsOf(w, base.Phase) || InlineIsOf(w, base.Phase-2) || InlineIsOf(0, base.Phase) {
						t.Fatalf("%+v: word %#x, fits %v", l, w, fits)
					}
					var ids InlineIDs
					got := *before
					follows, err := got.DecodeInline(w, base.Phase, false, &ids)
					if err != nil || follows != !fits || fits && !reflect.DeepEqual(got, l) || follows && !reflect.DeepEqual(got, *before) {
						t.Errorf("%+v was decoded as %+v, follows %v, %v", l, got, follows, err)
					}
					if fits {
						fitting++
					}
				}
			}
		}
	}
	if fitting == 0 {
		t.Error("no list fits")
	}
	if _, fits := base.Inline(false); fits {
		t.Error("after a declaration: it fits")
	}
}

// TestHostileInlineRequests decodes words that no rank makes. The error must name the fault.
func TestHostileInlineRequests(t *testing.T) {
	before := &List{Declared: 9}
	good := List{Phase: 3, Since: 3, Call: Reduce, Declared: 9}
	w, _ := good.Inline(true)
	for _, c := range []struct {
		word uint64
		want string
	}{
		{w, ""},
		{w + 1, "is not of phase 3"},
		{w | followsBit, "has other bits set"},
		{w + 2<<callAt, "unknown call 7"},
		{w | 7<<callAt, "unknown call 8"},
		{w | 4<<ageAt, "began 4 phases ago, in phase 3"},
		{w | 1<<idAt, "wants variable 1 without an access"},
		{w | 1<<accessAt, "Reduce that wants variables"},
		{w | 3<<accessAt, "awaits a change"},
		{w | 1<<cleanAt, "without the clean bit"},
		{w | cleanBit | 9<<cleanAt, "variable 9, but its rank has made only 9"},
		{w | attachBit | 9<<cleanAt, "variable 9, but its rank has made only 9"},
		{w | cleanBit | attachBit | 1<<cleanAt, "variable 1 is both clean and attached"},
	} {
		var ids InlineIDs
		l := *before
		_, err := l.DecodeInline(c.word, 3, false, &ids)
		if c.want == "" && (err != nil || l.Call != Reduce) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("word %#x: %+v, error %v, want %q", c.word, l, err, c.want)
		}
	}
}

// FuzzInline checks that every word decodes to an error or to a list within its limits, which
// encodes to the same word.
func FuzzInline(f *testing.F) {
	f.Add(uint64(0), uint64(0), uint32(3))
	l := List{Phase: 9, Call: Acquire, Since: 7, Declared: 3, Exclusive: []ID{2}, Clean: []ID{1}}
	w, _ := l.Inline(true)
	f.Add(w, uint64(9), uint32(3))
	l = List{Phase: 9, Call: Acquire, Since: 7, Declared: 3, Shared: []ID{2}, Attached: []ID{1}}
	w, _ = l.Inline(true)
	f.Add(w, uint64(9), uint32(3))
	l = List{Phase: 9, Call: Reduce, Since: 9, Declared: 3}
	w, _ = l.Inline(true)
	f.Add(w, uint64(9), uint32(3))
	f.Fuzz(func(t *testing.T, w, phase uint64, declared uint32) {
		phase &= 1<<62 - 1
		before := &List{Declared: declared & (1<<31 - 1), Digest: 1}
		var ids InlineIDs
		l := *before
		follows, err := l.DecodeInline(w, phase, false, &ids)
		if err != nil {
			return
		}
		if !InlineIsOf(w, phase) {
			t.Fatalf("word %#x was decoded as a request of phase %d", w, phase)
		}
		if follows {
			return
		}
		if err := l.check(); err != nil || l.Call == 0 || l.Call >= lastCall || l.Since > phase {
			t.Fatalf("word %#x: %+v, %v", w, l, err)
		}
		if again, fits := l.Inline(true); !fits || again != w {
			t.Fatalf("word %#x was decoded as %+v and encoded as %#x", w, l, again)
		}
	})
}
