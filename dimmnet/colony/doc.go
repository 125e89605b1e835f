// Package colony is a model of the Computer Colony NIC (a thesis of 2002; spec/50): a
// board on the system bus whose SSRAM, with those of all other boards, is one shared
// memory. A load or store to another node's slice of the address window becomes a
// packet of 96 bits over an unreliable link, with no system call.
//
//	m, err := colony.New(colony.Config{Link: colony.Burst, Damage: 0.245})
//	err = m.Run(func(b *colony.Board) error {
//		if err := b.Write(colony.At(1, 7), 42); err != nil { // word 7 of node 1
//			return err
//		}
//		v, err := b.Read(colony.At(1, 7))
//		...
//	})
//
// It is not a Port: it moves words, not messages, and has no LLCM. Programs run in
// virtual time as coroutines; [Measure] makes accesses without programs, about a million
// a second; [Reproduce] lays the thesis's figures beside the model's.
//
// # Modules and clocks
//
// A board is eight modules, each a state machine: a table of rows (state, input, next
// state, action, signal) in tables.go, which one interpreter steps (interpreter.go),
// and which docs/colony draws. The FC interface sends and receives at a time; it is two
// machines. Clocks are of 20 ns. A state that works lasts its clocks; one that waits,
// lasts its clocks from the signal that it waits for. A signal that no state takes yet
// is kept. Between events nothing is stepped, and a state that only leads back to one
// that waits takes no event of its own; a test holds that this changes nothing.
//
//	bus ─ MBus interface ─ MBus data control ─┬─ FC data control ─┬─ send data ─ FC interface ─ link
//	                                          │                   └─ receive data ─ FC interface ─ link
//	                                          └─ SSRAM data control ─ SSRAM interface
//	                                             (FC data control reaches it as well)
//
// A local write ends for the bus when the MBus data control has it; a remote write is
// acknowledged before the SSRAM is written, a read answered after it was read. Requests
// of others are served while the own one waits.
//
// # Damage
//
// Each packet is damaged with a probability: bits flip, a part is lost, or the header is
// another's. Draws come from Config.Seed; the same seed gives the same words at the same
// clocks. Parity sees every error but an even number in one column, so Measure counts
// reads that got a wrong word, and of them those that no such error explains: none.
//
// # Where the times come from
//
// docs/colony.md has the list. The thesis has the sums: 5, 27, 112, 131, 150, 168, 187
// clocks, and 8 clocks for a part. How they are divided among states, the gap of 5
// clocks between parts, the clock to load a copy, the time T and the timeouts are
// assumed, each once, such that the sums come out. That a failed try costs as long as
// one without errors, as the thesis computes with, fixes the timeouts. What two boards
// take at its p, and how often they try again, is computed.
//
// # What is assumed of the protocol
//
// The 12 header bits: 4 each for the receiver, the sender and the turn, a count of the
// requester's accesses to that node. Answers repeat it, so one that comes after its
// timeout is a wrong header and not the answer of the next access; and a write whose
// acknowledgement was lost is acknowledged again but not done again, else the resend
// could undo another node's later write. The word [NackWord] cannot be stored. After
// Config.Tries tries an access fails: a bus error. Of more than two boards the thesis
// says nothing: here any board's output reaches any other, packets for one board queue,
// and what its FIFO has no room for is lost.
//
// # What is not in the thesis
//
// [Pages], home, copy and dummy pages whose blocks are invalidated, is only intended
// there. Its protocol is this package's own: it is made of the reads and writes above,
// its directory is Go memory, and what a hardware would do at once costs its programs
// an access each.
//
// # What is not here
//
// The processor's caches, other masters of the bus, the 106 MHz clock but as whole
// clocks of 50 MHz, errors of the SSRAM, boards that fail. Time passes for a program
// only in accesses and Spend; Go variables that programs share are not ordered by it.
package colony
