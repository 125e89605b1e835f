package colony

import "fmt"

// The names of modules, states, inputs and actions appear in the drawings.

func (m module) String() string {
	return [modules]string{"MBus interface", "MBus data control", "FC data control", "send data", "receive data",
		"SSRAM data control", "SSRAM interface", "FC interface, sending", "FC interface, receiving"}[m]
}

func (s state) String() string {
	return [states]string{"idle", "judge", "local write", "local read", "wait", "wait local", "remote access",
		"wait remote", "reply data", "access from MDC", "send", "access from FC", "receive ack/reply",
		"SRAM read access", "SRAM read reply", "send reply", "send ack", "SRAM write access", "access", "make packet",
		"receive", "check header", "check parity", "data coming", "write access", "read access", "get reply",
		"reply to FDC", "reply to MDC", "write", "read", "change width", "sending", "drop", "comp"}[s]
}

func (i input) String() string {
	return [inputs]string{"", "bus access", "local write", "local read", "remote", "taken", "ack", "data", "nack",
		"timeout", "too many tries", "SRAM data", "packet", "from MDC", "from FDC", "write", "read",
		"write seen before", "bad", "answer", "good", "write by FDC", "read by FDC", "write by MDC", "read by MDC",
		"96 bits", "too few bits", "wake"}[i]
}

func (a action) String() string {
	return [actions]string{"", "judge", "end access", "latch write", "new request", "start timer", "try again",
		"try again", "keep word", "reply to bus", "accept packet", "put request", "put ack", "put ack again", "put nack",
		"put reply", "request write", "request read", "handle answer", "latch packet", "encode", "latch bits", "transmit", "put in FIFO",
		"count", "get from FIFO", "compare header", "compute parity", "request write", "request read",
		"latch write", "latch read", "latch write", "latch read", "select reader", "store word", "load word"}[a]
}

// String returns the result on one line, for logs.
func (r *Result) String() string {
	return fmt.Sprintf("seed %d: %d transactions, write %.2f clk, read %.2f clk, %.4f retries each, %d packets, %d damaged "+
		"(%d short, %d strange, %d odd, %d refused, %d unseen), %d nacks, %d timeouts, %d late, %d overrun, %d again, "+
		"%d failed, %d wrong, %d unexplained, hash %016x",
		r.Seed, r.Transactions, r.MeanWrite(), r.MeanRead(), r.RetriesEach(), r.Packets, r.Damaged,
		r.Short, r.Strange, r.Odd, r.Refused, r.Unseen, r.Nacks, r.Timeouts, r.Late, r.Overrun, r.Again,
		r.Failed, r.Wrong, r.Unexplained, r.Hash)
}

// follow calls trace for every state that a module enters.
func (n *network) follow(trace func(at int64, board uint8, of module, enters state)) {
	n.trace = trace
	n.program = compile(tables(n.link), true)
}

// links returns all link variants.
func links() []Link { return []Link{Burst, Split, Twice} }
