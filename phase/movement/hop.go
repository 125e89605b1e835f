package movement

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// hopState says what a hop does for the present message.
//
//	hopGrant --> hopReady --> hopPush --> hopLanded --+
//	               ^  |                               |
//	               |  +--> hopDone                    |
//	               +----------------------------------+
type hopState uint8

const (
	hopGrant  hopState = iota // wait for the receiver's grant
	hopReady                  // push the next bytes as soon as this rank has them
	hopPush                   // a PUSH is under way: wait until its done word changes
	hopLanded                 // the PUSH has landed: post a notice, then clear the done word
	hopDone                   // the notice of the whole message is posted
)

// hop moves the present message of a multicast from this rank to another, one PUSH after another.
// After each PUSH it notifies the receiver, which can pass the bytes on at once.
type hop struct {
	to     dimmnet.Rank
	word   int // the number of this rank's grant and done words
	notice int // the number of the notice word at rank to

	state  hopState
	offset dimmnet.Offset // where the message begins at rank to
	sent   int            // bytes of the message that have landed at rank to
	flying int            // bytes of the PUSH under way
	posted notice         // the last notice that was posted
}

func (h *hop) begin()      { *h = hop{to: h.to, word: h.word, notice: h.notice} }
func (h *hop) quiet() bool { return h.state == hopDone }

// step moves the hop on as far as it goes without waiting. An error does not name the rank.
func (h *hop) step(b *Push, r *role, tag uint64) (progress bool, err error) {
	for moved := true; moved; progress = progress || moved {
		switch h.state {
		case hopGrant:
			moved, err = h.takeGrant(b, r, tag)
		case hopPush:
			moved, err = h.pollDone(b)
		case hopReady, hopLanded:
			moved = h.advance(b, r, tag)
		case hopDone:
			moved = false
		}
		if err != nil {
			return false, err
		}
	}
	return progress, nil
}

func (h *hop) takeGrant(b *Push, r *role, tag uint64) (granted bool, err error) {
	g, granted := b.standing.of(h.word)
	if granted {
		err = g.check(r.size, b.memory)
	} else if g, granted, err = decodeGrant(b.mover.Port.Load(b.Config.Words.grant(h.word)), tag, r.size, b.memory); granted {
		b.standing.keep(h.word, g)
	}
	if granted {
		h.offset, h.state = g.offset, hopReady
	}
	return granted, err
}

func (h *hop) pollDone(b *Push) (landed bool, err error) {
	done := b.mover.Port.Load(b.Config.Words.done(h.word))
	if done == 0 {
		return false, nil
	}
	if done != uint64(h.flying) {
		return false, fmt.Errorf("the done word has %d bytes, want %d", done, h.flying)
	}
	h.sent, h.flying, h.state = h.sent+h.flying, 0, hopLanded
	return true, nil
}

// advance makes the next post while no PUSH is under way: first a notice of the bytes that have
// landed, then a Store of 0 to the done word, then a PUSH.
func (h *hop) advance(b *Push, r *role, tag uint64) (posted bool) {
	port, done := b.mover.Port, b.Config.Words.done(h.word)
	if now := h.news(r); now != h.posted {
		if posted = port.Store(h.to, b.Config.Words.notice(h.notice), now.encode(tag), dimmnet.WordBytes); posted {
			h.posted = now
			h.finish()
		}
		return posted
	}
	if h.state == hopLanded {
		// The next PUSH may have the same size and so write the same value.
		if posted = port.Store(port.Rank(), done, 0, dimmnet.WordBytes); posted {
			h.state = hopReady
			h.finish()
		}
		return posted
	}
	if h.sent == r.here.bytes {
		return false // a rank that passes the message on must receive more first
	}
	n, at := min(b.piece, r.here.bytes-h.sent), dimmnet.Offset(h.sent)
	// While the done word is not 0, the Store of 0 is in flight and might land after the PUSH.
	if port.Load(done) != 0 || !port.Push(h.to, r.offset+at, h.offset+at, n, done) {
		return false
	}
	h.flying, h.state = n, hopPush
	return true
}

// finish enters hopDone if the last notice and the Store that clears the done word are posted.
func (h *hop) finish() {
	if h.posted.ends && h.state == hopReady {
		h.state = hopDone
	}
}

func (h *hop) news(r *role) notice {
	all := r.here.ends && h.sent == r.here.bytes
	return notice{bytes: h.sent, ends: all, last: all && r.here.last}
}
