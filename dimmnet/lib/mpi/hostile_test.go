package mpi

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// lie is a packet that a correct rank would not send, with its data.
type lie struct {
	control
	bytes []byte
}

// victim is a rank whose peer sends lies. It has a posted receive, a send in rendezvous (request
// 1), a receive that can send a CTS for a message of 30 bytes (as request 2), and a window.
func victim(h dimmnet.Host) error {
	c, err := Start(h, Options{Eager: 40})
	if err != nil {
		return err
	}
	if _, err := c.Irecv(make([]byte, 10), AnySource, 5); err != nil {
		return err
	}
	if _, err := c.Isend(make([]byte, 100), 1, 0); err != nil {
		return err
	}
	if _, err := c.Irecv(make([]byte, 30), 1, 6); err != nil {
		return err
	}
	w := &Window{
		comm:    &Comm{engine: c.engine, context: 50, group: c.group},
		mem:     make([]byte, 16),
		held:    make([]bool, 2),
		granted: make([]bool, 2),
		gets:    map[uint32][]byte{},
		fenced:  make([]int, 2),
		holders: make([]bool, 2),
	}
	c.engine.windows[50] = w
	return c.engine.wait(func() bool { return false })
}

// attack runs a victim as rank 0, and attacker with a link of rank 1.
func attack(attacker func(*ringLink) error) error {
	return inproc.New(inproc.Config{}).Run(context.Background(), 2, func(h dimmnet.Host) error {
		if h.Port().Rank() == 0 {
			return victim(h)
		}
		l, err := newRingLink(h.Port(), Options{})
		if err != nil {
			return err
		}
		return attacker(l)
	})
}

// lies returns lists of packets, by the error that the victim must report.
func lies() map[string][]lie {
	clears := lie{control: control{kind: requestToSend, rank: 1, tag: 6, size: 30, sender: 7}}
	one := encodeDestinations([]Destination{{1, 100}})
	unlocked := lie{control: control{kind: windowLock, rank: 1, context: 50}}
	return map[string][]lie{
		"control packet starts with bytes 0, 0":                                    {{}},
		"control packet starts with bytes 200, 0":                                  {{control: control{kind: 200}}},
		"size 2147483648, want at most 2147483647":                                 {{control: control{kind: requestToSend, size: MaxBytes + 1}}},
		"message of 10 bytes in a packet of kind 1 with 3":                         {{control{kind: eagerSend, rank: 1, tag: 5, size: 10}, make([]byte, 3)}},
		"message of 10 bytes in a packet of kind 2 with 3":                         {{control{kind: requestToSend, rank: 1, tag: 5, size: 10}, make([]byte, 3)}},
		"with tag 4294967295":                                                      {{control: control{kind: eagerSend, rank: 1, tag: 1<<32 - 1}}},
		"CTS for request 9, which has sent no RTS":                                 {{control: control{kind: clearToSend, sender: 9}}},
		"CTS for request 2, which has sent no RTS":                                 {{control: control{kind: clearToSend, sender: 2}}},
		"destination of 101 bytes after 0 bytes: want at least 1, and at most 100": {{control{kind: clearToSend, sender: 1}, encodeDestinations([]Destination{{1, 101}})}},
		"destination of 2 bytes after 99 bytes: want at least 1, and at most 100":  {{control{kind: clearToSend, sender: 1}, encodeDestinations([]Destination{{1, 99}, {2, 2}})}},
		"destination of 0 bytes":                                                   {{control{kind: clearToSend, sender: 1}, encodeDestinations([]Destination{{1, 0}})}},
		"list of destinations has 17 bytes":                                        {{control{kind: clearToSend, sender: 1}, make([]byte, 17)}},
		"CTS for request 1, which has sent no RTS":                                 {{control{kind: clearToSend, sender: 1}, one}, {control{kind: clearToSend, sender: 1}, one}},
		"FTS for request 9, which is not receiving":                                {{control: control{kind: finishSend, receiver: 9}}},
		"FTS for request 2, which is not receiving":                                {{control: control{kind: finishSend, receiver: 2}}},
		"FTS with 2 bytes":                                                         {{control{kind: finishSend, receiver: 2}, make([]byte, 2)}},
		"0 of 30 bytes have been written":                                          {clears, {control: control{kind: finishSend, receiver: 2}}},
		"writes to address 1, which is not exposed":                                {{control{kind: remoteWrite, receiver: 1}, make([]byte, 8)}},
		"writes 31 bytes at offset 0: want a part of the rest, from 0 to 30":       {clears, {control{kind: remoteWrite, receiver: 1}, make([]byte, 31)}},
		"writes 8 bytes at offset 4: want a part of the rest, from 0 to 30":        {clears, {control{kind: remoteWrite, receiver: 1, size: 4}, make([]byte, 8)}},
		"writes 0 bytes at offset 0":                                               {clears, {control: control{kind: remoteWrite, receiver: 1}}},
		"window 51, which does not exist":                                          {{control: control{kind: windowPut, rank: 1, context: 51}}},
		"window 50 names rank 0":                                                   {{control: control{kind: windowPut, context: 50}}},
		"window 50 names rank 2":                                                   {{control: control{kind: windowFence, rank: 2, context: 50}}},
		"access to window 50 outside an epoch":                                     {{control{kind: windowPut, rank: 1, context: 50}, make([]byte, 8)}},
		"9 bytes at offset 8 of window 50, which has 16":                           {unlocked, {control{kind: windowPut, rank: 1, context: 50, size: 8}, make([]byte, 9)}},
		"0 bytes at offset 17 of window 50":                                        {unlocked, {control: control{kind: windowPut, rank: 1, context: 50, size: 17}}},
		"control packet starts with bytes 201, 0":                                  {unlocked, {control: control{kind: windowPut, rank: 1, context: 50, size: 16}}, {control: control{kind: 201}}},
		"17 bytes at offset 0 of window 50":                                        {unlocked, {control: control{kind: windowGet, rank: 1, context: 50, tag: 17}}},
		"get of 4294967295 bytes":                                                  {unlocked, {control: control{kind: windowGet, rank: 1, context: 50, tag: 1<<32 - 1}}},
		"get of 8 bytes of window 50 with 1":                                       {unlocked, {control{kind: windowGet, rank: 1, context: 50, tag: 8}, make([]byte, 1)}},
		"accumulate of 7 bytes with invalid operation and type 0x106":              {unlocked, {control{kind: windowAdd, rank: 1, context: 50, tag: 0x106}, make([]byte, 7)}},
		"accumulate of 8 bytes with invalid operation and type 0x606":              {unlocked, {control{kind: windowAdd, rank: 1, context: 50, tag: 0x606}, make([]byte, 8)}},
		"accumulate of 8 bytes with invalid operation and type 0x107":              {unlocked, {control{kind: windowAdd, rank: 1, context: 50, tag: 0x107}, make([]byte, 8)}},
		"accumulate of 8 bytes with invalid operation and type 0x10106":            {unlocked, {control{kind: windowAdd, rank: 1, context: 50, tag: 0x10106}, make([]byte, 8)}},
		"unlock of window 50 without a lock":                                       {{control: control{kind: windowUnlock, rank: 1, context: 50}}},
		"kind 12 for window 50 answers no request":                                 {{control: control{kind: windowGrant, rank: 1, context: 50}}},
		"kind 14 for window 50 answers no request":                                 {{control: control{kind: windowFlushed, rank: 1, context: 50}}},
		"reply of 8 bytes to get 4 of window 50: want 0":                           {{control{kind: windowReply, rank: 1, context: 50, sender: 4}, make([]byte, 8)}},
		"kind 10 with 3 bytes of data":                                             {{control{kind: windowFence, rank: 1, context: 50}, make([]byte, 3)}},
		"message names rank 0 in context 0 as its sender, which is another":        {{control: control{kind: eagerSend, tag: 5, rank: 0}}, {control: control{kind: eagerSend, tag: 5, rank: 1}}},
		"message names rank 2 in context 0 as its sender":                          {{control: control{kind: eagerSend, tag: 5, rank: 2}}},
		"message names rank 9 in context 0 as its sender":                          {{control: control{kind: eagerSend, tag: 5, rank: 9}}},
	}
}

// TestHostile checks that everything from the wire is validated.
func TestHostile(t *testing.T) {
	for want, list := range lies() {
		err := attack(func(l *ringLink) error {
			for i := range list {
				list[i].data = uint32(len(list[i].bytes))
				b := list[i].encode()
				if !l.Send(0, &b, list[i].bytes) || l.Busy(0) {
					return fmt.Errorf("lie %d: the ring is full", i)
				}
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "mpi: ") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestHostilePosition checks that impossible positions and lengths in a ring are errors. A
// receiver that claims to have consumed too much gets nothing.
func TestHostilePosition(t *testing.T) {
	for want, lie := range map[string]func(p dimmnet.Port, l *layout){
		"position 1000008 after 0: want at most 65520":      func(p dimmnet.Port, l *layout) { p.Store(0, l.appended(1), 1_000_008, 8) },
		"position 33 after 0":                               func(p dimmnet.Port, l *layout) { p.Store(0, l.appended(1), 33, 8) },
		"record of 24 bytes":                                func(p dimmnet.Port, l *layout) { p.Store(0, l.appended(1), 24, 8) },
		"record with 4294967295 bytes":                      func(p dimmnet.Port, l *layout) { length(p, l, 1<<32-1) },
		"record with 9 bytes of data: the ring holds 40 by": func(p dimmnet.Port, l *layout) { length(p, l, 9) },
	} {
		err := attack(func(l *ringLink) error {
			lie(l.port, &l.layout)
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	s := ringSender{appended: 1000, consumed: 2000}
	if n := s.free(4096); n != 0 {
		t.Errorf("%d bytes are free", n)
	}
}

// length appends a record of 40 bytes that claims to have n bytes of data.
func length(p dimmnet.Port, l *layout, n uint32) {
	c := control{kind: eagerSend, data: n}
	b := c.encode()
	off, _ := l.locate(1, 0)
	p.Write(0, off, b[:])
	p.Store(0, l.appended(1), 40, 8)
}

// FuzzControl checks that a decoded packet encodes to the same bytes.
func FuzzControl(f *testing.F) {
	f.Add(make([]byte, ControlBytes))
	f.Fuzz(func(t *testing.T, p []byte) {
		var b Control
		copy(b[:], p)
		if c, err := decode(&b); err == nil && (c.encode() != b || b.Data() != int(c.data)) {
			t.Errorf("%+v from %x", c, b)
		}
		to, sum, err := decodeDestinations(p, 1000)
		if err == nil && (string(encodeDestinations(to)) != string(p) || sum > 1000) {
			t.Errorf("%+v from %x", to, p)
		}
	})
}

// FuzzWire sends arbitrary packets to an engine, which must not panic.
func FuzzWire(f *testing.F) {
	for _, list := range lies() {
		var p []byte
		for _, one := range list {
			one.data = uint32(len(one.bytes))
			b := one.encode()
			p = append(append(p, b[:]...), one.bytes...)
		}
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		err := attack(func(l *ringLink) error {
			for len(p) >= ControlBytes {
				b := Control(p)
				n := b.Data()
				if p = p[ControlBytes:]; n > min(len(p), l.Block()) || !l.Send(0, &b, p[:n]) {
					return nil
				}
				p = p[n:]
			}
			return nil
		})
		// The victim waits forever, so the run ends by its error or by a deadlock error.
		if err == nil || strings.Contains(err.Error(), "panicked") {
			t.Error(err)
		}
	})
}
