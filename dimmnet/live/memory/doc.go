// Package memory implements NIC memory that several threads, or several processes that map it,
// write concurrently. It serves networks in which the sender copies the bytes of a post.
//
//	m := make(memory.Words, 128<<10/8)
//	m.Write(100, page)          // does not change other bytes of the first and last word
//	m.Store(8, 1, 1)            // one byte, atomically
//	flag := m.Load(8)
//
// Only atomic accesses order other accesses: a reader that waits for the bytes of a Write polls a
// word that a later Store changes. The package supports little-endian machines only.
//
// A [NIC] is the memory of one node. [Sizes] and [Limits] compute the sizes and limits that all
// networks with allocated memory have in common.
package memory
