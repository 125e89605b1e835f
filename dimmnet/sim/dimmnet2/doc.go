// Package dimmnet2 simulates a network of DIMMnet-2s in virtual time: NICs in DIMM slots, on
// InfiniBand 4X, whose large memory is accessed by commands (docs/lab/papers.md, DIMMnet-2 and
// MPI).
//
//	w, err := dimmnet2.New(sim.Config{}, dimmnet2.Default())
//	err = w.Run(ctx, 2, func(h dimmnet.Host) error { ... })
//
// A program can use it as a dimmnet.Port, so Fagus runs on it, or use the windows, commands and
// status words of the papers through [Open].
//
// # The NIC
//
//	host   -> WW (write window) -> controller -> SO-DIMM (VS), or the link (BOTF)
//	SO-DIMM -> controller -> PW (prefetch window) -> host (VL)
//	SO-DIMM -> controller -> link -> the peer's SO-DIMM or LLCM (RVS; RVL the other way)
//	link   -> controller -> SO-DIMM: its sender's ring (IVS); next write address (NWA) -> LLCM
//
// A command is a store to UR. The controller executes the host's commands and the operations of
// packets one after the other. An access pattern is contiguous, strided, or a list, packed or
// not; each piece costs a row access of the SO-DIMM. If a packet does not fit into its sender's
// ring, reception from that sender stops until the host has read from the ring. A ring is never
// overwritten, and packets stay in order.
//
// # The network
//
// The transport layer is in hardware: packets arrive, and in order. Two nodes are connected back
// to back, more nodes by one switch. A link and the controller behind it handle one packet at a
// time.
//
// # As a Port
//
// Store and Write are BOTFs whose packet is an RVS into the LLCM. Push is RVS, Pull RVL, Fill
// VS, and Read of bulk memory VL. An access that costs one store on DIMMnet-1 therefore costs a
// packet in a window here, and bulk data that the host copied from a bank goes through windows.
//
// # Limits
//
// The model omits link errors and InfiniBand's own acknowledgements, several processes on a
// node, protection, and the host's caches. Faults of sim.Config stop threads, not links.
// docs/lab/dimmnet2.md lists the parameters and the results.
package dimmnet2
