package source

import "testing"

// TestKey: calls from different lines, also through the same function, have different keys, and the
// same call has the same key again.
func TestKey(t *testing.T) {
	through := func() uint64 { return Key() }
	lines := make(map[uint64]string)
	for range 3 {
		for i := range 2 {
			key, line := uint64(0), ""
			if i == 0 {
				key, line = deep(3, through), "first"
			} else {
				key, line = deep(3, through), "second"
			}
			if other, seen := lines[key]; seen && other != line {
				t.Errorf("the %s line has the key of the %s one", line, other)
			}
			lines[key] = line
		}
	}
	if len(lines) != 2 {
		t.Errorf("2 lines have %d keys", len(lines))
	}
	go func() { _ = Key() }() // near the end of a stack
}

//go:noinline
func deep(n int, f func() uint64) uint64 {
	if n == 0 {
		return f() + 0
	}
	return deep(n-1, f)
}

func BenchmarkKey(b *testing.B) {
	for b.Loop() {
		_ = deep(10, Key)
	}
}
