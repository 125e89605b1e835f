package frametest

import (
	"bytes"
	"testing"
)

// TestEvery counts the frames: none is the frame itself, and all are different.
func TestEvery(t *testing.T) {
	frame := []byte{1, 2, 3}
	seen := make(map[string]bool)
	for damaged := range Every(frame) {
		if bytes.Equal(damaged, frame) || seen[string(damaged)] {
			t.Fatalf("Every yields %v twice, or it is undamaged", damaged)
		}
		seen[string(damaged)] = true
	}
	if want := 3 + 3*255; len(seen) != want {
		t.Errorf("%d damaged frames, want %d", len(seen), want)
	}
}
