// Package memory is NIC memory that several threads, or processes that map it, write
// at once: for ports of which a post is a copy made by the sender.
//
//	m := make(memory.Words, 128<<10/8)
//	m.Write(100, page)          // bytes 100 and on; neighbours in a word are left alone
//	m.Store(8, 1, 1)            // one byte, at once
//	flag := m.Load(8)
//
// It orders nothing but by its atomic words: who polls for what a Write has copied polls a
// word that a later Store writes. Little-endian machines only.
//
// [Sizes] and [Limits] say how large it is, by default and at most, for ports that allocate it.
package memory
