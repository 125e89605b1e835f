package sendrecv

import "testing"

func FuzzWord(f *testing.F) {
	f.Add(uint64(0))
	f.Add(^uint64(0))
	f.Add(word{kind: pushed, round: 15, number: 255, group: 7, buffer: 255, value: MaxBytes}.encode())
	f.Add(word{kind: lastKind, value: 1}.encode())
	f.Fuzz(func(t *testing.T, raw uint64) {
		w, err := decode(raw)
		if err != nil {
			if w != (word{}) {
				t.Fatalf("%#x: %+v and error %v", raw, w, err)
			}
			return
		}
		if w.kind == 0 || w.kind >= lastKind || w.value > MaxBytes || w.round > roundTags {
			t.Fatalf("%#x became %+v", raw, w)
		}
		if again := w.encode(); again != raw {
			t.Fatalf("%#x became %+v and then %#x", raw, w, again)
		}
	})
}
