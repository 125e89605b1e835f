package pairs

import "github.com/fagus-dsm/fagus/dimmnet"

// Area holds the words through which ranks exchange inline requests: an acquire list that fits 8
// bytes goes as one Store instead of a message through the ring. On a real port this makes a
// barrier three times as fast. The papers' protocol has no such words.
//
// Every rank's LLCM has two lines of words for each peer, which that peer writes. The first is for
// even phases and the second for odd ones, so a peer never writes the line that the rank polls for
// an earlier phase:
//
//	word 0      the request
//	word 1      the value that the peer contributes to a Reduce
//	word 2, 3   of the first line: front and back word of a cooperative copy (movement.CoopWords)
//	bytes 32 on the contents of the variable that the request names as attached (attach.go)
//
// In a run of two ranks there may be two blocks before the lines, for longer contents.
//
// Two request words are enough. A rank R that stores its request for phase p has finished phase
// p-1, so R has read the requests of all peers for p-1. Before a peer sent its request for p-1, it
// finished p-2, and so it read R's request for p-2. R's new request overwrites only that word.
//
// The value of a Reduce is stored before the request of the same phase. The request lands last, so
// its landing proves that the value has landed.
type Area struct {
	base  dimmnet.Offset
	peers int
	block int // the size of a block; 0: there are none
}

// MaxNodes is the largest number of nodes that send inline requests.
const MaxNodes = 64

// inlineLine is the size of a line. It keeps words of different writers and of different phases on
// different cache lines. A peer has inlineLines of them.
const (
	inlineLine  = 128
	inlineLines = 2
)

// The area may take one part in inlineShare of the LLCM. Two blocks take one part in blockShare,
// if that makes them large enough to be worth it. A block has at most mostAttached bytes: so many
// are sent in vain whenever the peer stops wanting a variable.
const (
	inlineShare   = 4
	blockShare    = 8
	leastAttached = 4 * inlineLine
	mostAttached  = 8 << 10
)

// NewArea places the area at the top of the LLCM, and reduces limits.LLCM by its size. If
// the area would be too large, ok is false.
func NewArea(limits *dimmnet.Limits, nodes int) (a Area, ok bool) {
	bytes := (nodes - 1) * inlineLines * inlineLine
	if nodes < 2 || nodes > MaxNodes || bytes > limits.LLCM/inlineShare {
		return a, false
	}
	base := (limits.LLCM - bytes) &^ (inlineLine - 1)
	limits.LLCM = base
	return Area{base: dimmnet.Offset(base), peers: nodes - 1}, true
}

// AddBlocks places the blocks below the lines of an area of two ranks, and reduces limits.LLCM.
func (a *Area) AddBlocks(limits *dimmnet.Limits) {
	block := min(mostAttached, limits.LLCM/blockShare/inlineLines&^(inlineLine-1))
	if a.peers != 1 || block < leastAttached {
		return
	}
	a.block = block
	limits.LLCM = int(a.base) - inlineLines*block
}

// attachable returns the size of the largest contents that can go with a request.
func (a *Area) attachable() int { return max(attachBytes, a.block) }

// word returns the offset, in owner's LLCM, of word i of one of the lines that peer writes.
func (a *Area) word(owner, peer dimmnet.Rank, line, i uint64) dimmnet.Offset {
	at := uint64(peer)
	if peer > owner {
		at--
	}
	return a.base + dimmnet.Offset((at*inlineLines+line)*inlineLine+i*dimmnet.WordBytes)
}

func (a *Area) request(owner, peer dimmnet.Rank, phase uint64) dimmnet.Offset {
	return a.word(owner, peer, phase%2, 0)
}
func (a *Area) value(owner, peer dimmnet.Rank, phase uint64) dimmnet.Offset {
	return a.word(owner, peer, phase%2, 1)
}

// attached returns the offset of attached contents of n bytes.
func (a *Area) attached(owner, peer dimmnet.Rank, phase uint64, n int) dimmnet.Offset {
	if n > attachBytes {
		return a.base - dimmnet.Offset(inlineLines-phase%2)*dimmnet.Offset(a.block)
	}
	return a.word(owner, peer, phase%2, attachWord)
}

// Front returns the offset of a front word; see movement.CoopWords.
func (a *Area) Front(owner, peer dimmnet.Rank) dimmnet.Offset { return a.word(owner, peer, 0, 2) }

// Back returns the offset of a back word; see movement.CoopWords.
func (a *Area) Back(owner, peer dimmnet.Rank) dimmnet.Offset { return a.word(owner, peer, 0, 3) }
