// Package dimmnet2 is a network of simulated DIMMnet-2s in virtual time: NICs in DIMM slots, on InfiniBand 4X, whose large memory is reached by commands.
//
//	w, err := dimmnet2.New(sim.Config{}, dimmnet2.Default())
//	err = w.Run(ctx, 2, func(h dimmnet.Host) error { ... })
//
// A program sees it as a dimmnet.Port, so Fagus runs on it; or, by Open, as its papers have it: windows, commands, and words to poll.
//
// # The NIC
//
//	host   -> WW (write window) -> controller -> SO-DIMM (VS), or the link (BOTF)
//	SO-DIMM -> controller -> PW (prefetch window) -> host (VL)
//	SO-DIMM -> controller -> link -> the peer's SO-DIMM or LLCM (RVS; RVL the other way)
//	link   -> controller -> SO-DIMM: the ring of its sender (IVS); its next write address (NWA) -> LLCM
//
// A command is a store to UR. The controller executes one after the other, what the host gives and what packets ask for. Accesses are
// contiguous, strided, or lists, packed or not; each piece pays for a row of the SO-DIMM. When a packet does not fit into the ring of its sender,
// reception from that sender stops until the host has read: a ring is never overwritten, and order is kept.
//
// # The network
//
// The transport layer is in hardware: packets arrive, in order. Two nodes are wired back to back, more are joined by one switch. A link, and the
// controller behind it, take one packet at a time.
//
// # As a Port
//
// Store and Write are BOTFs whose packet is an RVS into the LLCM; Push is RVS, Pull RVL, Fill VS, and Read of bulk memory VL. So what costs one store on DIMMnet-1 costs a packet in a window
// here, and what lay in a bank that the host copies goes through windows.
//
// # What is not here
//
// Errors of the link and InfiniBand's own acknowledgements; several processes a node; protection; caches of the host. Faults of sim.Config stop
// threads, not links. docs/dimmnet2.md has the parameters, and what was measured.
package dimmnet2
