// Package martini holds the parts of the Martini chip that make decisions: how a header is
// completed, what the two look-aside buffers hold, and which packets a receiver refuses. They
// have no clock; package sim charges their time.
//
//	page, err := nic.Map(martini.Seed{...})                 // the driver, once
//	seed, hit := nic.Seed(page)                             // a store to a kick page
//	header, err := seed.Complete(0x123, 4)                  // the hardware
//	at, hit, refusal := peer.Admit(&header, memoryBytes)    // the receiver
//
// # Protection
//
// User code cannot write a header seed. The driver writes it, with the process group and the
// process of the user; a store to the kick page chooses only the low 12 bits of the remote
// address. The user writes the header of a block (BOTF) or of an RDMA request. Therefore the
// hardware overwrites those two fields, and the receiver checks the header against its table
// of registered regions. Only a seed may contain a physical address, which the receiver does
// not check: the driver has.
//
// # Limits
//
// Sizes are those that the papers print (docs/lab/papers.md, DIMMnet-1). They do not print the
// size of the receiver's TLB (here: that of the HTLB) and the replacement policy of its ways
// (here: least recently used). The layout of the 32 bytes of a seed is not modelled.
package martini
