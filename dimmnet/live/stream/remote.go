package stream

import "github.com/fagus-dsm/fagus/dimmnet"

// Remote is a way to a peer on which the network itself reads and writes the NIC memory of the
// peer, in any order with the bytes of the stream. No method waits.
type Remote interface {
	// Put begins to copy n bytes at offset from of this rank's NIC memory to offset to of the
	// peer's. Get begins to copy n bytes at offset from of the peer's to offset to of this rank's.
	// All three numbers are multiples of a word. begun is false if there is no space now, and able
	// is false if there never is. Moved returns id when the bytes are in place.
	Put(id int, from, to dimmnet.Offset, n int) (begun, able bool)
	Get(id int, from, to dimmnet.Offset, n int) (begun, able bool)
	// Moved returns the id of a Put or Get that has ended, once for each. Until then the Poll
	// reports the peer.
	Moved() (id int, ok bool)
}

// remotely begins a Push or Pull that the network performs by itself. taken is false if it must go
// through the stream. Short ones must, and so must those with parts of words, because the other
// bytes of a word may change meanwhile. The lock is held.
func (o *outbox) remotely(begin func(id int, from, to dimmnet.Offset, n int) (begun, able bool), from, to dimmnet.Offset, n int, completion dimmnet.Offset) (posted, taken bool) {
	if n <= smallBytes || (int(from)|int(to)|n)%word != 0 {
		return false, false
	}
	id := 0
	for id < len(o.remotes) && o.remotes[id].n > 0 {
		id++
	}
	if id == maxMoves {
		return o.refuse(), true
	}
	begun, able := begin(id, from, to, n)
	switch {
	case !able || !begun && o.moving == 0:
		// It goes through the stream: otherwise no end of another operation would tell when there
		// is space. A provider has none while it connects.
		return false, false
	case !begun:
		return o.refuse(), true
	}
	if id == len(o.remotes) {
		o.remotes = append(o.remotes, move{})
	}
	o.remotes[id] = move{done: completion, n: n}
	o.moving++
	return true, true
}

// moved returns a Push or Pull that the network has completed.
func (o *outbox) moved() (m move, ok bool) {
	id, ok := o.remote.Moved()
	if !ok {
		return m, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	m = o.remotes[id]
	o.remotes[id] = move{}
	o.moving--
	o.spaceFreed()
	return m, true
}
