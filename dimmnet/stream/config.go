package stream

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// What networks over streams take where their configuration says nothing.
const (
	DefaultJoining  = 30 * time.Second
	DefaultStall    = 1600 * time.Millisecond
	DefaultPatience = time.Hour
	DefaultGrace    = 5 * time.Second
)

// Config says what a run is like. Nothing has a default here.
type Config struct {
	// Network names the network in errors.
	Network string
	// Limits are those of its ports. RDMA is any size that fits.
	Limits dimmnet.Limits
	// Sums says which frames have checksums; it is the same on all ranks.
	Sums Sums
	// Helped says that goroutines read and write what the streams take and give: a thread
	// that looks for long would take their processor.
	Helped bool
	// Joining is how long a rank may take from the start of this one to its first beat.
	Joining time.Duration
	// Stall is how long a rank may show no sign of life after that.
	Stall time.Duration
	// Patience is how long a thread may sleep without an arrival or its event.
	Patience time.Duration
	// Grace is how long a run that has failed waits for its threads.
	Grace time.Duration
}

const word = dimmnet.WordBytes

// errorf is an error of the network.
func (c *Config) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", c.Network, fmt.Errorf(format, args...))
}
