package movement

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A method moves the data of transfers between this rank and its peers. A run has one of four:
//
//	rings     a slot holds a piece of a variable                             rings.go
//	fetch     a slot holds locations; the receiver reads the sender's memory fetch.go
//	zeroCopy  a slot holds locations; the bytes follow in the stream         zerocopy.go
//	push      RDMA from bulk memory to bulk memory; rings carry the rest     push.go
//
// Most transfers go through the outQueue of one rank and the inQueue of the other. The method
// provides a dataSender and a dataReceiver for these queues. A method may also move transfers past
// the queues: assign takes such transfers, and step moves them.
type method interface {
	// slots returns the kind of the slots that carry transfers, and the most bytes that one
	// cut in such a slot may have.
	slots() (kind ringbuf.Kind, maxCut int)
	// ends returns the dataSender for the outQueue and the dataReceiver for the inQueue of peer.
	ends(peer dimmnet.Rank) (dataSender, dataReceiver)
	// ready prepares the method for a phase, as far as it can without waiting. Until done is true,
	// this rank sends no list, so no rank transfers data of this phase.
	ready() (progress, done bool)
	// assign takes the transfers of a phase that the method moves past the queues. It returns the
	// others.
	assign(transfers []syncvar.Transfer) (queued []syncvar.Transfer)
	// step moves the transfers that assign took, as far as it can without waiting.
	step() (progress bool, err error)
	// pending reports whether step has work left in this phase.
	pending() bool
	// due appends the ranks from which step expects data.
	due(ranks []dimmnet.Rank) []dimmnet.Rank
	// blocked describes for a report what step waits for, and appends the ranks that it waits for.
	blocked(ranks []dimmnet.Rank) (what string, _ []dimmnet.Rank)
	// fullQueue describes for a report what an outQueue waits for when it cannot send.
	fullQueue() string
	// abandon ends all access of the network to the program's memory: the run has failed.
	abandon()
}

// A dataSender supplies an outQueue with slots of data.
type dataSender interface {
	// ready reports whether the peer can take another slot, provided that the ring has one.
	ready() bool
	// slot moves t forward by the cuts that fit one slot. It returns the slot's header, with
	// kind, length, address and age set, and the slot's contents.
	slot(t *outTransfer) (ringbuf.Header, []byte)
	// pending reports whether step must move data of the last slot before the next slot.
	pending() bool
	// step moves data of the last slot, as far as it can without waiting.
	step() (progress bool)
	// reading reports whether the network may still read program memory that was sent.
	reading() bool
}

// A dataReceiver takes the slots of data that an inQueue finds.
type dataReceiver interface {
	// accept takes the slot with header h that ring.Poll has found.
	accept(ring *ringbuf.Receiver, h ringbuf.Header) error
	// step moves the data of the accepted slots. The queue takes no further slot while
	// blocked is true.
	step() (progress, blocked bool, err error)
	// pending reports whether data of accepted slots are still to arrive.
	pending() bool
}

// queued has the methods of a method that moves nothing past the queues, as most do.
type queued struct{}

func (queued) ready() (progress, done bool)                           { return false, true }
func (queued) assign(transfers []syncvar.Transfer) []syncvar.Transfer { return transfers }
func (queued) step() (bool, error)                                    { return false, nil }
func (queued) pending() bool                                          { return false }
func (queued) due(ranks []dimmnet.Rank) []dimmnet.Rank                { return ranks }
func (queued) fullQueue() string                                      { return "free slots at ranks" }
func (queued) abandon()                                               {}
func (queued) blocked(ranks []dimmnet.Rank) (string, []dimmnet.Rank)  { return "", ranks }
