package stream

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// The defaults of networks over streams.
const (
	DefaultJoining  = 30 * time.Second
	DefaultPatience = time.Hour
	DefaultGrace    = 5 * time.Second
)

// Config describes a run. No field has a default here.
type Config struct {
	// Network names the network in errors.
	Network string
	// Limits are the limits of the ports. RDMA may be any size that fits the memory.
	Limits dimmnet.Limits
	// Sums selects the checksums of frames. It must be the same on all ranks.
	Sums Sums
	// Helped means that goroutines move bytes between the streams and the system. A thread that
	// polls for long would take their processor, so threads sleep sooner.
	Helped bool
	// Joining bounds the time from the start of this rank to the first beat of each other rank.
	Joining time.Duration
	// Stall is how long another rank may show no sign of life after its first beat, on a machine
	// that is not overloaded (local.Lag).
	Stall time.Duration
	// Warn is called with a warning for the user, at most once a run. It may be nil.
	Warn func(string)
	// Patience is how long a thread may sleep without an arrival or its event.
	Patience time.Duration
	// Grace is how long a failed run waits for its threads.
	Grace time.Duration

	firstFrame uint32 // the number of the first frame of a connection; 0 except in tests
}

const word = dimmnet.WordBytes

func (c *Config) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", c.Network, fmt.Errorf(format, args...))
}
