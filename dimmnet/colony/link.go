package colony

import "fmt"

// Link is a way to send the 96 bits of a packet.
type Link uint8

// The variants of spec/50.
const (
	Burst Link = iota // 96 bits at once
	Split             // three parts of 32 bits with gaps
	Twice             // as Split, each part twice
)

// Links are all variants.
func Links() []Link { return []Link{Burst, Split, Twice} }

// String is the variant as spec/50 names it.
func (l Link) String() string {
	switch l {
	case Burst:
		return "96"
	case Split:
		return "32"
	case Twice:
		return "twice"
	}
	return fmt.Sprintf("link %d", uint8(l))
}

// Clocks of the wire. partClocks is spec/50's: seven words more make 56 clocks more.
// The others are assumed; two of them are what makes the loops of Split and Twice.
const (
	partClocks   = 8  // 32 bits
	gapClocks    = 5  // between parts, where parts are told apart
	copyClocks   = 1  // to load the copy of a part
	aheadClocks  = 1  // an answer's first part leaves while its parity is made (Split)
	ignoreClocks = 10 // T: after a part, the next within T is its copy
	shortClocks  = 2  // after the last part was due, what is incomplete is dropped
)

// copies is how often each part is sent.
func (l Link) copies() int {
	if l == Twice {
		return 2
	}
	return 1
}

// ends are the clocks, from the start of a packet, at which each copy of each part
// has come, in the order sent.
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

// clocks is how long a packet occupies the wire.
func (l Link) clocks() int {
	ends := l.ends()
	return ends[len(ends)-1]
}

// arrival plays the receiver: bit i of lost says that what was sent as number i is
// lost. It counts parts, and ignores what follows a part within T. whole is whether
// it has three, and clocks when it had them.
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

// flights are the arrivals for each set of lost parts; 0 for those that never come.
func (l Link) flights() (table [1 << (2 * parts)]int) {
	for lost := range 1 << (parts * l.copies()) {
		if clocks, whole := l.arrival(uint8(lost)); whole {
			table[lost] = clocks
		}
	}
	return table
}

// lose is the set of what is sent of a part: all its copies.
func (l Link) lose(part int) uint8 {
	n := l.copies()
	return uint8(1<<n-1) << (part * n)
}

// ahead is how much earlier than a request an answer comes.
func (l Link) ahead(kind Kind) int {
	if l == Split && kind == KindAnswer {
		return aheadClocks
	}
	return 0
}
