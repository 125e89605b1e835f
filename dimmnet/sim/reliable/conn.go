package reliable

import (
	"bytes"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// MaxWindow is the largest window: an acknowledgement has 64 bits.
const MaxWindow = 64

// Config bounds a connection. Window and Payload are the same at both ends.
type Config struct {
	Window       int          // largest number of unacknowledged datagrams, 1..MaxWindow
	Payload      int          // largest payload of a datagram in bytes, at least 1
	Tries        int          // number of times that a datagram is sent, at least 1
	FirstTimeout dimmnet.Time // timeout before the first round trip has been measured
	MinTimeout   dimmnet.Time // above 0; not below AckDelay, or many datagrams are sent twice
	MaxTimeout   dimmnet.Time // at least MinTimeout
	AckDelay     dimmnet.Time // how long an acknowledgement waits for a datagram that can carry it
}

// Check returns an error if the bounds are invalid.
func (c *Config) Check() error {
	switch {
	case c.Window < 1 || c.Window > MaxWindow:
		return fmt.Errorf("reliable: Window %d: want 1 to %d", c.Window, MaxWindow)
	case c.Payload < 1:
		return fmt.Errorf("reliable: Payload %d: want at least 1", c.Payload)
	case c.Tries < 1:
		return fmt.Errorf("reliable: Tries %d: want at least 1", c.Tries)
	case c.MinTimeout <= 0 || c.MaxTimeout < c.MinTimeout || min(c.FirstTimeout, c.AckDelay) < 0:
		return fmt.Errorf("reliable: FirstTimeout %v, MinTimeout %v, MaxTimeout %v, AckDelay %v: want 0 or more, and 0 < MinTimeout <= MaxTimeout", c.FirstTimeout, c.MinTimeout, c.MaxTimeout, c.AckDelay)
	}
	return nil
}

// Conn is one end of a connection.
type Conn struct {
	cfg      Config
	sender   sender
	receiver receiver
	err      error
}

// New returns one end of a new connection. It panics if cfg.Check returns an error.
func New(cfg Config) *Conn {
	if err := cfg.Check(); err != nil {
		panic(err)
	}
	return &Conn{cfg: cfg, sender: sender{base: 1}, receiver: receiver{next: 1, early: make([][]byte, cfg.Window)}}
}

// HasSpace reports whether Send would accept a payload.
func (c *Conn) HasSpace() bool { return c.err == nil && len(c.sender.queue) < c.cfg.Window }

// Send accepts a payload of 1..Config.Payload bytes and copies it; Next then sends it. It
// returns false if the window is full or the connection has failed. Another size panics.
func (c *Conn) Send(payload []byte) bool {
	if n := len(payload); n < 1 || n > c.cfg.Payload {
		panic(fmt.Sprintf("reliable: payload of %d bytes: want 1 to %d", n, c.cfg.Payload))
	}
	if !c.HasSpace() {
		return false
	}
	c.sender.queue = append(c.sender.queue, outgoing{payload: bytes.Clone(payload)})
	return true
}

// Next appends the next datagram that is due to buf, which must be empty; nil if there is none.
// After Send, Receive and the deadline, call it until it returns nil. Times must not go back.
func (c *Conn) Next(now dimmnet.Time, buf []byte) []byte {
	if c.err == nil {
		c.err = c.sender.expire(&c.cfg, now)
	}
	if c.err != nil {
		return nil
	}
	r := &c.receiver
	h := header{next: r.next, early: r.bits}
	var payload []byte
	if i := c.sender.pick(); i >= 0 {
		h.number, payload = c.sender.base+uint64(i), c.sender.queue[i].payload
		c.sender.leaves(i, now)
	} else if r.owed == 0 || now < r.due {
		return nil
	}
	r.owed = 0
	return append(h.append(buf), payload...)
}

// Receive accepts a datagram from the peer, and returns the payloads that are next in order.
// They are valid until the next call; the last may be a part of datagram. A datagram that the
// peer cannot have sent is an error and changes nothing.
func (c *Conn) Receive(now dimmnet.Time, datagram []byte) (payloads [][]byte, err error) {
	h, payload, err := decode(datagram)
	if err == nil {
		err = c.sender.check(h)
	}
	if err == nil && h.number > 0 {
		err = c.receiver.check(h.number, len(payload), &c.cfg)
	}
	if err != nil || c.err != nil {
		return nil, err
	}
	c.sender.acknowledged(h, now)
	if h.number == 0 {
		return nil, nil
	}
	return c.receiver.accept(h.number, payload, now, &c.cfg), nil
}

// Deadline returns when Next must be called if nothing else happens before. ok is false if
// there is nothing to send, to wait for or to acknowledge.
func (c *Conn) Deadline() (at dimmnet.Time, ok bool) {
	if c.err != nil {
		return 0, false
	}
	at, ok = c.sender.deadline(&c.cfg)
	if c.receiver.owed > 0 && (!ok || c.receiver.due < at) {
		return c.receiver.due, true
	}
	return at, ok
}

// Err returns nil until the connection has given up; then the error names the datagram.
func (c *Conn) Err() error { return c.err }
