// Package ivs carries MPI over the rings of DIMMnet-2, as in its paper (docs/lab/papers.md,
// DIMMnet-2 and MPI, MPI on it). Control packets and eager data go by BOTF with packets of type
// IVS, and rendezvous data by RVS to the ranges that the receiver has exposed.
//
//	link, err := ivs.New(h, ivs.Config{})          // h is a host of a dimmnet2.Network
//	c, err := mpi.Start(h, mpi.Options{Link: link})
//
// # The cost of an empty message
//
//	sender    fills WW with the packet; one BOTF
//	network   IVS: the packet is in the receiver's ring, the new NWA in its LLCM
//	receiver  a poll of the NWA; a VL of up to 128 bytes: the control packet and what
//	          follows it; a poll of UR; four uncached loads from PW
//
// The receiver stores the NRA once for a quarter of the ring. This is the paper's eager latency
// at library level. Config.Protocol is the time of MPI itself. It is measured, not derived: the
// model has no cost for a Pentium 4's work on queues.
//
// # Limits
//
// Steps charge Config.Protocol by Host.Spend, and wait for a VL where they issue it, because it
// ends within a microsecond without the help of another rank. A message for which SO-DIMM has no
// free range ends the run. The model assumes that WW is free when the next piece of rendezvous
// data is stored in it. On real hardware, a busy NIC would make the host wait.
//
// # Data in ordinary memory
//
// The paper's messages begin and end in SO-DIMM. Here they are Go slices. Outgoing data is
// stored through WW (VS) and goes from SO-DIMM to SO-DIMM (RVS). Incoming data is loaded through
// PW (VL), by uncached loads of 8 bytes, which is slow: 29 MB/s.
package ivs
