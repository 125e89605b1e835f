package colony

import "fmt"

// Link is a method of sending the 96 bits of a packet.
type Link uint8

// The link variants (docs/lab/papers.md, Computer Colony, Link variants).
const (
	Burst Link = iota // 96 bits in one burst
	Split             // three parts of 32 bits with gaps between them
	Twice             // as Split, each part sent twice
)

// String returns the name that the thesis gives the variant.
func (l Link) String() string {
	if l > Twice {
		return fmt.Sprintf("link %d", uint8(l))
	}
	return [...]string{Burst: "96", Split: "32", Twice: "twice"}[l]
}

// Clocks of the wire. partClocks: in the thesis seven more words take 56 more. The others are
// assumed; gapClocks and copyClocks yield the thesis's loop times of Split and Twice.
const (
	partClocks   = 8  // to send 32 bits
	gapClocks    = 5  // between parts, if parts are sent separately
	copyClocks   = 1  // to load the second copy of a part
	aheadClocks  = 1  // Split: an answer's first part leaves before its parity is known
	ignoreClocks = 10 // T: a copy that arrives within T after its part is ignored
	shortClocks  = 2  // from the time the last part was due until an incomplete packet is dropped
)

func (l Link) copies() int {
	if l == Twice {
		return 2
	}
	return 1
}

// ends returns the clocks, from a packet's start, at which its parts' copies arrive, in order.
func (l Link) ends() []int {
	var ends []int
	at := 0
	for part := range parts {
		if part > 0 && l != Burst {
			at += gapClocks
		}
		for c := range l.copies() {
			if c > 0 {
				at += copyClocks
			}
			at += partClocks
			ends = append(ends, at)
		}
	}
	return ends
}

// clocks returns how long a packet occupies the wire.
func (l Link) clocks() int {
	ends := l.ends()
	return ends[len(ends)-1]
}

// arrival simulates the receiver. Bit i of lost means that the i-th copy sent is lost. The
// receiver counts parts and ignores copies that arrive within T after a part. whole reports
// whether three parts arrive; clocks is the time of the third.
func (l Link) arrival(lost uint8) (clocks int, whole bool) {
	have, ignoreTo := 0, -1
	for i, end := range l.ends() {
		if lost>>i&1 == 1 || l == Twice && end <= ignoreTo {
			continue
		}
		have++
		if ignoreTo = end + ignoreClocks; have == parts {
			return end, true
		}
	}
	return 0, false
}

// flights returns the arrival time for each set of lost copies; 0 if the packet never arrives.
func (l Link) flights() (table [1 << (2 * parts)]int) {
	for lost := range 1 << (parts * l.copies()) {
		if clocks, whole := l.arrival(uint8(lost)); whole {
			table[lost] = clocks
		}
	}
	return table
}

// lose returns the set of all copies of a part.
func (l Link) lose(part int) uint8 {
	n := l.copies()
	return uint8(1<<n-1) << (part * n)
}

// ahead returns the clocks by which a packet of this kind arrives earlier than a request.
func (l Link) ahead(kind Kind) int {
	if l == Split && kind == KindAnswer {
		return aheadClocks
	}
	return 0
}
