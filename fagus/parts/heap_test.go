package parts

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
)

// onOne calls f with a list of one node that has the given memory, in a tenure.
func onOne(t *testing.T, memory []byte, f func(l *List[[]string])) {
	t.Helper()
	if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		l, err := NewList[[]string](n, "l", len(memory)-headBytes)
		if err != nil {
			return err
		}
		return n.Set(l.Write()).Do(func() {
			copy(l.heap, memory)
			f(l)
		})
	}); err != nil {
		t.Fatal(err)
	}
}

// FuzzHeap uses a list whose memory is any bytes: every call ends, with an error at worst.
func FuzzHeap(f *testing.F) {
	f.Add(make([]byte, headBytes+8))
	f.Add(bytes.Repeat([]byte{1}, 100))
	whole := heap(make([]byte, headBytes+60))
	whole.setHead(head{2, 12, 9})
	whole.setEntry(0, len(whole)-6, 6)
	whole.setEntry(1, len(whole)-12, 3)
	copy(whole[len(whole)-12:], []byte{2, 1, 'a', 0, 0, 0, 3, 1, 'b', 2, 'c', 'd'})
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, memory []byte) {
		if len(memory) <= headBytes || len(memory) > 1<<16 {
			return
		}
		onOne(t, memory, func(l *List[[]string]) {
			for v, err := range l.All() {
				if err != nil && v != nil {
					t.Errorf("%v and an error: %v", v, err)
				}
			}
			_ = l.Set(0, []string{"x"})
			_ = l.Set(l.Len()-1, []string{strings.Repeat("long", 5)})
			_ = l.Append([]string{"more"}, nil)
			_ = l.Set(0, nil)
			_ = l.Truncate(l.Len() / 2)
			_ = l.Append([]string{strings.Repeat("large", 5)})
			for range l.All() {
			}
			_ = l.Truncate(0)
		})
	})
}

// TestDamagedHeap: damage gives errors that say what is wrong.
func TestDamagedHeap(t *testing.T) {
	memory := heap(make([]byte, headBytes+100))
	refuse := func(want string, do func(l *List[[]string]) error) {
		t.Helper()
		onOne(t, memory, func(l *List[[]string]) {
			if err := do(l); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("the error is %v, want %q in it", err, want)
			}
		})
	}
	at := func(l *List[[]string]) error { _, err := l.At(0); return err }
	all := func(l *List[[]string]) (err error) {
		for _, e := range l.All() {
			err = e
		}
		return err
	}
	memory.setHead(head{14, 0, 0})
	refuse("14 values, 0 bytes used and 0 alive of 124", at)
	refuse("14 values", all)
	memory.setHead(head{1, 93, 1})
	refuse("93 bytes used", at)
	memory.setHead(head{1, 10, 11})
	refuse("11 alive", func(l *List[[]string]) error { return l.Append(nil) })
	memory.setHead(head{1, 10, 10})
	memory.setEntry(0, 10, 5)
	refuse("5 bytes at 10, of 124 bytes in the last 10", at)
	memory.setEntry(0, 120, 5)
	refuse("5 bytes at 120", func(l *List[[]string]) error { return l.Set(0, nil) })
	memory.setHead(head{9, 20, 1})
	for i := range 9 {
		memory.setEntry(i, 114, 10)
	}
	refuse("the values have more than the 1 bytes", func(l *List[[]string]) error { return l.Append([]string{"longer"}) })
}
