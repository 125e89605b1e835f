// Package collective is a barrier and global reductions over a tree of words in
// NIC memory, on any dimmnet.Port.
//
//	g, err := collective.New(port, base, collective.Config{})
//	err = g.Barrier()
//	sum, err := collective.Reduce(g, x, collective.Sum)
//
// It moves no pages and knows nothing of sync variables; package phase does.
//
// # The tree
//
// Write the ranks in base 8. The parent of a rank is that rank with its lowest
// digit other than 0 cleared; the position of that digit is the level on which
// the rank is a child. A parent is called home, and has at most 7 children on a
// level, since a word has 8 bytes and one of them is its own. For 20 nodes,
// ranks in octal:
//
//	00 ─┬─ 01 02 03 04 05 06 07        level 0: the other seven of its eight
//	    ├─ 10 ─── 11 12 13 14 15 16 17
//	    └─ 20 ─── 21 22 23             level 1: 10 and 20, each home of its own
//
// So N nodes need ceil(log8 N) levels, and rank 0 is home on all of them.
//
// # The area
//
// Every rank gives Bytes(N) bytes of its LLCM to a group, at the same base, and
// all of them are zero before New is called anywhere: they belong to this group
// from the start of the run to its end. Level l has 392 of them. A home and its
// children on a level are the members of one group of 8. The child whose digit
// there is d writes to place d at the home, the home to place 0 at its children.
//
//	base + 392 l  +0    counts   8 x 1 byte   byte d: barrier count of member d
//	              +8    flagged  8 x 8        value, count (32 bits each)
//	              +72   halved   8 x 24       two slots taken in turn; spare
//	              +264  bare     8 x 16       two slots taken in turn
//
// A rank is a child on one level only, and home on those below it. So place 0 of
// that level, where its home writes, has the same offset at all children of that
// home, and one Multicast reaches them.
//
// # Barrier
//
// Child d stores the count of this barrier, mod 256, to byte d at its home. The
// home polls the word with one Load until all its children show the count, level
// by level from the lowest. Then it is a child itself, or rank 0. A child polls
// byte 0 of its own word with a Read of 1 byte. Who has been released releases
// its children, from its highest level down, since most ranks are below that
// one: by one Multicast for a level with more than one child if the port's limit
// allows it, else by a Store to each.
//
// # Reductions
//
// Values go up and the result comes down along the same tree. How a value
// travels depends on its type:
//
//	flagged  4 bytes            one Store of value and count; polled by one Load
//	halved   8-byte integers    one Store without a count; half of the word is
//	                            polled, then the whole read. In spec/10 the 64-bit
//	                            sum alone takes longer than a barrier
//	bare     float64            one Store without a count
//
// A float64 fills the word, but NaNs have encodings to spare: one of them,
// 0x7ff8464147555332, means that a slot is empty. On the wire a value is XORed
// with it, so that the zero of a fresh LLCM is that. A NaN of just these bits
// given to Reduce or returned by its function becomes the NaN
// 0x7ff8000000000001.
//
// A 64-bit integer has no encoding to spare. It is XORed alike, and if the low
// half on the wire then is 0 or 1, which is so for 2 of 2^32 values, it goes to
// the spare word and a 1 to the slot behind it. So the low half alone tells
// whether a value has come: a 32-bit CPU polls it by ordinary reads, and keeps
// MMX, which it needs for 8 bytes at once, for the one read that takes the value.
// Two Stores, of the value and of a count, would be simpler, but where packets
// are padded the second lands 256 ns behind the first.
//
// The receiver empties a slot by a Store of 0 to itself, and that is not ordered
// with what its peer stores next. So every place has two slots, taken in turn.
// The Store is posted as soon as there is nothing more urgent, and in the next
// call, while the rank waits for the other slot, it sees that this one reads
// empty. Only then does it send what lets the peer fill it again.
//
// # The order of combination
//
// Consecutive ranks are combined by eights, from the left: r0 = op(...op(op(v0,
// v1), v2)..., v7), r1 of v8 to v15, and so on; then r0, r1, ... in the same
// way, until one is left. The order depends on nothing but N, and rank 0
// computes the result once for all. So all ranks get the same bits, and get
// them in every run. op need not be commutative. It should be associative, as
// floating point addition nearly is: else the result depends on N.
//
// # What all must do alike
//
// All ranks make the same calls in the same order, with the same type and op,
// and use the same base. Where one reduces and another is in a barrier, or their
// types travel differently, they wait for each other until the port fails, or get an
// error: a count that is neither this call's nor the last one's. Types that travel
// alike, such as int32 and float32, and different functions are not noticed: the
// result is then meaningless. The first error stays.
package collective
