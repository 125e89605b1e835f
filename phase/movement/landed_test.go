package movement

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestLandedInPart: a PUSH has landed when its done word has the number of its bytes. Any other
// number but 0 is an error.
func TestLandedInPart(t *testing.T) {
	for done, want := range map[uint64]string{0: "waits", 99: "fails", 100: "landed", 101: "fails", 1: "fails", 1 << 32: "fails", 1<<32 + 100: "fails"} {
		b := &Push{rings: rings{mover: &Mover{Port: donePort{done: done}}}, Config: PushConfig{Words: PushWords{count: 1}}}
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

// donePort is a port with a single word, which is read.
type donePort struct {
	dimmnet.Port
	done uint64
}

func (p donePort) Load(dimmnet.Offset) uint64 { return p.done }
