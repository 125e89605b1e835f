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
			t.Errorf("%v has become %v", m.kind, got.kind)
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
		"a packet of 0 bytes":                {},
		"a packet of 15 bytes":               make([]byte, 15),
		"a packet of 65537 bytes":            make([]byte, maxPacket+1),
		"a message of kind 0":                change(0, 0),
		"a message of kind 10":               change(0, byte(kinds)),
		"a message of Gather with 1 files":   change(1, 1),
		"a message of Swap with 0 files":     change(0, byte(kindFiles)),
		"a message with 65 files":            change(1, filesAMessage+1),
		"a blob of 16777219 bytes":           change(11, 1),
		"a body of 2 bytes in a packet that": change(12, 2),
	} {
		if _, _, err := decode(packet); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}

// TestHello has those whom rank 0 refuses.
func TestHello(t *testing.T) {
	own := newHello(Place{Size: 4, Job: "a"}, 10, time.Second)
	for says, change := range map[string]func(*hello){
		"speaks version 3":                            func(h *hello) { h.Version = 3 },
		`is of job "b" and rank 0 (pid 10) of`:        func(h *hello) { h.Job = "b" },
		"is of a job of 5 ranks":                      func(h *hello) { h.Size = 5 },
		"pid 12 says that it is rank 4 of 4":          func(h *hello) { h.Rank = 4 },
		"pid 12 says that it is rank -1 of 4":         func(h *hello) { h.Rank = -1 },
		"a hello with a patience of -1 ms":            func(h *hello) { h.PatienceMS = -1 },
		"a hello with a patience of 9000000000000 ms": func(h *hello) { h.PatienceMS = 9e12 },
	} {
		who := newHello(Place{Rank: 2, Size: 4, Job: "a"}, 12, time.Second)
		change(&who)
		m, err := who.message()
		if err != nil {
			t.Fatal(err)
		}
		got, err := readHello(m.body)
		if err == nil {
			if got != who {
				t.Errorf("%+v has become %+v", who, got)
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
		t.Errorf("%d ranks are listed by %d bytes", len(odd), len(got))
	}
}

// blob is a message that brings bytes of the blob of a rank.
func blob(rank dimmnet.Rank, total int, body ...byte) message {
	return message{kind: kindBlob, call: 1, rank: rank, total: uint32(total), body: body}
}

// TestAssembler has messages that do not make a batch.
func TestAssembler(t *testing.T) {
	for says, messages := range map[string][]message{
		"interrupted by call 2 (Gather)": {blob(4, 2, 1), {kind: kindBlob, call: 2, rank: 4, total: 2, body: []byte{1}}},
		"interrupted by call 1 (Swap)":   {blob(4, 0), {kind: kindFiles, call: 1, rank: 5, files: make([]*os.File, 1)}},
		"a blob of rank 5 where rank 4":  {blob(5, 0)},
		"a blob of rank 4 where rank 5":  {blob(4, 0), blob(4, 0)},
		"3 files":                        {{kind: kindFiles, call: 1, rank: 4, files: make([]*os.File, 3)}},
		"of a blob of 2 of which 1":      {blob(4, 2, 1), blob(4, 2, 2, 3)},
		"rank 4, 3 bytes":                {blob(4, 2, 1), blob(4, 3, 2)},
		"0 more bytes":                   {blob(4, 2)},
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

// FuzzMessages feeds packets to all that reads them: no panic, and what is taken is
// within its limits.
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
				t.Errorf("%x has become %x", packet, again)
			}
			if says := text(m.body); strings.ContainsAny(says, "\n\x00") || len(says) > 3*maxText {
				t.Errorf("%q", says)
			}
			if who, err := readHello(m.body); err == nil {
				_ = who.check(who)
			}
			m.files = make([]*os.File, files)
			if b, err := a.add(m); err == nil && b != nil && (len(b.shares) != 2 || len(b.shares[0].blob)+len(b.shares[1].blob) > 3*maxPacket) {
				t.Errorf("a batch of %d shares", len(b.shares))
			}
		}
	})
}
