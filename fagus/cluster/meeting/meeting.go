package meeting

import (
	"io"
	"net/netip"
)

// Process is a process at the meeting points.
type Process struct {
	Name    string // unique
	Address string // host:port, for messages
	Meta    []byte // its Config.Meta
}

// MostMeta is the largest size of Config.Meta in bytes.
const MostMeta = 512

// Config describes this process.
type Config struct {
	Name    string
	Meta    []byte
	At      netip.AddrPort // where others reach it; port 0 is a free one
	Key     []byte         // a process without it is refused; nil: nothing is encrypted
	Streams int            // most incoming connections at a time
	Log     io.Writer      // gets messages, a line a call
	Events  Events
}

// Events are told what happens. Their methods return at once; several may be called at a time.
type Events interface {
	Joined(p Process)     // p has come, or its Meta has changed
	Left(name string)     // the process seems to be gone
	Received(text []byte) // another process has called Send
}

// Group is what a process sees of the others at the meeting points.
type Group interface {
	// Port returns the port of Config.At.
	Port() uint16
	// Join looks for processes at addresses, host:port. It is an error if none of them answers.
	Join(addresses []string) error
	// Send sends a text to a process that has joined.
	Send(name string, text []byte) error
	// Shutdown ends this process's part. The others notice that it is gone.
	Shutdown()
}
