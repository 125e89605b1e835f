package csession

// quota limits the memory that the other end of a connection can make this process allocate.
type quota struct {
	bytes int64 // total size of the arrays
	items int64 // number of arrays, variables, spans, sets, members of sets, and declared writes
}

// defaultQuota returns a quota larger than simulated programs need.
func defaultQuota() quota { return quota{bytes: 64 << 30, items: 64 << 20} }

// cost returns the quota that a successful call uses. A negative cost gives quota back.
func (s *server) cost(q *request) quota {
	name := int64(len(q.Name)) / 64
	switch q.Verb {
	case verbAlloc:
		return quota{max(0, q.Numbers[0]), 1 + name}
	case verbBind, verbWrote:
		return quota{0, 1 + name + int64(len(q.Spans))}
	case verbNewSet, verbAdd, verbAddUnordered:
		return quota{0, 1}
	case verbClear:
		if n := int(q.Numbers[0]); n >= 0 && n < len(s.accesses) {
			return quota{0, -int64(len(s.accesses[n]))}
		}
	case verbRelease:
		return quota{0, -s.declared}
	}
	return quota{}
}

func (s *server) charge(q *request, c quota) {
	s.quota.bytes, s.quota.items = s.quota.bytes-c.bytes, s.quota.items-c.items
	switch q.Verb {
	case verbWrote:
		s.declared += c.items
	case verbRelease:
		s.declared = 0
	}
}

func (s *server) checkQuota(c quota) error {
	if c.bytes > s.quota.bytes || c.items > s.quota.items {
		return fail(Memory, "the simulator's quota for rank %[3]d has %[1]d bytes and %[2]d objects left: the call needs %[4]d and %[5]d",
			s.quota.bytes, s.quota.items, s.Rank(), c.bytes, c.items)
	}
	return nil
}
