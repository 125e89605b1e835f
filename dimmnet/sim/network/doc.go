// Package network is what lies between the hosts of a simulated run: DIMMnet-1 NICs with their
// memory, links and switches, and the Ethernet. It knows no threads and charges no CPU: package
// host does that, and asks which node an event concerns. Nor does it know which kick pages and
// windows a Port uses: the ports do. So a network also works without hosts:
//
//	var line event.Timeline
//	w := network.New(network.Config{Preset: &preset, Nodes: 2}, &line, event.NewTrace(2, 0, nil))
//	a, b := w.Open(0), w.Open(1)
//	a.Post(&network.Store{To: 1, Off: 8, Word: 7, Size: 8, Written: now, Hit: true})
//	for line.Len() > 0 {
//		w.Handle(line.Pop())
//	}
//	fmt.Println(b.Load(8))
//
// # The NIC
//
// Every node has a Martini chip. Package martini holds its decisions; this package takes their
// time.
//
//	Post       kick page -> transaction FIFO -> HTLB -> send stages -> link
//	Write      one of 64 windows -> send stages -> link
//	Push/Pull  request in a window -> engine: packets of 2 KB, ACK -> link
//	link       -> fabric of switches, or the peer -> receiver: TLB, gap -> LLCM or bank
//
// A packet passes the send stages, links, switches and receive stages of the preset. An HTLB miss,
// or a packet with an unknown command, interrupts the core PU, which serves one interrupt after
// the other; stores behind a miss wait. The receiver checks blocks and RDMA packets against its
// registered regions. It drops a packet that it refuses, counts it (Chips) and lists it (Refused).
//
// Networks of three or more nodes, and of two if Preset.Direct is false, are a fat tree of the
// preset's switches (fabric.go). Each output port passes one packet at a time. A multicast
// leaves by each port once.
//
// # The Ethernet
//
// It carries notices and, on a UDP network, datagrams, which it may lose, repeat or hold back. Each
// host has a cable to one switch. A frame that has arrived is an event of kind Frame, which the
// host handles: its protocol stack takes CPU time.
//
// # What threads may rely on
//
// A node knows when the packets that are on their way to it can land, and a packet that has not
// left yet needs at least the flight over one link. So Settled says whether what a thread sees in
// memory can still change up to its clock, and the thread need not wait for other nodes.
package network
