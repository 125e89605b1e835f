package colony

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

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
	if a == nil {
		return ""
	}
	of := runtime.FuncForPC(reflect.ValueOf(a).Pointer()).Name()
	return map[string]string{
		"judgeAccess": "judge", "endAccess": "end access", "latchWrite": "latch write",
		"newRequest": "new request", "startTimer": "start timer", "tryAfterNack": "try again",
		"tryAfterTimeout": "try again", "keepRead": "keep word", "replyToBus": "reply to bus",
		"acceptPacket": "accept packet", "putRequest": "put request", "putAck": "put ack",
		"putAckAgain": "put ack again", "putNack": "put nack", "putReply": "put reply",
		"requestFDCWrite": "request write", "requestFDCRead": "request read",
		"handleAnswer": "handle answer", "latchPacket": "latch packet", "encodePacket": "encode",
		"latchBits": "latch bits", "transmit": "transmit", "putFIFO": "put in FIFO",
		"countShort": "count", "getFIFO": "get from FIFO", "compareHeader": "compare header",
		"computeParity": "compute parity", "requestMDCWrite": "request write",
		"requestMDCRead": "request read", "latchFDCWrite": "latch write",
		"latchFDCRead": "latch read", "latchMDCWrite": "latch write", "latchMDCRead": "latch read",
		"selectReader": "select reader", "store": "store word", "load": "load word",
	}[of[strings.LastIndex(of, ".")+1:]]
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

// damage returns the probability of damage that the thesis found between two boards.
func damage(l Link) float64 {
	return [...]float64{Burst: burstDamage, Split: splitDamage, Twice: twiceDamage}[l]
}
