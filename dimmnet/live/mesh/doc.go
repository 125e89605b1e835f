// Package mesh connects the ranks of a job: all to each other, or some at the start and others on
// demand (Rendezvous.Connect). It is the common part of the networks between hosts (tcp, quic): the
// configuration, the exchange of endpoint descriptions, and the rendezvous, in which the higher of
// two ranks dials the lower. Over ofi libfabric connects the ranks, and only Config, Form and
// Network are used.
//
//	own := mesh.NewEndpoint(&cfg, sums, addresses)
//	peers, err := own.Exchange(ctx, "tcp", member) // the endpoints of all ranks, and the key
//
//	r := mesh.NewRendezvous("tcp", rank, conns, methods)
//	r.Accept(ctx)                                  // admits higher ranks, in goroutines
//	err = r.Dial(ctx, peers.Endpoints)             // connects to lower ranks, in order
//	err = r.Wait(ctx)                              // waits for all higher ranks
//	r.Close()
//
// The network chooses the type of its connections. A connection counts only after the network's
// handshake, which proves that the peer belongs to the run. Connections that are still in their
// handshake are pending. Their number and their time are bounded, so that programs that connect by
// accident or on purpose cannot keep a rank from starting.
package mesh
