package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
)

// part is what one rank does for a cast: it owns the data, or receives them, and
// maybe passes them on.
type part struct {
	items []source
	most  int // bytes that the cast can take as one message
	root  bool
	hops  []hop // out of this rank

	queue   []consistency.Cut // of the root: what no message holds yet
	message []consistency.Cut // of the root: the present message

	from    dimmnet.Rank // of a receiver: who pushes to it
	grant   int          // the word at from that grants it
	notice  int          // the own word that notifies of it
	streams []*stream    // of a receiver: what has landed, by item
	at      int          // the stream that the last piece belonged to

	// Of the present message:
	number  int // counted from 0
	room    int // bytes that it may take; at the root, that it takes
	place   dimmnet.Offset
	granted bool   // by a receiver
	come    notice // how much is here; at the root all, from the start
}

// newPart returns the part of rank own in a cast, or nil if it has none.
func newPart(own dimmnet.Rank, c *cast) *part {
	p := &part{items: c.items, root: c.edges[0].from == own}
	member := p.root
	for _, e := range c.edges {
		switch own {
		case e.to:
			p.from, p.grant, p.notice = e.from, e.out, e.in
			member = true
		case e.from:
			p.hops = append(p.hops, hop{to: e.to, word: e.out, notice: e.in})
		}
	}
	if !member {
		return nil
	}
	return p
}

// reserve says how many bytes the next message needs of a memory of all. The
// owner knows; receivers know a bound, and all the same one.
func (p *part) reserve(all int) int {
	switch {
	case p.room > 0: // it was asked before
	case p.root:
		p.message, p.queue, p.room = pack(p.queue, all)
	default:
		p.room = min(p.most, all)
	}
	return p.room
}

// surelyLast says whether this rank knows, at the start of a message, that no
// other message of the cast follows.
func (p *part) surelyLast(all int) bool {
	if p.root {
		return len(p.queue) == 0
	}
	return p.most <= all
}

// begin begins the message for which reserve has made room.
func (p *part) begin(place dimmnet.Offset) {
	p.place, p.granted, p.come = place, false, notice{}
	if p.root {
		p.come = notice{bytes: p.room, ends: true, last: len(p.queue) == 0}
	}
	for i := range p.hops {
		p.hops[i].begin()
	}
}

// end makes the part ready for its next message.
func (p *part) end() {
	p.number++
	p.room, p.message = 0, nil
}

// quiet says whether nothing of the present message is under way or to come.
func (p *part) quiet() bool {
	for i := range p.hops {
		if !p.hops[i].quiet() {
			return false
		}
	}
	return p.come.ends
}

// step grants, takes notice, and moves every hop on as far as it goes.
func (p *part) step(e *Engine) (progress bool, err error) {
	tag := tag(e.phase, p.number)
	if !p.root {
		if progress, err = p.receive(e.bulk, tag); err != nil {
			return false, err
		}
	}
	for i := range p.hops {
		h := &p.hops[i]
		moved, err := h.step(e.bulk, p, tag)
		if err != nil {
			return false, fmt.Errorf("phase: rank %d %w", h.to, err)
		}
		if !moved {
			continue
		}
		progress = true
		if h.quiet() {
			e.counts.Bulk++
			if p.come.last {
				e.counts.Transfers += uint64(len(p.items))
			}
		}
	}
	return progress, nil
}

// receive grants the message and then polls for notices of it.
func (p *part) receive(b *bulk, tag uint64) (progress bool, err error) {
	if !p.granted {
		p.granted = b.port.Store(p.from, b.words.grant(p.grant), encodeGrant(tag, p.place), dimmnet.WordBytes)
		return p.granted, nil
	}
	if p.come.ends {
		return false, nil
	}
	n, there := decodeNotice(b.port.Load(b.words.notice(p.notice)), tag)
	if !there || n == p.come {
		return false, nil
	}
	switch {
	case n.bytes < p.come.bytes || n.bytes > p.room || n.bytes%dimmnet.WordBytes != 0:
		err = fmt.Errorf("phase: rank %d has pushed %d bytes of a message, after %d, to a place of %d", p.from, n.bytes, p.come.bytes, p.room)
	case n.ends && n.bytes < countBytes || n.last && !n.ends || n.ends && !n.last && p.surelyLast(b.memory.n):
		err = fmt.Errorf("phase: rank %d ends a message after %d bytes (%v), and with it what it owes (%v)", p.from, n.bytes, n.ends, n.last)
	}
	p.come = n
	return true, err
}

// land reads a message that has come whole. Everything about it is checked
// before a byte goes to its place.
func (p *part) land(e *Engine) error {
	port := e.port
	var first [countBytes]byte
	port.Read(first[:], p.place)
	pieces, err := manifestCount(first, p.come.bytes)
	if err != nil {
		return err
	}
	at := p.place + countBytes
	if pieces == 0 { // nothing was newer
		_, err := decodePieces(nil, p.come.bytes)
		return err
	}
	manifest := make([]byte, pieces*pieceBytes)
	port.Read(manifest, at)
	at += dimmnet.Offset(len(manifest))
	cuts, err := decodePieces(manifest, p.come.bytes)
	if err != nil {
		return err
	}
	places := make([][]byte, len(cuts))
	for i, c := range cuts {
		if places[i], err = p.accept(e.space, c); err != nil {
			return err
		}
	}
	for _, mem := range places {
		port.Read(mem, at)
		at += dimmnet.Offset(padded(len(mem)))
	}
	return nil
}

// accept adds a piece to the stream that it belongs to, and returns its place.
func (p *part) accept(space *consistency.Space, c consistency.Cut) ([]byte, error) {
	id, mem, err := space.Guard(c.Range)
	if err != nil {
		return nil, err
	}
	for p.at < len(p.streams) && p.streams[p.at].ID != id {
		p.at++
	}
	if p.at == len(p.streams) {
		return nil, fmt.Errorf("data of %q, which are not due from it", space.Name(id))
	}
	s := p.streams[p.at]
	if err := space.Follow(&s.Stream, c, false); err != nil {
		return nil, err
	}
	return mem, nil
}
