// Package martini holds the parts of the Martini chip that decide something:
// how a header is completed, what the two look-aside buffers remember, and what
// a receiver refuses. They have no clock; package sim charges their time.
//
//	page, err := nic.Map(user, martini.Seed{...})  // the driver, once
//	seed, hit := nic.Seed(page)                    // a store to a kick page
//	header, err := seed.Complete(0x123, 4)         // the hardware
//	at, hit, refusal := peer.Admit(&header)        // the receiver
//
// # Protection
//
// A header seed lies where user code cannot reach. The driver writes it, and
// stamps the process group and the process of the user into it; a store to the
// kick page can choose only the low 12 bits of the remote address. The header of
// a block (BOTF) or of an RDMA request is written by the user, so the hardware
// stamps those two fields, and the receiver checks all of it against its table of
// registered regions. Only a seed may carry a physical address, which the
// receiver does not check: the driver has.
//
// # Limits
//
// Sizes are those of spec/10 where it prints them. It does not say how large the
// receiver's TLB is (here: as large as the HTLB), how ways are replaced (here:
// least recently used), nor the layout of the 32 bytes of a seed (here: Seed).
package martini
