package phase_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/frametest"
)

// wordWorld has two ranks at the start of a phase in which rank 1 says by a word that it
// wants b; rank 0 has begun to wait for it.
func wordWorld(t *testing.T) *world {
	t.Helper()
	w := &world{words: true}
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

// TestDamagedWords changes any byte of a call word on its way. The engine goes on with
// what a rank may say, waits, or fails.
func TestDamagedWords(t *testing.T) {
	var good []byte
	w := wordWorld(t)
	w.landWord(t, 1, 0, func(word uint64) uint64 {
		good = binary.LittleEndian.AppendUint64(nil, word)
		return word
	})
	if said := w.out.String(); said != "0: Acquire done in phase 1\n" {
		t.Fatalf("a good word: %s", said)
	}
	outcomes := make(map[string]int)
	for damaged := range frametest.Every(good) {
		if len(damaged) < len(good) {
			continue // a word lands whole
		}
		w := wordWorld(t)
		w.landWord(t, 1, 0, func(uint64) uint64 { return binary.LittleEndian.Uint64(damaged) })
		switch said := w.out.String(); {
		case said == "":
			outcomes["waits"]++
		case strings.Contains(said, "error: phase: word of rank 1: "):
			outcomes["fails"]++
		default:
			outcomes["goes on"]++
		}
	}
	if len(outcomes) != 3 {
		t.Errorf("%v", outcomes)
	}
	t.Log(outcomes)
}
