package syncvar

import "fmt"

// A list that says little fits a word, which a port stores at once: that of a rank which
// wants one variable or none, has left at most one unchanged, and has declared what it
// had in the phase before. The Word of a Reduce is not in it: that is a second one,
// which is there when this one is.
//
//	tag 12 | more 1 | call 3 | mode 2 | clean 1 | age 9 | wanted ID 18 | clean ID 18
//
// The low bits come first. The tag tells the word of a phase from that of the phase
// before last, which stood in the same place, and from one that was never written. A
// word with more says that the list does not fit, and comes by another way.
const (
	tagBits  = 12
	moreBit  = 1 << tagBits
	callAt   = tagBits + 1
	callBits = 3
	modeAt   = callAt + callBits
	cleanBit = 1 << (modeAt + 2)
	ageAt    = modeAt + 3
	ageBits  = 9
	idAt     = ageAt + ageBits
	idBits   = 18
	cleanAt  = idAt + idBits
)

// tag is never 0.
func tag(phase uint64) uint64 { return phase%(1<<tagBits-1) + 1 }

// WordIsOf says whether a word is that of a phase.
func WordIsOf(w, phase uint64) bool { return w&(1<<tagBits-1) == tag(phase) }

// AsWord is the list in a word, or a word which says that it does not fit. before is what
// the rank has sent in the phase before; nil: nothing.
func (l *List) AsWord(before *List) (w uint64, fits bool) {
	w = tag(l.Phase)
	wanted, age := len(l.Shared)+len(l.Exclusive), l.Phase-l.Since
	if before == nil || before.Declared != l.Declared || wanted > 1 || len(l.Clean) > 1 || age >= 1<<ageBits {
		return w | moreBit, false
	}
	w |= uint64(l.Call-Acquire)<<callAt | age<<ageAt
	for i, ids := range [][]ID{l.Shared, l.Exclusive} {
		for _, id := range ids {
			if id >= 1<<idBits {
				return tag(l.Phase) | moreBit, false
			}
			w |= uint64(Shared+Mode(i))<<modeAt | uint64(id)<<idAt
		}
	}
	for _, id := range l.Clean {
		if id >= 1<<idBits {
			return tag(l.Phase) | moreBit, false
		}
		w |= cleanBit | uint64(id)<<cleanAt
	}
	return w, true
}

// WordRoom holds the IDs of a list that came as a word.
type WordRoom struct{ wanted, clean [1]ID }

// ListOf is the list in a word of a phase from the wire; more says that it comes by
// another way. before is what the rank has sent in the phase before; nil: nothing. The
// list's IDs are in room, until that is used again, and its Word is 0. It has the limits of
// DecodeList.
func ListOf(w, phase uint64, before *List, room *WordRoom) (l List, more bool, err error) {
	switch {
	case !WordIsOf(w, phase):
		return l, false, fmt.Errorf("syncvar: word %#x is not of phase %d", w, phase)
	case w&moreBit != 0:
		if w != tag(phase)|moreBit {
			err = fmt.Errorf("syncvar: word %#x of a list that does not fit", w)
		}
		return l, true, err
	case before == nil:
		return l, false, fmt.Errorf("syncvar: word %#x of a rank that has declared nothing before", w)
	}
	age, call := w>>ageAt&(1<<ageBits-1), Acquire+Call(w>>callAt&(1<<callBits-1))
	switch {
	case call >= lastCall:
		return l, false, fmt.Errorf("syncvar: word %#x of call %d", w, call)
	case age > phase:
		return l, false, fmt.Errorf("syncvar: word %#x of a call that began %d phases ago, in phase %d", w, age, phase)
	}
	l = List{Phase: phase, Call: call, Since: phase - age, Declared: before.Declared, Digest: before.Digest}
	id := ID(w >> idAt & (1<<idBits - 1))
	room.wanted[0], room.clean[0] = id, ID(w>>cleanAt)
	switch Mode(w >> modeAt & 3) {
	case 0:
		if id != 0 {
			return l, false, fmt.Errorf("syncvar: word %#x names a variable in no mode", w)
		}
	case Shared:
		l.Shared = room.wanted[:]
	case Exclusive:
		l.Exclusive = room.wanted[:]
	default:
		return l, false, fmt.Errorf("syncvar: word %#x of mode 3", w)
	}
	if w&cleanBit != 0 {
		l.Clean = room.clean[:]
	} else if room.clean[0] != 0 {
		return l, false, fmt.Errorf("syncvar: word %#x names a clean variable, and says that there is none", w)
	}
	return l, false, l.check()
}
