package fagus

import (
	"runtime"

	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/syncvar"
)

// acquireLines says at which lines a rank acquires its variables.
type acquireLines struct {
	of  []sampledLine // by variable
	pcs [][linePCs]uintptr
}

const (
	mostLines  = 4096 // variables whose lines a rank knows
	mostStacks = 64   // different stacks of Acquires
	linePCs    = 24   // frames of each
	mostInSet  = 16   // variables of a set whose lines are recorded
)

// sampledLine says where a rank has acquired a variable.
type sampledLine struct {
	times uint32 // how often the rank has acquired it
	stack uint8  // index in pcs, plus 1; 0 if unknown
}

// acquired records where the rank has acquired the variables of a set. It asks for the stack only
// at the first, second, fourth, eighth time that the rank acquires one of them, and so on.
func (s *acquireLines) acquired(set *SyncSet) {
	shared, exclusive := s.count(set.shared), s.count(set.exclusive)
	if shared || exclusive {
		s.sample(set)
	}
}

// count counts that the rank acquires variables, and reports whether it is time to ask for the
// stack.
func (s *acquireLines) count(ids []syncvar.ID) (due bool) {
	for _, id := range ids[:min(len(ids), mostInSet)] {
		if int(id) >= len(s.of) {
			if id >= mostLines {
				return due
			}
			s.of = append(s.of, make([]sampledLine, int(id)+1-len(s.of))...)
		}
		l := &s.of[id]
		l.times++
		due = due || l.times&(l.times-1) == 0
	}
	return due
}

func (s *acquireLines) sample(set *SyncSet) {
	var pcs [linePCs]uintptr
	runtime.Callers(4, pcs[:])
	at := 0
	for at < len(s.pcs) && s.pcs[at] != pcs {
		at++
	}
	switch {
	case at == mostStacks:
		at = -1 // unknown
	case at == len(s.pcs):
		s.pcs = append(s.pcs, pcs)
	}
	for _, ids := range [...][]syncvar.ID{set.shared, set.exclusive} {
		for _, id := range ids[:min(len(ids), mostInSet)] {
			if id >= mostLines {
				break
			}
			s.of[id].stack = uint8(at + 1)
		}
	}
}

// line returns the line at which the rank has last been seen to acquire a variable, or "".
func (s *acquireLines) line(id syncvar.ID) string {
	if line := source.Line(s.frames(id)); line != source.Unknown {
		return line
	}
	return ""
}

// frames returns the stack where the rank acquires a variable, as far as it is known.
func (s *acquireLines) frames(id syncvar.ID) []runtime.Frame {
	if int(id) >= len(s.of) || s.of[id].stack == 0 {
		return nil
	}
	pcs := s.pcs[s.of[id].stack-1][:]
	for len(pcs) > 0 && pcs[len(pcs)-1] == 0 {
		pcs = pcs[:len(pcs)-1]
	}
	return source.Frames(pcs)
}
