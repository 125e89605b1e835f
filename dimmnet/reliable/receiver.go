package reliable

import (
	"bytes"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// receiver is the half of a Conn that receives.
type receiver struct {
	next   uint64   // the first number that has not arrived
	early  [][]byte // the payload of number n, behind next, at n modulo the window
	bits   uint64   // those there are, as in header.early
	inTurn [][]byte // what Receive returned last

	owed int          // datagrams since the last acknowledgement
	due  dimmnet.Time // when it must leave, if any are owed
}

// check refuses what a peer that keeps to the window cannot have sent.
func (r *receiver) check(number uint64, size int, cfg *Config) error {
	if size > cfg.Payload {
		return fmt.Errorf("reliable: datagram %d of %d bytes: payloads have up to %d", number, size, cfg.Payload)
	}
	if number >= r.next+uint64(cfg.Window) {
		return fmt.Errorf("reliable: datagram %d while %d is awaited: the window has %d", number, r.next, cfg.Window)
	}
	return nil
}

// accept takes a datagram that was checked, and returns the payloads whose turn it
// is: they are good until the next one is accepted.
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
	default: // it came before: its acknowledgement was lost, or it was repeated
		gap = true
	}
	r.owe(gap, now, cfg)
	return r.inTurn
}

// advance passes the number that has arrived, and those behind it that have.
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

// owe lets an acknowledgement leave at once or soon.
func (r *receiver) owe(atOnce bool, now dimmnet.Time, cfg *Config) {
	if r.owed++; r.owed == 1 {
		r.due = now + cfg.AckDelay
	}
	if atOnce || r.owed >= 2 {
		r.due = now
	}
}
