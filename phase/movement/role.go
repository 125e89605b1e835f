package movement

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
)

type roleState uint8

const (
	roleGrant   roleState = iota // a receiver: the grant is to be posted
	roleReceive                  // a receiver: bytes of the message are due
	roleHere                     // the whole message is in this rank's bulk memory
)

// role is one rank's part in a multicast. The root owns the data; receivers may relay them.
type role struct {
	items []Source
	most  int // the most bytes that all items can need as one message
	root  bool
	hops  []hop // the hops out of this rank

	// Of the root:
	queue   []consistency.Cut // cuts for later messages
	message []consistency.Cut // cuts of the present message

	// Of a receiver:
	from    dimmnet.Rank // the rank that pushes to this rank
	grant   int          // the number of the grant word at rank from
	notice  int          // the number of this rank's notice word
	streams []*stream    // by index in items: the cuts that have arrived
	at      int          // the index in streams of the last piece

	// State of the present message:
	state  roleState
	number int // from 0
	size   int // bytes reserved for the message; at the root its exact size
	offset dimmnet.Offset
	here   notice // what part of the message is in this rank's bulk memory
}

func newRole(own dimmnet.Rank, c *Multicast) *role {
	r := &role{items: c.Items, root: c.Edges[0].From == own}
	member := r.root
	for _, e := range c.Edges {
		switch own {
		case e.To:
			r.from, r.grant, r.notice = e.From, e.out, e.in
			member = true
		case e.From:
			r.hops = append(r.hops, hop{to: e.To, word: e.out, notice: e.in})
		}
	}
	if !member {
		return nil
	}
	return r
}

// reserve returns the number of bytes for the next message; all is the size of the bulk memory.
// The root knows the exact size. All receivers use the same upper bound.
func (r *role) reserve(all int) int {
	switch {
	case r.size > 0: // computed for an earlier round, which had no space for the message
	case r.root:
		r.message, r.queue, r.size = pack(r.queue, all)
	default:
		r.size = min(r.most, all)
	}
	return r.size
}

// surelyLast reports whether this rank knows, when a message begins, that it is the last one of
// its multicast.
func (r *role) surelyLast(all int) bool {
	if r.root {
		return len(r.queue) == 0
	}
	return r.most <= all
}

// begin begins a message at offset. granted says that the rank's grant stands.
func (r *role) begin(offset dimmnet.Offset, granted bool) {
	r.offset, r.state, r.here = offset, roleGrant, notice{}
	switch {
	case r.root:
		r.state, r.here = roleHere, notice{bytes: r.size, ends: true, last: len(r.queue) == 0}
	case granted:
		r.state = roleReceive
	}
	for i := range r.hops {
		r.hops[i].begin()
	}
}

func (r *role) end() {
	r.number++
	r.size, r.message = 0, nil
}

func (r *role) quiet() bool {
	for i := range r.hops {
		if !r.hops[i].quiet() {
			return false
		}
	}
	return r.state == roleHere
}

// step posts the grant, reads the notice word, and moves every hop on as far as it goes.
func (r *role) step(b *Push) (progress bool, err error) {
	tag := tag(b.mover.Phase, r.number)
	if !r.root {
		if progress, err = r.receive(b, tag); err != nil {
			return false, err
		}
	}
	for i := range r.hops {
		h := &r.hops[i]
		moved, err := h.step(b, r, tag)
		if err != nil {
			return false, fmt.Errorf("phase: PUSH to rank %d: %w", h.to, err)
		}
		if !moved {
			continue
		}
		progress = true
		if h.quiet() {
			b.mover.Counts.Bulk++
			if r.here.last {
				b.mover.Counts.Transfers += uint64(len(r.items))
			}
		}
	}
	return progress, nil
}

func (r *role) receive(b *Push, tag uint64) (progress bool, err error) {
	port := b.mover.Port
	switch r.state {
	case roleGrant:
		if !port.Store(r.from, b.Config.Words.grant(r.grant), grant{r.offset, b.standing.fits}.encode(tag), dimmnet.WordBytes) {
			return false, nil
		}
		r.state = roleReceive
		return true, nil
	case roleHere:
		return false, nil
	}
	n, ok := decodeNotice(port.Load(b.Config.Words.notice(r.notice)), tag)
	if !ok || n == r.here {
		return false, nil
	}
	switch {
	case n.bytes < r.here.bytes || n.bytes > r.size || n.bytes%dimmnet.WordBytes != 0:
		err = fmt.Errorf("phase: notice of rank %d: %d bytes have landed, want whole words, from %d to %d bytes", r.from, n.bytes, r.here.bytes, r.size)
	case n.ends && n.bytes < countBytes || n.last && !n.ends || n.ends && !n.last && r.surelyLast(b.memory.n):
		err = fmt.Errorf("phase: notice of rank %d contradicts itself: bytes %d, message ends %v, multicast ends %v", r.from, n.bytes, n.ends, n.last)
	}
	r.here = n
	if n.ends {
		r.state = roleHere
	}
	return true, err
}

// read copies an arrived message to the addresses of its pieces. It checks the whole manifest
// before it copies the first byte.
func (r *role) read(m *Mover) error {
	port := m.Port
	var first [countBytes]byte
	port.Read(first[:], r.offset)
	pieces, err := manifestCount(first, r.here.bytes)
	if err != nil {
		return err
	}
	at := r.offset + countBytes
	if pieces == 0 { // the sender has nothing newer
		_, err := decodePieces(nil, r.here.bytes)
		return err
	}
	manifest := make([]byte, pieces*pieceBytes)
	port.Read(manifest, at)
	at += dimmnet.Offset(len(manifest))
	cuts, err := decodePieces(manifest, r.here.bytes)
	if err != nil {
		return err
	}
	memory := make([][]byte, len(cuts))
	for i, c := range cuts {
		if memory[i], err = r.accept(m.Space, c); err != nil {
			return err
		}
	}
	for _, mem := range memory {
		port.Read(mem, at)
		m.Charge(dimmnet.Take, len(mem))
		at += dimmnet.Offset(Padded(len(mem)))
	}
	return nil
}

func (r *role) accept(space *consistency.Space, c consistency.Cut) ([]byte, error) {
	id, mem, err := space.Guard(c.Range)
	if err != nil {
		return nil, err
	}
	for r.at < len(r.streams) && r.streams[r.at].ID != id {
		r.at++
	}
	if r.at == len(r.streams) {
		return nil, fmt.Errorf("data of %q, which are not due from it", space.Name(id))
	}
	s := r.streams[r.at]
	if err := space.Follow(&s.Stream, c, false); err != nil {
		return nil, err
	}
	return mem, nil
}
