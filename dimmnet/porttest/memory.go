package porttest

import "github.com/fagus-dsm/fagus/dimmnet"

// page is what a port may treat as one piece of bulk memory.
const page = 4096

// memory is a part of the NIC memory: the offsets from lo up to hi.
type memory struct{ lo, hi int }

func (m memory) size() int { return m.hi - m.lo }

// halves cuts m in two, at a word.
func (m memory) halves() (lower, upper memory) {
	middle := m.lo + m.size()/2/word*word
	return memory{m.lo, middle}, memory{middle, m.hi}
}

// around is up to margin bytes of m on both sides of n bytes at off, and these.
func (m memory) around(off, n int) memory {
	return memory{max(m.lo, off-margin), min(m.hi, off+n+margin)}
}

// margin is how far a test looks for bytes that should not have changed.
const margin = 16

func (t *thread) bulk() memory {
	return memory{t.limits.LLCM, t.limits.LLCM + t.limits.Bulk}
}

// memories lists what a Push or Pull can use: the data of the LLCM, and the bulk
// memory if there is one.
func (t *thread) memories() []memory {
	list := []memory{{int(dataStart), t.limits.LLCM}, t.bulk()}
	if t.limits.Bulk == 0 {
		return list[:1]
	}
	return list
}

// put puts p into the own memory, on the side of the host, and returns when it is
// there.
func (t *thread) put(off dimmnet.Offset, p []byte) error {
	if int(off) < t.limits.LLCM {
		return t.stage(off, p)
	}
	t.Fill(off, p)
	return nil
}

// most bounds the bytes that a test fills or moves at once.
const most = 64 << 10
