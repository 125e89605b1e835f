package phase_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/frametest"
)

// inlineWorld returns two ranks at the start of a phase. Rank 1 has posted an inline request for
// variable b, and rank 0 waits for it.
func inlineWorld(t *testing.T) *world {
	t.Helper()
	w := &world{inline: true}
	for _, line := range [][]string{
		{"ranks", "2"}, {"bind", "a", "100", "200"}, {"bind", "b", "300", "400"},
		{"acquire", "0", "a:exclusive"}, {"acquire", "1", "b:exclusive"}, {"stabilize"}, {"release", "0"}, {"release", "1"},
		{"acquire", "1", "b:exclusive"}, {"acquire", "0", "a:shared"},
	} {
		if err := w.do(line); err != nil {
			t.Fatal(err)
		}
	}
	w.out.Reset()
	return w
}

// TestDamagedInlineRequests changes one byte of an inline request in flight. The engine accepts
// it as another valid request, waits, or fails.
func TestDamagedInlineRequests(t *testing.T) {
	var good []byte
	w := inlineWorld(t)
	w.landWord(t, 1, 0, func(word uint64) uint64 {
		good = binary.LittleEndian.AppendUint64(nil, word)
		return word
	})
	if got := w.out.String(); got != "0: Acquire done in phase 1\n" {
		t.Fatalf("a good request: %s", got)
	}
	outcomes := make(map[string]int)
	for damaged := range frametest.Every(good) {
		if len(damaged) < len(good) {
			continue // a word is never cut short
		}
		w := inlineWorld(t)
		w.landWord(t, 1, 0, func(uint64) uint64 { return binary.LittleEndian.Uint64(damaged) })
		switch got := w.out.String(); {
		case got == "":
			outcomes["waits"]++
		case strings.Contains(got, "error: phase: inline request of rank 1: "):
			outcomes["fails"]++
		default:
			outcomes["goes on"]++
		}
	}
	if len(outcomes) != 3 {
		t.Errorf("want three outcomes, got %v", outcomes)
	}
	t.Log(outcomes)
}

// TestHostileAttachment sends a request that claims attached contents of a variable that is too
// large for that. The rank that needs the data fails; it reads nothing.
func TestHostileAttachment(t *testing.T) {
	const attached, idAt = 1 << 27, 46 // in the word
	w := &world{inline: true}
	for _, line := range [][]string{
		{"ranks", "3"}, {"bind", "a", "0", "97"},
		{"acquire", "0"}, {"acquire", "1", "a:exclusive"}, {"acquire", "2"}, {"stabilize"}, {"write", "1", "0", "x"}, {"release", "1"},
		{"acquire", "1"}, {"acquire", "2"}, {"acquire", "0", "a:shared"}, {"land", "2->0"},
	} {
		if err := w.do(line); err != nil {
			t.Fatal(err)
		}
	}
	w.out.Reset()
	w.landWord(t, 1, 0, func(word uint64) uint64 { return word | attached | 0<<idAt })
	const want = `error: phase: rank 1 attached "a", which guards 97 bytes: the limit is 96`
	if got := w.out.String(); !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestUndeclaredTurn sends a request for a variable that its rank has not declared, in a phase
// that would be a turn. The rank that receives it fails, and its table does not grow.
func TestUndeclaredTurn(t *testing.T) {
	const exclusive, idAt, undeclared = 2 << 16, 28, 1<<18 - 1 // in the word
	w := &world{inline: true}
	for _, line := range [][]string{
		{"ranks", "2"}, {"bind", "a", "100", "200"}, {"acquire", "0"}, {"acquire", "1"}, {"stabilize"}, {"acquire", "1"}, {"acquire", "0"},
	} {
		if err := w.do(line); err != nil {
			t.Fatal(err)
		}
	}
	w.out.Reset()
	w.landWord(t, 1, 0, func(word uint64) uint64 { return word | exclusive | undeclared<<idAt })
	const want = "error: phase: inline request of rank 1: syncvar: list names variable 262143, but its rank has made only 2 declarations"
	if got := w.out.String(); !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
