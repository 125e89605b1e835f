package sendrecv

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
)

// says returns w encoded as a correct peer stores it.
func says(w word) uint64 {
	w.group = group
	return w.encode()
}

// ours lists complete scripts of a correct rank 1. Areas have 8192 bytes.
var ours = []struct {
	send      bool
	n         int
	announced word
	script    []word
}{
	{send: true, n: 0, script: []word{{kind: recvReady}}},
	{send: true, n: 600, script: []word{{kind: recvReady, value: 600}}},
	{send: true, n: 8192, script: []word{{kind: recvReady, value: 9000, buffer: 1}}},
	{send: true, n: 20000, script: []word{{kind: recvReady, value: 20000, buffer: 1}, {kind: again, round: 1}, {kind: again, round: 2}}},
	{send: true, n: 8192, script: []word{{}, {}, {}, {kind: pulled, value: 8192, buffer: 1}}},
	{send: true, n: 9000, announced: word{kind: announced, value: 2},
		script: []word{{}, {}, {}, {kind: pulled, round: 1, value: 8192, buffer: 1}, {kind: pulled, round: 2, value: 808}}},
	{n: 10, script: []word{{}, {kind: block}}},
	{n: 600, script: []word{{}, {kind: block, value: 464}}},
	{n: 20000, script: []word{{}, {kind: sendReady, value: 20000}, {kind: pushed, value: 8000, buffer: 1}}},
	{n: 9000, announced: word{kind: announced, value: 2},
		script: []word{{}, {kind: pushed, round: 1, value: 8192, buffer: 1}, {kind: pushed, round: 2, value: 808}}},
	{n: 10, script: []word{{kind: sendReady, buffer: 1}}},
	{n: 9000, script: []word{{kind: sendReady, value: 9000, buffer: 1}, {kind: again, round: 1}}},
}

func (c *word) raw() uint64 {
	if *c == (word{}) {
		return 0
	}
	return says(*c)
}

func TestDialogues(t *testing.T) {
	for i, c := range ours {
		var script []uint64
		for _, w := range c.script {
			script = append(script, w.raw())
		}
		p, _, err := talk(c.send, c.n, c.announced.raw(), script...)
		if err != nil || len(p.script) > 0 {
			t.Errorf("dialogue %d: error %v, %d words left", i, err, len(p.script))
		}
	}
}

// TestBrokenDialogues puts one wrong word into a script. The call must end with an error that
// names the peer, and without an access outside the areas of the pair.
func TestBrokenDialogues(t *testing.T) {
	ready := word{kind: recvReady, value: 9000, buffer: 1}
	for i, c := range []struct {
		send      bool
		n         int
		announced word
		script    []word
		want      string
	}{
		{true, 5, word{}, []word{{kind: lastKind}}, "kind 9"},
		{true, 5, word{}, []word{{kind: recvReady, value: MaxBytes + 1}}, "value 2147483648"},
		{true, 5, word{}, []word{{kind: pulled, value: 5}}, "unexpected"},
		{true, 5, word{}, []word{{kind: tooLong, value: 4}}, "unexpected"},
		{true, 5, word{}, []word{{kind: recvReady, value: 5, number: 3}}, "unexpected"},
		{true, 5, word{}, []word{{}, {}, {kind: again}}, "unexpected"},
		{true, 5, word{}, []word{{}, {}, {kind: pulled, value: 4}}, "unexpected"},
		{true, 5, word{}, []word{{}, {}, {kind: pulled, value: 6}}, "unexpected"},
		{true, 5, word{}, []word{{}, {}, {kind: pulled, value: MaxBytes, buffer: 255}}, "unexpected"},
		{true, 5, word{}, []word{{}, {}, {kind: pulled, value: 5, buffer: 1}}, "unexpected"},
		{true, 5, word{}, []word{{}, {}, {kind: pulled, value: 5, round: 1}}, "kind 0"},
		{true, 5, word{kind: announced, value: 2}, []word{{}, {}, {kind: pulled, value: 5, round: 1}}, "unexpected"},
		{true, 5, word{kind: announced, value: 1}, []word{{}, {}, {kind: pulled, value: 5, round: 1}}, "unexpected"},
		{true, 5, word{kind: announced, value: 5, number: 2}, []word{{}, {}, {kind: pulled, value: 1, round: 1}}, "unexpected"},
		{true, 5, word{kind: pulled, value: 5}, []word{{}, {}, {kind: pulled, value: 1, round: 1}}, "unexpected"},
		{true, 5, word{kind: announced, value: 5}, []word{{}, {}, {kind: pulled, round: 1}}, "unexpected"},
		{true, 5, word{kind: announced, value: 5}, []word{{}, {}, {kind: pulled, value: 1, round: 1}, {kind: pulled, value: 1, round: 3}}, "unexpected"},
		{true, 5, word{kind: announced, value: 5}, []word{{}, {}, {kind: pulled, value: 1, round: 1}, {kind: again, round: 1}}, "unexpected"},
		{true, 9000, word{}, []word{ready, {kind: again, round: 2}}, "unexpected"},
		{true, 9000, word{}, []word{ready, {kind: pushed, round: 1}}, "unexpected"},

		{false, 5, word{}, []word{{kind: block, value: 5}}, "unexpected"},
		{false, 5, word{}, []word{{}, {kind: again}}, "unexpected"},
		{false, 5, word{}, []word{{}, {kind: block, value: 6}}, "unexpected"},
		{false, 5, word{}, []word{{}, {kind: block, value: 5, buffer: 1}}, "unexpected"},
		{false, 5, word{}, []word{{}, {kind: block, value: 5, round: 2}}, "kind 0"},
		{false, 5000, word{}, []word{{}, {kind: block, value: 1001}}, "unexpected"},
		{false, 5, word{}, []word{{}, {kind: pushed}}, "unexpected"},
		{false, 5, word{}, []word{{}, {kind: pushed, value: 6}}, "unexpected"},
		{false, 9000, word{}, []word{{}, {kind: pushed, value: 8193, buffer: 2}}, "unexpected"},
		{false, 9000, word{}, []word{{}, {kind: pushed, value: 8192}}, "unexpected"},
		{false, 9000, word{kind: announced}, []word{{}, {kind: pushed, value: 8192, buffer: 1, round: 1}}, "unexpected"},
		{false, 9000, word{kind: announced, value: 2}, []word{{}, {kind: pushed, value: 8192, buffer: 1, round: 1}, {kind: pushed, value: 809, round: 2}}, "unexpected"},
		{false, 9000, word{kind: announced, value: 2}, []word{{}, {kind: pushed, value: 8192, buffer: 1, round: 1}, {kind: pushed, round: 2}}, "unexpected"},
		{false, 9000, word{kind: announced, value: 2}, []word{{}, {kind: pushed, value: 8192, buffer: 1, round: 1}, {kind: tooLong, round: 2}}, "unexpected"},
		{false, 9000, word{}, []word{{kind: sendReady, value: 9000, buffer: 1}, {kind: again, round: 2}}, "unexpected"},
		{false, 9000, word{}, []word{{kind: sendReady, value: 9000, buffer: 1}, {kind: recvReady}}, "unexpected"},
	} {
		var script []uint64
		for _, w := range c.script {
			script = append(script, w.raw())
		}
		_, n, err := talk(c.send, c.n, c.announced.raw(), script...)
		if err == nil || n != 0 || !strings.HasPrefix(err.Error(), "sendrecv: word from rank 1: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("dialogue %d: %d bytes, error %v, want %q", i, n, err, c.want)
		}
	}
}

func TestForeignGroup(t *testing.T) {
	for _, send := range []bool{true, false} {
		_, _, err := talk(send, 5, 0, word{kind: sendReady, value: 5, group: 8}.encode())
		if err == nil || !strings.Contains(err.Error(), "word from rank 1: process group 8, want 9") {
			t.Errorf("error %v", err)
		}
	}
}

// TestBrokenIsForGood checks that an Endpoint stays unusable after a protocol error.
func TestBrokenIsForGood(t *testing.T) {
	p := &fakePort{nodes: 3, script: []uint64{15}, limits: dimmnet1()}
	e, err := New(p, Config{})
	if err != nil {
		t.Fatal(err)
	}
	p.layout = &e.layout
	_, first := e.Recv(1, nil)
	stored := slices.Clone(p.stored)
	if err := e.Send(2, nil); first == nil || !errors.Is(err, first) || !slices.Equal(stored, p.stored) {
		t.Errorf("first error %v, then %v", first, err)
	}
}

// FuzzDialogue lets the peer store arbitrary words. A call must never panic or access memory
// outside the areas of the pair, and must end with the script.
func FuzzDialogue(f *testing.F) {
	for _, c := range ours {
		var script []byte
		for _, w := range c.script {
			script = binary.LittleEndian.AppendUint64(script, w.raw())
		}
		f.Add(c.send, uint16(c.n), c.announced.raw(), script, true)
	}
	f.Fuzz(func(t *testing.T, send bool, n uint16, announced uint64, script []byte, polish bool) {
		var words []uint64
		for ; len(script) >= 8; script = script[8:] {
			raw := binary.LittleEndian.Uint64(script)
			if polish && raw != 0 { // use number 0 and the right group
				raw = raw&^0xffff00 | group<<16
			}
			words = append(words, raw)
		}
		_, got, err := talk(send, int(n), announced, words...)
		if got > int(n) || err != nil && got != 0 {
			t.Fatalf("%d bytes in %d, error %v", got, n, err)
		}
	})
}
