//go:build ofi && linux && cgo

package ofi

import "github.com/fagus-dsm/fagus/dimmnet"

// beats sends signs of life as messages. Sending and receiving them also lets the provider work
// while the threads of the rank compute.
type beats struct{ f *fabric }

// Send implements stream.Beats. It skips a beat for which there is no space.
func (b beats) Send() {
	b.f.lock()
	defer b.f.mu.Unlock()
	if b.f.closed {
		return
	}
	for _, l := range b.f.links {
		if l != nil && !l.ended && !l.endSent && l.err == nil {
			b.f.control(l, beat)
		}
	}
}

// Receive implements stream.Beats.
func (b beats) Receive() {
	b.f.lock()
	defer b.f.mu.Unlock()
	b.f.progress()
}

// Heard implements stream.Beats. Each message is a sign of life.
func (b beats) Heard(rank dimmnet.Rank) uint64 { return b.f.links[rank].heard.Load() }

// Close implements stream.Beats.
func (b beats) Close() {}
