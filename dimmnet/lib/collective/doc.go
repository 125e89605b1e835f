// Package collective implements a barrier and global reductions over a tree of words in NIC
// memory, on any dimmnet.Port.
//
//	g, err := collective.New(port, base, collective.Config{})
//	err = g.Barrier()
//	sum, err := collective.Reduce(g, x, collective.Sum)
//
// These are the barrier and the global sum that the DIMMnet-1 papers measure (docs/lab/papers.md,
// DIMMnet-1, Barrier and global sum by AOTF). Package apps/reproduce compares them with the
// papers' figures. The package is a library for programs that use a Port directly. Fagus
// programs do not use it: package phase moves pages, and synchronizes through its own slots.
//
// # The tree
//
// Write the ranks in base 8. The parent of a rank is that rank with its lowest nonzero digit
// cleared. The position of that digit is the level on which the rank is a child. A parent and its
// children on a level are a group of at most 8 members, because a word has 8 bytes, one for each
// member. For 20 nodes, with ranks in octal:
//
//	00 ─┬─ 01 02 03 04 05 06 07        level 0: groups of consecutive ranks
//	    ├─ 10 ─── 11 12 13 14 15 16 17
//	    └─ 20 ─── 21 22 23             level 1: 00, 10 and 20, the parents of level 0
//
// So N nodes need ceil(log8 N) levels, and rank 0 is the parent on all of them.
//
// # The area
//
// A group uses Bytes(N) bytes of every rank's LLCM, from the same base on. All of them must be
// zero before any rank calls New, and they belong to the group until the end of the run. Level l
// has 392 bytes, with an entry for each member of a group. The child with digit d on the level
// writes to entry d at its parent, and the parent to entry 0 at its children.
//
//	base + 392 l  +0    counts   8 x 1 byte   byte d: barrier count of member d
//	              +8    flagged  8 x 8        value, count (32 bits each)
//	              +72   halved   8 x 24       two alternating slots; spare
//	              +264  bare     8 x 16       two alternating slots
//
// A rank is a child on one level only, and a parent on the levels below. Therefore entry 0 has
// the same offset at all children of a group, and one Multicast reaches them.
//
// # Barrier
//
// Child d stores the count of the barrier, modulo 256, in byte d at its parent. The parent polls
// the word by one Load until all its children show the count, level by level from the lowest.
// Then it does the same as a child, unless it is rank 0. A child polls byte 0 of its own word by
// a Read of 1 byte. A released rank releases its children, from the highest level down, because
// most ranks are below that level. A level with several children takes one Multicast if the
// port's limit allows it, and otherwise a Store to each child.
//
// # Reductions
//
// Values go up the tree and the result comes down. The format of a value depends on its type:
//
//	flagged  4 bytes            one Store of value and count; polled by one Load
//	halved   8-byte integers    one Store without a count; half of the word is
//	                            polled, then the whole is read
//	bare     float64            one Store without a count
//
// A bare or halved slot is empty before its value lands. One NaN, 0x7ff8464147555332, marks an
// empty slot. Values are XORed with it on the wire, so that the zero of a fresh LLCM is this
// NaN. If Reduce is given this NaN, or its function returns it, it becomes the NaN
// 0x7ff8000000000001.
//
// A 64-bit integer has no unused encoding. It is XORed too. The low half on the wire is then 0 or
// 1 for 2 of 2^32 values. In this case the integer goes to the spare word, and the slot gets 1. So
// the low half shows whether a value has arrived. A 32-bit CPU polls it by ordinary reads and
// needs MMX, which reads 8 bytes at once, only to read the value. In the papers, too, only the
// 64-bit sum takes longer than a barrier. Two Stores, of the value and of a count, would be
// simpler, but where packets are padded the second lands 256 ns after the first.
//
// The receiver empties a slot by a Store of 0 to itself, which is not ordered with its peer's next
// Store. Every entry therefore has two slots, used alternately. The Store is posted when nothing
// is more urgent. In the next call, while the rank waits for the other slot, it checks that this
// one is empty. Only then does it send the message after which the peer fills the slot again.
//
// # The order of combination
//
// Consecutive ranks are combined by eights, from the left: r0 = op(...op(op(v0, v1), v2)...,
// v7), r1 is made of v8 to v15, and so on. Then r0, r1, ... are combined in the same way, until
// one value is left. The order depends only on N, and rank 0 computes the result, so all ranks
// get the same bits in every run. op need not be commutative. It should be associative, as
// floating point addition nearly is; otherwise the result depends on N.
//
// # Obligations of the ranks
//
// All ranks must make the same calls in the same order, with the same type, op and base. If one
// rank reduces while another is in a barrier, or if their formats differ, they wait for each
// other until the port fails, or get an error that reports a wrong count. Types of the same
// format, such as int32 and float32, and different functions are not detected: the result is
// then meaningless. The first error is final.
package collective
