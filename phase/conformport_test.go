package phase

import (
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// recordingPort records what a rank posts and when it takes a slot.
type recordingPort struct {
	dimmnet.Port
	rec *recording
	w0  uint64 // the first header word that was last read
}

func (p *recordingPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	own := p.Rank()
	// The packet is recorded before the Store, which may let other threads run.
	flight := &p.rec.flight[own][dst]
	*flight = append(*flight, posted{off, size})
	at := len(p.rec.moves)
	p.rec.moves = append(p.rec.moves, p.rec.store(own, dst, off, v))
	if !p.Port.Store(dst, off, v, size) {
		*flight = (*flight)[:len(*flight)-1]
		p.rec.moves = slices.Delete(p.rec.moves, at, at+1)
		return false
	}
	return true
}

func (p *recordingPort) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	own := p.Rank()
	_, slot := p.rec.area(off)
	flight := &p.rec.flight[own][dst]
	*flight = append(*flight, posted{off, len(b)})
	at := len(p.rec.moves)
	p.rec.moves = append(p.rec.moves, move{action: fill, from: own, to: dst, slot: slot, bytes: len(b)})
	if !p.Port.Write(dst, off, b) {
		*flight = (*flight)[:len(*flight)-1]
		p.rec.moves = slices.Delete(p.rec.moves, at, at+1)
		return false
	}
	return true
}

// Load records a take when the receiver reads the second header word of a slot.
func (p *recordingPort) Load(off dimmnet.Offset) uint64 {
	v := p.Port.Load(off)
	area, slot := p.rec.area(off)
	switch {
	case area != areaHeader:
	case off%ringbuf.HeaderBytes == 0:
		p.w0 = v
	default:
		own := p.Rank()
		from := p.rec.peer(own, int(off)/ringbuf.HeaderBytes/p.rec.layout.Slots)
		h, id := p.rec.header(p.w0, v, from)
		p.rec.moves = append(p.rec.moves, move{action: take, from: from, to: own, slot: slot, header: h, id: id})
	}
	return v
}

// store returns the move that a Store makes.
func (c *recording) store(own, dst dimmnet.Rank, off dimmnet.Offset, v uint64) move {
	area, slot := c.area(off)
	m := move{from: own, to: dst, slot: slot}
	switch {
	case area == areaHeader && off%ringbuf.HeaderBytes == 0:
		m.action = put
		m.header, _ = c.header(v, 0, own)
	case area == areaHeader:
		m.action = fill
		_, m.id = c.header(uint64(ringbuf.Data)|uint64(own)<<8, v, own)
	case area == areaSent:
		m.action = complete
	case area == areaReceived:
		m.action, m.from, m.to = free, dst, own
	}
	return m
}

// header decodes a header. It returns the header without its address, and the variable that the
// address lies in.
func (c *recording) header(w0, w1 uint64, from dimmnet.Rank) (h ringbuf.Header, id syncvar.ID) {
	h, err := ringbuf.Decode(w0, w1, from, c.layout.SlotBytes)
	if err != nil {
		panic(err)
	}
	for i, start := range c.starts {
		if consistency.Addr(h.Addr) >= start {
			id = syncvar.ID(i)
		}
	}
	h.Addr, h.Age = 0, 0
	return h, id
}

// area is one of the four areas of a ring (ringbuf.Layout).
type area uint8

const (
	areaHeader area = iota
	areaData
	areaSent
	areaReceived
)

// area returns the area, peer and slot of an offset of the LLCM.
func (c *recording) area(off dimmnet.Offset) (area, int) {
	l, at := c.layout, int(off)
	slots := l.Peers * l.Slots
	if at < slots*ringbuf.HeaderBytes {
		return areaHeader, at / ringbuf.HeaderBytes % l.Slots
	}
	at -= slots * ringbuf.HeaderBytes
	if at < slots*l.SlotBytes {
		return areaData, at / l.SlotBytes % l.Slots
	}
	at -= slots * l.SlotBytes
	row := (l.Slots + dimmnet.WordBytes - 1) &^ (dimmnet.WordBytes - 1)
	if at < l.Peers*row {
		return areaSent, at % row
	}
	return areaReceived, at % row
}

// peer returns the rank that has the given index among the peers of rank own.
func (c *recording) peer(own dimmnet.Rank, index int) dimmnet.Rank {
	if index >= int(own) {
		index++
	}
	return dimmnet.Rank(index)
}
