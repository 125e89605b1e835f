package porttest

import "github.com/fagus-dsm/fagus/dimmnet"

// page is the size that a port may treat as a unit of bulk memory.
const page = 4096

// memory is a part of the NIC memory: the offsets from lo up to hi.
type memory struct{ lo, hi int }

func (m memory) size() int { return m.hi - m.lo }

func (m memory) halves() (lower, upper memory) {
	middle := m.lo + m.size()/2/word*word
	return memory{m.lo, middle}, memory{middle, m.hi}
}

// around returns n bytes at off with up to margin bytes of m on both sides.
func (m memory) around(off, n int) memory {
	return memory{max(m.lo, off-margin), min(m.hi, off+n+margin)}
}

// margin is how many neighbouring bytes a test checks for unwanted changes.
const margin = 16

func (t *thread) bulk() memory {
	return memory{t.limits.LLCM, t.limits.LLCM + t.limits.Bulk}
}

// memories returns the memories that a Push or Pull can use: the LLCM's data area and bulk memory.
func (t *thread) memories() []memory {
	list := []memory{{int(dataStart), t.limits.LLCM}, t.bulk()}
	if t.limits.Bulk == 0 {
		return list[:1]
	}
	return list
}

// put writes p to this node's memory, on the side of the host, and returns when it has landed.
func (t *thread) put(off dimmnet.Offset, p []byte) error {
	if int(off) < t.limits.LLCM {
		return t.stage(off, p)
	}
	t.Fill(off, p)
	return nil
}

// most is the largest number of bytes that a test fills or moves at once.
const most = 64 << 10
