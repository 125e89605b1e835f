package syncvar

import (
	"reflect"
	"strings"
	"testing"
)

// TestWords: every list that fits comes back, and others say that they do not.
func TestWords(t *testing.T) {
	before := &List{Declared: 1 << 18, Digest: 77}
	base := List{Phase: 5000, Since: 5000, Declared: 1 << 18, Digest: 77}
	fitting := 0
	for _, call := range []Call{Acquire, Update, Barrier, End, Reduce} {
		for _, want := range [][2][]ID{{}, {{0}}, {{1<<18 - 1}}, {nil, {0}}, {nil, {9}}, {{1}, {2}}, {{1, 2}}, {{1 << 18}}, {nil, {1 << 18}}} {
			for _, clean := range [][]ID{nil, {0}, {1<<18 - 1}, {1, 2}, {1 << 18}} {
				for _, age := range []uint64{0, 1, 511, 512} {
					if call != Acquire && len(want[0])+len(want[1]) > 0 {
						continue
					}
					l := base
					l.Call, l.Shared, l.Exclusive, l.Clean, l.Since = call, want[0], want[1], clean, base.Phase-age
					w, fits := l.AsWord(before)
					small := len(want[0])+len(want[1]) <= 1 && len(clean) <= 1 && age < 512
					for _, ids := range [][]ID{want[0], want[1], clean} {
						for _, id := range ids {
							small = small && id < 1<<18
						}
					}
					if fits != small || !WordIsOf(w, base.Phase) || WordIsOf(w, base.Phase-2) || WordIsOf(0, base.Phase) {
						t.Fatalf("%+v: word %#x, fits %v", l, w, fits)
					}
					var room WordRoom
					got, more, err := ListOf(w, base.Phase, before, &room)
					if err != nil || more != !fits || fits && !reflect.DeepEqual(got, l) {
						t.Errorf("%+v came back as %+v, more %v, %v", l, got, more, err)
					}
					if fits {
						fitting++
					}
				}
			}
		}
	}
	if fitting == 0 {
		t.Error("nothing fits")
	}
	for what, last := range map[string]*List{"nothing before": nil, "a declaration more": {Declared: 5}} {
		if _, fits := base.AsWord(last); fits {
			t.Errorf("%s: it fits", what)
		}
	}
}

// TestHostileWords: words that no rank makes are refused for what is wrong with them.
func TestHostileWords(t *testing.T) {
	before := &List{Declared: 9}
	good := List{Phase: 3, Since: 3, Call: Reduce, Declared: 9}
	w, _ := good.AsWord(before)
	for _, c := range []struct {
		word uint64
		want string
	}{
		{w, ""},
		{w + 1, "is not of phase 3"},
		{w | moreBit, "of a list that does not fit"},
		{w + 1<<callAt, "of call 6"},
		{w | 7<<callAt, "of call 8"},
		{w | 4<<ageAt, "began 4 phases ago, in phase 3"},
		{w | 1<<idAt, "names a variable in no mode"},
		{w | 1<<modeAt, "Reduce that wants variables"},
		{w | 3<<modeAt, "of mode 3"},
		{w | 1<<cleanAt, "says that there is none"},
		{w | cleanBit | 9<<cleanAt, "variable 9 after 9 declarations"},
	} {
		var room WordRoom
		l, _, err := ListOf(c.word, 3, before, &room)
		if c.want == "" && (err != nil || l.Call != Reduce) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("word %#x: %+v, error %v, want %q", c.word, l, err, c.want)
		}
	}
}

// FuzzWord: whatever a word holds, it gives a list within its limits or an error, and a
// list that is the same word again.
func FuzzWord(f *testing.F) {
	f.Add(uint64(0), uint64(0), uint32(3))
	l := List{Phase: 9, Call: Acquire, Since: 7, Declared: 3, Exclusive: []ID{2}, Clean: []ID{1}}
	w, _ := l.AsWord(&l)
	f.Add(w, uint64(9), uint32(3))
	l = List{Phase: 9, Call: Reduce, Since: 9, Declared: 3}
	w, _ = l.AsWord(&l)
	f.Add(w, uint64(9), uint32(3))
	f.Fuzz(func(t *testing.T, w, phase uint64, declared uint32) {
		phase &= 1<<62 - 1
		before := &List{Declared: declared & (1<<31 - 1), Digest: 1}
		var room WordRoom
		l, more, err := ListOf(w, phase, before, &room)
		if err != nil {
			return
		}
		if !WordIsOf(w, phase) {
			t.Fatalf("word %#x is taken for one of phase %d", w, phase)
		}
		if more {
			return
		}
		if err := l.check(); err != nil || l.Call == 0 || l.Call >= lastCall || l.Since > phase {
			t.Fatalf("word %#x: %+v, %v", w, l, err)
		}
		if again, fits := l.AsWord(before); !fits || again != w {
			t.Fatalf("word %#x is %+v, whose word is %#x", w, l, again)
		}
	})
}
