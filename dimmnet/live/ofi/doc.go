// Package ofi is a dimmnet.Network over libfabric, the interface to the NICs of clusters, such as
// Slingshot, InfiniBand, Omni-Path and EFA, and to TCP. It is in programs that are built with cgo
// and -tags ofi, on Linux; in others, Supported returns an error.
//
//	network := ofi.New(ofi.Config{})                 // all ranks in this process
//	network := ofi.Join(ofi.Config{}, member)        // this process is one rank
//	err := network.Run(ctx, 4, func(h dimmnet.Host) error { ... })
//
// A joined network runs only the body of its own rank. It encrypts nothing, and authenticates
// nobody beyond the run's token: docs/guide/security.md says where that is enough. It is not a way
// to use a provider's own remote stores for dimmnet.Port.Store.
//
// # Joining
//
// Each rank opens one endpoint (FI_EP_RDM). dimmnet.Member passes its address to all ranks, with
// the places of its NIC memory and a share of a token that is new in every run. Providers drop
// messages from unknown endpoints, so a second Gather follows: no rank sends before all know all.
// All ranks must use one provider. Config.Place chooses among the NICs near the rank's processors,
// which /sys lists.
//
// # Messages and memory
//
// A rank's frames (package stream) to a peer go as messages of up to 16 KiB. Each has a header of
// 16 bytes: the token, the rank, the kind of the message, and credits. A rank sends no more
// messages than the peer has returned credits for, so that the peer always has a receive buffer. A
// large piece is offered: the message says where it is, and the receiver reads it (fi_read)
// straight to its place and then reports that. Messages keep their order (FI_ORDER_SAS).
//
//	sender                          receiver
//	register, offer ──────────────> read ──┐
//	                  <─────────────── fi_read
//	withdraw        <────────────── taken ─┘
//
// Pushes and Pulls of whole words above a page are RMA between the NIC memories, where the
// provider can; the provider reports when they are complete.
//
// Stores are messages. Over a byte stream, a provider may show half of a word that it writes. And
// none of the software providers orders RMA after messages at the memory that the peer polls.
//
// # Waiting
//
// The thread that waits reads the completion queue, which also makes the provider work: most
// providers have no thread of their own (FI_PROGRESS_MANUAL). One lock guards the endpoint. A
// thread that sleeps reads the queue at intervals that grow from 20 us to 4 ms, because few
// providers offer a descriptor to sleep on.
//
// # Failure
//
// A peer is gone when the provider reports an error for it, or when it has shown no sign of life
// for Config.Mesh.Stall: each message is a sign of life, and joined ranks send beats. Providers
// without connections notice nothing by themselves. An error that belongs to no peer fails the run
// after twice that time, in which peers may report what happened to them. A rank closes its
// endpoint when its peers have sent their ends, or after a second. A call that does not return (a
// process may die with a lock of provider shm) ends the process.
//
// # Limits
//
// A peer costs up to 34 receive buffers of 16 KiB: 544 KiB. From 128 peers on it costs less, down
// to 6 buffers from 1024 on: about 64 MiB, and then 96 KiB a peer. A rank sends from 64 buffers, 1
// MiB. The other limits are in package stream. A Push or Pull has at most the larger of LLCM and
// bulk. A process that is killed leaves files of provider shm in /dev/shm.
package ofi
