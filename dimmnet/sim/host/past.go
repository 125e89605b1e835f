package host

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
)

// A thread that idles is moved on to the start of the polling pass in which a word lands, which is
// before the word lands. It need not run before: the word lands first, and until the thread's clock
// has passed that time, the thread reads the word that was there. So it is suspended once less.

// past is what a thread that is behind its node sees.
type past struct {
	until dimmnet.Time // when the thread sees the present; 0 if it does already
	off   dimmnet.Offset
	word  uint64 // the word at off before
}

// keepPast prepares for a packet that lands while one thread of the node idles. It reports whether
// it may land before that thread runs.
func (k *Kernel) keepPast(n *node, e *event.Event) bool {
	if n.coupled {
		return false
	}
	off, word, ok := k.net.Overwritten(e.Ref)
	if ok {
		n.past = past{until: e.At, off: off, word: word}
	}
	return ok
}

// catchUp lets the thread see the present if its clock has come to it.
func (th *Thread) catchUp() {
	if th.now >= th.node.past.until {
		th.node.past.until = 0
	}
}

// Load returns the word of the LLCM at off that the thread sees.
func (th *Thread) Load(off dimmnet.Offset) uint64 {
	n := th.node
	if n.past.until != 0 && off == n.past.off {
		return n.past.word
	}
	return n.net.Load(off)
}

// Read reads the LLCM as the thread sees it.
func (th *Thread) Read(p []byte, off dimmnet.Offset) {
	n := th.node
	n.net.Read(p, off)
	if n.past.until == 0 {
		return
	}
	var old [dimmnet.WordBytes]byte
	binary.LittleEndian.PutUint64(old[:], n.past.word)
	for i, b := range old {
		if at := int64(n.past.off) + int64(i) - int64(off); at >= 0 && at < int64(len(p)) {
			p[at] = b
		}
	}
}

// seen returns the mark of the last arrival that the node's thread sees.
func (n *node) seen() dimmnet.Mark {
	if n.past.until != 0 {
		return n.net.Arrivals() - 1
	}
	return n.net.Arrivals()
}
