package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// hop is the way of the present message of a cast from this rank to another. It
// pushes what is here, one PUSH after another, and tells how much has landed: so
// whoever passes it on follows closely.
type hop struct {
	to     dimmnet.Rank
	word   int // the own words: its grant, and what its PUSHes say when they are done
	notice int // the word at to

	granted bool
	place   dimmnet.Offset // at to
	sent    int            // bytes that have landed
	under   int            // bytes of the PUSH under way
	stale   bool           // the done word is to be cleared
	told    notice
}

func (h *hop) begin() {
	*h = hop{to: h.to, word: h.word, notice: h.notice}
}

// quiet says whether all is done for the present message.
func (h *hop) quiet() bool { return h.told.ends && !h.stale }

// step moves the hop on as far as it goes. An error does not name the rank.
func (h *hop) step(b *bulk, p *part, tag uint64) (progress bool, err error) {
	for {
		switch now := h.news(p); {
		case !h.granted:
			h.place, h.granted, err = decodeGrant(b.port.Load(b.words.grant(h.word)), tag, p.room, b.memory)
			if !h.granted {
				return progress, err
			}
		case h.under > 0:
			done := b.port.Load(b.words.done(h.word))
			if done == 0 {
				return progress, nil
			}
			if done != uint64(h.under) {
				return false, fmt.Errorf("was pushed %d bytes, and %d are done", h.under, done)
			}
			h.sent, h.under, h.stale = h.sent+h.under, 0, true
		case now != h.told:
			if !b.port.Store(h.to, b.words.notice(h.notice), now.encode(tag), dimmnet.WordBytes) {
				return progress, nil
			}
			h.told = now
		case h.stale:
			// The next PUSH that uses the word may be as long.
			if !b.port.Store(b.port.Rank(), b.words.done(h.word), 0, dimmnet.WordBytes) {
				return progress, nil
			}
			h.stale = false
		case h.sent < p.come.bytes:
			n := min(b.piece, p.come.bytes-h.sent)
			done, at := b.words.done(h.word), dimmnet.Offset(h.sent)
			// Else what clears it might land after the PUSH.
			if b.port.Load(done) != 0 || !b.port.Push(h.to, p.place+at, h.place+at, n, done) {
				return progress, nil
			}
			h.under = n
		default:
			return progress, nil // of what it passes on more must come first
		}
		progress = true
	}
}

// news is what the receiver is to know by now.
func (h *hop) news(p *part) notice {
	all := p.come.ends && h.sent == p.come.bytes
	return notice{bytes: h.sent, ends: all, last: all && p.come.last}
}
