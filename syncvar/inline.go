package syncvar

import "fmt"

// An inline request is an acquire list in one word, which a port can store at once. A list fits if
// it wants at most one variable, names at most one clean or attached one, and its rank has
// declared nothing since the previous phase. A variable that it awaits is encoded as one that it
// wants, with the access awaits. The Word of a Reduce is not part of the request, nor
// are the contents of an attached variable: they go beside it, and land before it.
//
//	tag 12 | follows 1 | call 3 | access 2 | clean 1 | fenced 1 | age 7 | attached 1 | wanted 18 |
//	clean or attached 18
//
// The low bits come first. The tag distinguishes the request of a phase from the request of two
// phases before, which used the same memory, and from memory that was never written. The follows
// bit says that the list does not fit and comes in another message.
const (
	tagBits    = 12
	followsBit = 1 << tagBits
	callAt     = tagBits + 1
	callBits   = 3
	accessAt   = callAt + callBits
	cleanBit   = 1 << (accessAt + 2)
	fencedAt   = accessAt + 3
	ageAt      = fencedAt + 1
	ageBits    = 7
	attachBit  = 1 << (ageAt + ageBits)
	idAt       = ageAt + ageBits + 1
	idBits     = 18
	cleanAt    = idAt + idBits
)

// awaits is the access in the request of a rank that awaits a change.
const awaits = 3

// tag returns the tag of a phase, which is never 0.
func tag(phase uint64) uint64 { return phase%(1<<tagBits-1) + 1 }

// InlineIsOf reports whether w is the inline request of a phase.
func InlineIsOf(w, phase uint64) bool { return w&(1<<tagBits-1) == tag(phase) }

// Inline encodes l as an inline request. If l does not fit, the request says that the list
// follows. settled says that the rank has declared nothing since the previous phase, or there was
// none.
func (l *List) Inline(settled bool) (w uint64, fits bool) {
	w = tag(l.Phase)
	wanted, named, age := len(l.Shared)+len(l.Exclusive)+len(l.Awaits), len(l.Clean)+len(l.Attached), l.Phase-l.Since
	if !settled || wanted > 1 || named > 1 || age >= 1<<ageBits {
		return w | followsBit, false
	}
	var want, name ID
	bits := uint64(l.Call-Acquire)<<callAt | age<<ageAt
	if l.Fenced {
		bits |= 1 << fencedAt
	}
	switch {
	case len(l.Shared) > 0:
		want = l.Shared[0]
		bits |= uint64(Shared) << accessAt
	case len(l.Exclusive) > 0:
		want = l.Exclusive[0]
		bits |= uint64(Exclusive) << accessAt
	case len(l.Awaits) > 0:
		want = l.Awaits[0]
		bits |= awaits << accessAt
	}
	switch {
	case len(l.Clean) > 0:
		name = l.Clean[0]
		bits |= cleanBit
	case len(l.Attached) > 0:
		name = l.Attached[0]
		bits |= attachBit
	}
	if max(want, name) >= 1<<idBits {
		return w | followsBit, false
	}
	return w | bits | uint64(want)<<idAt | uint64(name)<<cleanAt, true
}

// InlineMeeting returns the inline request of a rank that has waited for all ranks in a call since
// this phase, and reports nothing.
func InlineMeeting(call Call, phase uint64) uint64 {
	return tag(phase) | uint64(call-Acquire)<<callAt
}

// InlineFollows reports whether the inline request w of a phase says that the list follows.
func InlineFollows(w, phase uint64) (bool, error) {
	if w&followsBit == 0 {
		return false, nil
	}
	if w != tag(phase)|followsBit {
		return true, fmt.Errorf("syncvar: inline request %#x says that the list follows, and has other bits set", w)
	}
	return true, nil
}

// InlineTakes checks the inline request w of a rank that has made so many declarations. ok reports
// whether w is valid and says that the rank acquires since this phase, and reports no clean
// variable. access and id are what the rank wants; access is 0 if it wants nothing. waits says that
// it awaits a change.
func InlineTakes(w uint64, declared uint32) (access Access, id ID, waits, ok bool) {
	const other = followsBit | (1<<callBits-1)<<callAt | cleanBit | 1<<fencedAt | (1<<ageBits-1)<<ageAt
	access, id = Access(w>>accessAt&3), ID(w>>idAt&(1<<idBits-1))
	wants := access == 0 && id == 0 || access > 0 && uint32(id) < declared
	attaches := w>>cleanAt == 0 && w&attachBit == 0 || w&attachBit != 0 && uint32(w>>cleanAt) < declared
	if access == awaits {
		access, id, waits = 0, 0, true
	}
	return access, id, waits, w&other == 0 && wants && attaches
}

// InlineAttached returns the variable whose contents are attached to an inline request, if one is.
func InlineAttached(w uint64) (id ID, ok bool) {
	return ID(w >> cleanAt), w&(followsBit|attachBit) == attachBit
}

// InlineIDs holds the IDs of a list that DecodeInline returned.
type InlineIDs struct{ wanted, clean [1]ID }

// DecodeInline decodes the inline request of a phase from the wire to l. follows reports that the
// list comes in another message. l holds the list that the rank sent in the phase before; first
// says that there was none. The sets of l use the memory of ids, and change when ids is used
// again. l.Word is 0. The list is within the limits that DecodeList enforces. l is undefined after
// an error, and unchanged if the list follows.
func (l *List) DecodeInline(w, phase uint64, first bool, ids *InlineIDs) (follows bool, err error) {
	if !InlineIsOf(w, phase) {
		return false, fmt.Errorf("syncvar: inline request %#x is not of phase %d", w, phase)
	}
	if follows, err := InlineFollows(w, phase); follows {
		return true, err
	}
	if first {
		return false, fmt.Errorf("syncvar: inline request %#x of a rank that has sent no list before", w)
	}
	age, call := w>>ageAt&(1<<ageBits-1), Acquire+Call(w>>callAt&(1<<callBits-1))
	switch {
	case call >= lastCall:
		return false, fmt.Errorf("syncvar: inline request %#x: unknown call %d", w, call)
	case age > phase:
		return false, fmt.Errorf("syncvar: inline request %#x: the call began %d phases ago, in phase %d", w, age, phase)
	}
	l.Meet(call, phase, 0)
	l.Since, l.Fenced = phase-age, w>>fencedAt&1 != 0
	ids.wanted[0], ids.clean[0] = ID(w>>idAt&(1<<idBits-1)), ID(w>>cleanAt)
	switch Access(w >> accessAt & 3) {
	case 0:
		if ids.wanted[0] != 0 {
			return false, fmt.Errorf("syncvar: inline request %#x wants variable %d without an access", w, ids.wanted[0])
		}
	case Shared:
		l.Shared = ids.wanted[:]
	case Exclusive:
		l.Exclusive = ids.wanted[:]
	case awaits:
		l.Awaits = ids.wanted[:]
	}
	switch w & (cleanBit | attachBit) {
	case cleanBit:
		l.Clean = ids.clean[:]
	case attachBit:
		l.Attached = ids.clean[:]
	case 0:
		if ids.clean[0] != 0 {
			return false, fmt.Errorf("syncvar: inline request %#x names variable %d without the clean bit", w, ids.clean[0])
		}
	default:
		return false, fmt.Errorf("syncvar: inline request %#x says that variable %d is both clean and attached", w, ids.clean[0])
	}
	return false, l.check()
}
