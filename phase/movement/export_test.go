package movement

import "github.com/fagus-dsm/fagus/dimmnet"

// CoopBytes is the size of the smallest cooperative copy.
const CoopBytes = coopBytes

// LastCoop returns a pointer to the number of the last cooperative copy to the first peer.
func (m *Mover) LastCoop() *uint32 { return &m.out[0].data.(*fetchSender).last }

// StoreOld stores, in all words of its rank, a grant and a notice of a message of a phase.
func (b *Push) StoreOld(phase uint64, message int) {
	m, tag := b.mover, tag(phase, message)
	n := notice{bytes: 1000, ends: true, last: message == 2}
	for i := range b.Config.Words.count {
		m.Port.Store(m.Rank, b.Config.Words.grant(i), grant{offset: b.memory.lo + 64}.encode(tag), dimmnet.WordBytes)
		m.Port.Store(m.Rank, b.Config.Words.notice(i), n.encode(tag), dimmnet.WordBytes)
	}
}
