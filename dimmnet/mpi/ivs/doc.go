// Package ivs carries MPI over the rings of DIMMnet-2, as its paper does: control packets and eager data by BOTF with packets of type IVS, what a
// receiver has named by RVS.
//
//	link, err := ivs.New(h)                        // h is a host of a dimmnet2.Network
//	c, err := mpi.Start(h, mpi.Options{Link: link})
//
// # What a message of no bytes takes
//
//	sender    WW is filled with the packet; a BOTF
//	link      IVS: the packet stands in the receiver's ring, its NWA in LLCM
//	receiver  a poll of the NWA; a VL of what stands there, up to 128 bytes: the control packet and what is behind it; a poll of UR; four uncached loads of PW
//
// The NRA is stored when a quarter of the ring has been read.
//
// That is the paper's eager latency at library level. What MPI itself takes is Config.Protocol: nobody can tell from the structure how long a
// Pentium 4 looks at queues.
//
// # Where it bends the contract
//
// Config.Protocol is charged in Steps, by Host.Spend, and a VL is waited for where it is given: its end is less than a microsecond away and depends on nobody else. A message
// for which SO-DIMM has no room ends the run. WW is taken to be free again when the next piece of a rendezvous is stored: a NIC that is busy for long would
// let the host wait.
//
// # Data in ordinary memory
//
// The paper's messages begin and end in SO-DIMM. Here they are Go slices: what is sent is stored through WW (VS) and goes from SO-DIMM to SO-DIMM (RVS); what has
// come is loaded through PW (VL), by uncached loads of 8 bytes, which is slow: 29 MB/s.
package ivs
