// Package colony is a model of the Computer Colony NIC, a board of 2002 (docs/lab/papers.md,
// Computer Colony). The board sits on the system bus, and the SSRAMs of all boards form one
// shared memory. A load or store to another node's slice of the address window becomes a packet
// of 96 bits on an unreliable link, without a system call.
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
// It is not a Port: it moves words, not messages, and has no LLCM. Programs run in virtual time
// as coroutines. [Measure] makes accesses without programs, about a million a second of real
// time. [RunPages] runs a program on cached pages. [Reproduce] compares the model with the
// thesis.
//
// # Modules and clocks
//
// A board consists of eight modules. Each is a state machine given by a table in tables.go,
// whose rows have a state, an input, the next state, an action and a signal to another module.
// One interpreter (interpreter.go) steps all of them, and docs/lab/colony shows their drawings. The
// FC interface sends and receives at the same time, so it is two machines.
//
// A clock is 20 ns. A state that works takes its clocks from entering it. A state that waits
// takes its clocks from the signal that it waits for. A signal that the present state does not
// take stays pending. The simulation is event-driven: it skips clocks without an event, and
// states without a visible effect cause no event. TestSame checks that this changes no result.
//
//	MBus interface ─ MBus data control ─┬─ FC data control ─┬─ send data ─ FC interface ─ link
//	                                    │                   └─ receive data ─ FC interface ─ link
//	                                    └─ SSRAM data control ─ SSRAM interface
//	                                       (also connected to FC data control)
//
// A local write ends for the bus when the MBus data control has latched it. A remote write is
// acknowledged before the SSRAM is written; a read is answered after the SSRAM was read. A board
// serves the requests of others while its own waits.
//
// # Damage
//
// A packet is damaged with a given probability: bits flip, a part is lost, or the header names
// another node. Config.Seed determines all draws, so a seed gives the same words at the same
// clocks. Parity detects every error except an even number of errors in one column. Measure
// counts the reads that returned a wrong word, and among them those that no undetected damage
// explains. There must be none of the latter.
//
// # Where the times come from
//
// The thesis prints the sums 5, 27, 112, 131, 150, 168 and 187 clocks, and 8 clocks for a part.
// The clocks of single states, the gap of 5 clocks between parts, the clock to load a copy, the
// time T and the timeouts are assumed so that these sums come out; docs/lab/colony.md lists them.
// The thesis computes with failed tries that take as long as successful ones, which determines
// the timeouts. The times and retries of two boards with errors are computed from these.
//
// # Assumptions about the protocol
//
// The 12 header bits name the receiver (4 bits), the sender (4) and the turn (4), which counts a
// node's requests to another. An answer repeats the turn, so an answer that arrives after its
// timeout has a wrong header and is not taken for the answer to the next request. A write whose
// acknowledgement was lost is acknowledged again but not done again; otherwise it could
// overwrite a later write of another node. The word [NackWord] cannot be stored. An access fails
// with a bus error after Config.Tries tries. The thesis does not describe more than two boards.
// Here the output of any board reaches any other, packets to one board queue, and packets beyond
// the capacity of the queue are lost.
//
// [Pages] caches other boards' pages in home, copy and dummy pages and invalidates their blocks.
// The thesis only intends such pages, so the protocol is this package's own. It consists of the
// reads and writes above. Its directory is Go memory; each step that hardware would take costs
// the program one access.
//
// # Limits
//
// The model omits the processor's caches, other masters of the bus, clocks of the 106 MHz link
// finer than the board's 50 MHz, SSRAM errors and board failures. A program's time advances only
// in accesses and Spend. Accesses do not order Go variables that programs share.
package colony
