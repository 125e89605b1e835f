package mpi

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
)

// lie is a packet that a rank does not send, with its data.
type lie struct {
	control
	bytes []byte
}

// victim is a rank whose peer lies. It has a receive posted, a send in rendezvous (request 2), another
// receive that has cleared a message of 30 bytes (request 3), and a window.
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

// lies are what the victim is told, and what it says.
func lies() map[string][]lie {
	clears := lie{control: control{kind: requestToSend, rank: 1, tag: 6, size: 30, sender: 7}}
	one := encodeDestinations([]Destination{{1, 100}})
	unlocked := lie{control: control{kind: windowLock, rank: 1, context: 50}}
	return map[string][]lie{
		"control packet of kind 0, 0":                    {{}},
		"control packet of kind 200, 0":                  {{control: control{kind: 200}}},
		"size 2147483648, at most 2147483647":            {{control: control{kind: requestToSend, size: MaxBytes + 1}}},
		"a message of 10 bytes, kind 1, with 3":          {{control{kind: eagerSend, rank: 1, tag: 5, size: 10}, make([]byte, 3)}},
		"a message of 10 bytes, kind 2, with 3":          {{control{kind: requestToSend, rank: 1, tag: 5, size: 10}, make([]byte, 3)}},
		"with tag 4294967295":                            {{control: control{kind: eagerSend, rank: 1, tag: 1<<32 - 1}}},
		"request 9, which has not asked":                 {{control: control{kind: clearToSend, sender: 9}}},
		"request 1, which has not asked":                 {{control: control{kind: clearToSend, sender: 1}}},
		"destination of 101 bytes behind 0 of 100":       {{control{kind: clearToSend, sender: 2}, encodeDestinations([]Destination{{1, 101}})}},
		"destination of 2 bytes behind 99 of 100":        {{control{kind: clearToSend, sender: 2}, encodeDestinations([]Destination{{1, 99}, {2, 2}})}},
		"destination of 0 bytes":                         {{control{kind: clearToSend, sender: 2}, encodeDestinations([]Destination{{1, 0}})}},
		"destinations of 17 bytes":                       {{control{kind: clearToSend, sender: 2}, make([]byte, 17)}},
		"request 2, which has not asked":                 {{control{kind: clearToSend, sender: 2}, one}, {control{kind: clearToSend, sender: 2}, one}},
		"request 9, which does not wait":                 {{control: control{kind: finishSend, receiver: 9}}},
		"request 3, which does not wait":                 {{control: control{kind: finishSend, receiver: 3}}},
		"FTS with 2 bytes":                               {{control{kind: finishSend, receiver: 3}, make([]byte, 2)}},
		"0 bytes are written of 30":                      {clears, {control: control{kind: finishSend, receiver: 3}}},
		"writes to 1, which is not exposed":              {{control{kind: remoteWrite, receiver: 1}, make([]byte, 8)}},
		"writes 31 bytes at 0, behind 0 of 30":           {clears, {control{kind: remoteWrite, receiver: 1}, make([]byte, 31)}},
		"writes 8 bytes at 4, behind 0 of 30":            {clears, {control{kind: remoteWrite, receiver: 1, size: 4}, make([]byte, 8)}},
		"writes 0 bytes at 0":                            {clears, {control: control{kind: remoteWrite, receiver: 1}}},
		"a window that is not there, 51":                 {{control: control{kind: windowPut, rank: 1, context: 51}}},
		"window 50 from its rank 0":                      {{control: control{kind: windowPut, context: 50}}},
		"window 50 from its rank 2":                      {{control: control{kind: windowFence, rank: 2, context: 50}}},
		"uses window 50 outside of an epoch":             {{control{kind: windowPut, rank: 1, context: 50}, make([]byte, 8)}},
		"9 bytes at 8 of window 50, which has 16":        {unlocked, {control{kind: windowPut, rank: 1, context: 50, size: 8}, make([]byte, 9)}},
		"0 bytes at 17 of window 50":                     {unlocked, {control: control{kind: windowPut, rank: 1, context: 50, size: 17}}},
		"17 bytes at 0 of window 50":                     {unlocked, {control: control{kind: windowGet, rank: 1, context: 50, tag: 17}}},
		"gets 4294967295 bytes":                          {unlocked, {control: control{kind: windowGet, rank: 1, context: 50, tag: 1<<32 - 1}}},
		"gets 8 bytes of window 50, with 1":              {unlocked, {control{kind: windowGet, rank: 1, context: 50, tag: 8}, make([]byte, 1)}},
		"accumulates 7 bytes by 0x106":                   {unlocked, {control{kind: windowAdd, rank: 1, context: 50, tag: 0x106}, make([]byte, 7)}},
		"accumulates 8 bytes by 0x606":                   {unlocked, {control{kind: windowAdd, rank: 1, context: 50, tag: 0x606}, make([]byte, 8)}},
		"accumulates 8 bytes by 0x107":                   {unlocked, {control{kind: windowAdd, rank: 1, context: 50, tag: 0x107}, make([]byte, 8)}},
		"accumulates 8 bytes by 0x10106":                 {unlocked, {control{kind: windowAdd, rank: 1, context: 50, tag: 0x10106}, make([]byte, 8)}},
		"unlocks window 50, which it has not":            {{control: control{kind: windowUnlock, rank: 1, context: 50}}},
		"kind 12 for window 50, unasked":                 {{control: control{kind: windowGrant, rank: 1, context: 50}}},
		"kind 14 for window 50, unasked":                 {{control: control{kind: windowFlushed, rank: 1, context: 50}}},
		"8 bytes for request 4 of window 50, want 0":     {{control{kind: windowReply, rank: 1, context: 50, sender: 4}, make([]byte, 8)}},
		"kind 10 with 3 bytes of data":                   {{control{kind: windowFence, rank: 1, context: 50}, make([]byte, 3)}},
		"rank 0 in context 0: it is not that rank":       {{control: control{kind: eagerSend, tag: 5, rank: 0}}, {control: control{kind: eagerSend, tag: 5, rank: 1}}},
		"a message of rank 9 in context 0: it is not th": {{control: control{kind: eagerSend, tag: 5, rank: 9}}},
	}
}

// TestHostile: nothing that comes from the wire is believed.
func TestHostile(t *testing.T) {
	for want, list := range lies() {
		err := inproc.New(inproc.Config{}).Run(context.Background(), 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 0 {
				return victim(h)
			}
			l, err := newRingLink(h.Port(), Options{})
			if err != nil {
				return err
			}
			for i := range list {
				list[i].data = uint32(len(list[i].bytes))
				b := list[i].encode()
				if !l.Send(0, &b, list[i].bytes) || l.Busy(0) {
					return fmt.Errorf("lie %d: no room", i)
				}
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "mpi: ") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestHostilePosition: positions and lengths in a ring that cannot be are errors; a
// receiver that claims too much gets no byte.
func TestHostilePosition(t *testing.T) {
	for want, lie := range map[string]func(p dimmnet.Port, l *layout){
		"position 1000008 after 0":             func(p dimmnet.Port, l *layout) { p.Store(0, l.appended(1), 1_000_008, 8) },
		"position 33 after 0":                  func(p dimmnet.Port, l *layout) { p.Store(0, l.appended(1), 33, 8) },
		"a record of 24 bytes":                 func(p dimmnet.Port, l *layout) { p.Store(0, l.appended(1), 24, 8) },
		"a record with 4294967295 bytes":       func(p dimmnet.Port, l *layout) { length(p, l, 1<<32-1) },
		"a record with 9 bytes of data, 40 by": func(p dimmnet.Port, l *layout) { length(p, l, 9) },
	} {
		err := inproc.New(inproc.Config{}).Run(context.Background(), 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 0 {
				return victim(h)
			}
			l, err := newLayout(h.Port().Limits(), 2, Options{})
			if err != nil {
				return err
			}
			lie(h.Port(), &l)
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	s := ringSender{appended: 1000, taken: 2000}
	if n := s.free(4096); n != 0 {
		t.Errorf("%d bytes are free", n)
	}
}

// length puts a record of 40 bytes there that says that n bytes of data follow.
func length(p dimmnet.Port, l *layout, n uint32) {
	c := control{kind: eagerSend, data: n}
	b := c.encode()
	off, _ := l.place(1, 0)
	p.Write(0, off, b[:])
	p.Store(0, l.appended(1), 40, 8)
}

// FuzzControl: what is decoded encodes to the same bytes.
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

// FuzzWire gives an engine any packets: it fails, or it does not, but nothing breaks.
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
		err := inproc.New(inproc.Config{}).Run(context.Background(), 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 0 {
				return victim(h)
			}
			l, err := newRingLink(h.Port(), Options{})
			if err != nil {
				return err
			}
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
		// The victim waits for ever: it was found out, or the network has found that out.
		if err == nil || strings.Contains(err.Error(), "panicked") {
			t.Error(err)
		}
	})
}
