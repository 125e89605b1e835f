package target

// room is what a process may have at the other end: it is not this one, and may ask for anything.
type room struct {
	bytes  int64 // of arrays
	things int64 // arrays, variables, spans, sets, what is in these, what was told
}

// plenty is more than a simulated program uses.
func plenty() room { return room{bytes: 64 << 30, things: 64 << 20} }

// cost is what a call takes of the room if it succeeds, or gives back.
func (s *server) cost(q *question) room {
	name := int64(len(q.Name)) / 64
	switch q.Verb {
	case verbAlloc:
		return room{max(0, q.Numbers[0]), 1 + name}
	case verbBind, verbWrote:
		return room{0, 1 + name + int64(len(q.Spans))}
	case verbNewSet, verbAsk:
		return room{0, 1}
	case verbClear:
		if n := int(q.Numbers[0]); n >= 0 && n < len(s.modes) {
			return room{0, -int64(len(s.modes[n]))}
		}
	case verbRelease:
		return room{0, -s.told}
	}
	return room{}
}

// pay takes the cost of a call that has succeeded.
func (s *server) pay(q *question, c room) {
	s.room.bytes, s.room.things = s.room.bytes-c.bytes, s.room.things-c.things
	switch q.Verb {
	case verbWrote:
		s.told += c.things
	case verbRelease:
		s.told = 0
	}
}

// afford refuses a call that there is no room for.
func (s *server) afford(c room) error {
	if c.bytes > s.room.bytes || c.things > s.room.things {
		return fail(Memory, "the simulator has room for %d more bytes and %d more things of rank %d, which wants %d and %d",
			s.room.bytes, s.room.things, s.Rank(), c.bytes, c.things)
	}
	return nil
}
