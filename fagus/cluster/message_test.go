package cluster

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

func TestMessage(t *testing.T) {
	for _, m := range []message{
		{kind: kindGoodbye, rank: 3, body: []byte{}},
		{kind: kindBlob, rank: 1<<16 - 1, call: 1<<32 - 1, total: maxBlob, body: bytes.Repeat([]byte{7}, maxBody)},
		{kind: kindFiles, rank: 1, call: 2, files: make([]*os.File, filesAMessage), body: []byte{}},
	} {
		got, files, err := decode(m.encode())
		if err != nil || files != len(m.files) {
			t.Errorf("%v: %d files, %v", m.kind, files, err)
		}
		if m.files = nil; !reflect.DeepEqual(got, m) {
			t.Errorf("%v decodes as %v", m.kind, got.kind)
		}
	}
}

func TestBadMessages(t *testing.T) {
	change := func(at int, to byte) []byte {
		m := message{kind: kindBlob, rank: 1, call: 2, total: 3, body: []byte{1, 2, 3}}
		b := m.encode()
		b[at] = to
		return b
	}
	for says, packet := range map[string][]byte{
		"a packet of 0 bytes":                 {},
		"a packet of 15 bytes":                make([]byte, 15),
		"a packet of 65537 bytes":             make([]byte, maxPacket+1),
		"unknown kind 0":                      change(0, 0),
		"unknown kind 13":                     change(0, byte(kinds)),
		"a message of Gather: it has 1 files": change(1, 1),
		"a message of Swap: it has 0 files":   change(0, byte(kindFiles)),
		"a message: 65 files":                 change(1, filesAMessage+1),
		"a blob of 16777219 bytes":            change(11, 1),
		"a body of 2 bytes, but the packet":   change(12, 2),
	} {
		if _, _, err := decode(packet); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}

// TestHello checks the hellos that rank 0 refuses.
func TestHello(t *testing.T) {
	own := newHello(Place{Size: 4, Job: "a"}, 10, time.Second)
	own.Net = "tcp"
	for says, change := range map[string]func(*hello){
		"uses protocol version 2":                                                                      func(h *hello) { h.Version, h.Build, h.Codecs = 2, "", "" },
		`rank 2 (pid 12) runs "app v2", but rank 0 (pid 10) runs "`:                                    func(h *hello) { h.Build = "app v2" },
		`(codecs "beef" and ` + codecs + `)`:                                                           func(h *hello) { h.Codecs = "beef" },
		`is of job "b", but rank 0 (pid 10) is of`:                                                     func(h *hello) { h.Job = "b" },
		"is of a job of 5 ranks":                                                                       func(h *hello) { h.Size = 5 },
		"pid 12 claims to be rank 4 in a job of 4 ranks":                                               func(h *hello) { h.Rank = 4 },
		"pid 12 claims to be rank -1 in a job of 4 ranks":                                              func(h *hello) { h.Rank = -1 },
		`rank 2 (pid 12) uses the network "quic" and rank 0 (pid 10) "tcp": set FAGUS_NET to the same`: func(h *hello) { h.Net = "quic" },
		"decoding a hello with a patience of -1 ms":                                                    func(h *hello) { h.PatienceMS = -1 },
		"decoding a hello with a patience of 9000000000000 ms":                                         func(h *hello) { h.PatienceMS = 9e12 },
	} {
		sent := newHello(Place{Rank: 2, Size: 4, Job: "a"}, 12, time.Second)
		change(&sent)
		m, err := sent.message()
		if err != nil {
			t.Fatal(err)
		}
		got, err := readHello(m.body)
		if err == nil {
			if got != sent {
				t.Errorf("%+v decodes as %+v", sent, got)
			}
			err = got.check(own)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}

func TestList(t *testing.T) {
	for want, ranks := range map[string][]int{"": nil, "3": {3}, "0-1": {0, 1}, "0-2, 4, 6-7": {0, 1, 2, 4, 6, 7}} {
		if got := list(ranks); got != want {
			t.Errorf("%v: %s", ranks, got)
		}
	}
	var odd []int
	for i := range maxText {
		odd = append(odd, 2*i)
	}
	if got := list(odd); len(got) > 1000 || !strings.HasSuffix(got, ", ...") {
		t.Errorf("the list of %d ranks has %d bytes", len(odd), len(got))
	}
}

// blob returns a message with bytes of the blob of a rank.
func blob(rank dimmnet.Rank, total int, body ...byte) message {
	return message{kind: kindBlob, call: 1, rank: rank, total: uint32(total), body: body}
}

// TestAssembler checks messages that do not form a batch.
func TestAssembler(t *testing.T) {
	for says, messages := range map[string][]message{
		"followed by a message of call 2 (Gather)":    {blob(4, 2, 1), {kind: kindBlob, call: 2, rank: 4, total: 2, body: []byte{1}}},
		"followed by a message of call 1 (Swap)":      {blob(4, 0), {kind: kindFiles, call: 1, rank: 5, files: make([]*os.File, 1)}},
		"a blob from rank 5: want shares from rank 4": {blob(5, 0)},
		"a blob from rank 4: want shares from rank 5": {blob(4, 0), blob(4, 0)},
		"3 files":                              {{kind: kindFiles, call: 1, rank: 4, files: make([]*os.File, 3)}},
		"of a blob of 2 bytes, of which 1":     {blob(4, 2, 1), blob(4, 2, 2, 3)},
		"rank 4 now gives its size as 3 bytes": {blob(4, 2, 1), blob(4, 3, 2)},
		"0 more bytes":                         {blob(4, 2)},
	} {
		a := assembler{first: 4, count: 2}
		for i, m := range messages {
			b, err := a.add(m)
			if last := i == len(messages)-1; b != nil || (err != nil) != last || last && !strings.Contains(err.Error(), says) {
				t.Errorf("%q: message %d: %v, %v", says, i, b, err)
			}
		}
	}
}

// FuzzMessages decodes arbitrary packets. Nothing may panic, and accepted messages must respect
// the limits.
func FuzzMessages(f *testing.F) {
	for _, m := range []message{blob(4, 2, 1), blob(5, 1, 1), {kind: kindFailed, body: []byte("why\n")}} {
		f.Add(m.encode(), m.encode())
	}
	m, err := newHello(Place{Size: 2, Job: "a"}, 1, time.Second).message()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(m.encode(), []byte{})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		a := assembler{first: 4, count: 2}
		for _, packet := range [][]byte{first, second, second} {
			m, files, err := decode(packet)
			if err != nil {
				continue
			}
			if again := m.encode(); !bytes.Equal(again[2:], packet[2:]) {
				t.Errorf("%x decodes as %x", packet, again)
			}
			if says := sanitize(m.body); strings.ContainsAny(says, "\n\x00") || len(says) > 3*maxText {
				t.Errorf("%q", says)
			}
			if sent, err := readHello(m.body); err == nil {
				_ = sent.check(sent)
			}
			m.files = make([]*os.File, files)
			if b, err := a.add(m); err == nil && b != nil && (len(b.shares) != 2 || len(b.shares[0].blob)+len(b.shares[1].blob) > 3*maxPacket) {
				t.Errorf("a batch of %d shares", len(b.shares))
			}
		}
	})
}
