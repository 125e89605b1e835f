package reliable

import (
	"bytes"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// MaxWindow is how many datagrams an acknowledgement can tell apart.
const MaxWindow = 64

// Config bounds a connection. Both ends have the same Window and Payload.
type Config struct {
	Window       int          // datagrams that are not acknowledged, 1..MaxWindow
	Payload      int          // bytes of a datagram behind the header, at least 1
	Tries        int          // how often a datagram is sent, at least 1
	FirstTimeout dimmnet.Time // before the first round trip was measured
	MinTimeout   dimmnet.Time // more than 0; longer than AckDelay, or much is sent twice
	MaxTimeout   dimmnet.Time // at least MinTimeout
	AckDelay     dimmnet.Time // how long an acknowledgement waits for data going back
}

// Check reports bounds that cannot work.
func (c *Config) Check() error {
	switch {
	case c.Window < 1 || c.Window > MaxWindow:
		return fmt.Errorf("reliable: a window of %d datagrams: want 1 to %d", c.Window, MaxWindow)
	case c.Payload < 1:
		return fmt.Errorf("reliable: payloads of up to %d bytes", c.Payload)
	case c.Tries < 1:
		return fmt.Errorf("reliable: %d tries", c.Tries)
	case c.MinTimeout <= 0 || c.MaxTimeout < c.MinTimeout || min(c.FirstTimeout, c.AckDelay) < 0:
		return fmt.Errorf("reliable: timeouts of %v, %v to %v, acknowledgements after %v", c.FirstTimeout, c.MinTimeout, c.MaxTimeout, c.AckDelay)
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

// New returns one end of a new connection. The bounds must be such that Check
// finds nothing, else New panics.
func New(cfg Config) *Conn {
	if err := cfg.Check(); err != nil {
		panic(err)
	}
	return &Conn{
		cfg:      cfg,
		sender:   sender{base: 1},
		receiver: receiver{next: 1, early: make([][]byte, cfg.Window)},
	}
}

// Room says whether Send would take a payload.
func (c *Conn) Room() bool { return c.err == nil && len(c.sender.queue) < c.cfg.Window }

// Send takes a payload of 1..Config.Payload bytes, of which it makes a copy; false
// if a whole window is not acknowledged, or the connection has failed. Next lets it
// leave. Another size panics.
func (c *Conn) Send(payload []byte) bool {
	if n := len(payload); n < 1 || n > c.cfg.Payload {
		panic(fmt.Sprintf("reliable: payload of %d bytes: want 1 to %d", n, c.cfg.Payload))
	}
	if !c.Room() {
		return false
	}
	c.sender.queue = append(c.sender.queue, outgoing{payload: bytes.Clone(payload)})
	return true
}

// Next appends to buf, which is empty, the next datagram that leaves now, and
// returns it; nil if there is none. Call it until then, after Send and Receive, and
// at the deadline. Times must not go back.
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

// Receive takes a datagram from the peer, and returns the payloads whose turn it
// is, in order. They are good until the next call; the last may be a part of
// datagram. A datagram that the peer cannot have sent is an error and changes
// nothing.
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

// Deadline is when Next must be called if nothing else happens before; false if
// nothing is to be sent, awaited or acknowledged.
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

// Err is nil until the connection has given up; then it says which datagram.
func (c *Conn) Err() error { return c.err }
