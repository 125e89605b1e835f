package reliable

import (
	"bytes"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

type receiver struct {
	next   uint64   // the first number that has not arrived
	early  [][]byte // payloads that arrived early; number n is at n modulo the window
	bits   uint64   // numbers in early, as in header.early
	inTurn [][]byte // payloads that Receive returned last

	owed int          // datagrams since the last acknowledgement
	due  dimmnet.Time // when the acknowledgement must leave, if owed > 0
}

// check rejects a datagram that a peer within the window cannot have sent.
func (r *receiver) check(number uint64, size int, cfg *Config) error {
	if size > cfg.Payload {
		return fmt.Errorf("reliable: datagram %d with a payload of %d bytes: want at most %d", number, size, cfg.Payload)
	}
	if number >= r.next+uint64(cfg.Window) {
		return fmt.Errorf("reliable: datagram %d is outside the window: want %d to %d", number, r.next, r.next+uint64(cfg.Window)-1)
	}
	return nil
}

// accept returns the payloads that a checked datagram completes in order, until the next call.
func (r *receiver) accept(number uint64, payload []byte, now dimmnet.Time, cfg *Config) [][]byte {
	r.inTurn = r.inTurn[:0]
	gap := r.bits != 0
	switch {
	case number == r.next:
		r.inTurn = append(r.inTurn, payload)
		r.advance(cfg)
	case number > r.next:
		gap = true
		if bit := uint64(1) << (number - r.next - 1); r.bits&bit == 0 {
			r.bits |= bit
			r.early[number%uint64(cfg.Window)] = bytes.Clone(payload)
		}
	default: // a repetition: its acknowledgement was lost, or the network repeated it
		gap = true
	}
	r.owe(gap, now, cfg)
	return r.inTurn
}

// advance moves next past the number that arrived and the later numbers that arrived early.
func (r *receiver) advance(cfg *Config) {
	for {
		arrived := r.bits&1 == 1
		r.bits >>= 1
		r.next++
		if !arrived {
			return
		}
		slot := &r.early[r.next%uint64(cfg.Window)]
		r.inTurn = append(r.inTurn, *slot)
		*slot = nil
	}
}

// owe schedules an acknowledgement: at once, or after the delay of cfg.
func (r *receiver) owe(atOnce bool, now dimmnet.Time, cfg *Config) {
	if r.owed++; r.owed == 1 {
		r.due = now + cfg.AckDelay
	}
	if atOnce || r.owed >= 2 {
		r.due = now
	}
}
