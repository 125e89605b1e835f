package colony

import (
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Clock is that of bus and board: 50 MHz.
const Clock = 20 * dimmnet.Nanosecond

// What a program pays beside the bus access, in clocks. spec/50: from a program a
// write takes 0.44 us and a read 0.96 us, or with a system call 3.36 and 4.28 us, of
// which 5 and 27 clocks are the board's.
const (
	writeCost     = 22 - 5
	readCost      = 48 - 27
	writeCallCost = 168 - 5
	readCallCost  = 214 - 27
)

// Config says what is built. The zero value is two boards with 96-bit packets and no
// errors.
type Config struct {
	Boards int  // 1 to MaxNodes; default 2
	Link   Link // default Burst
	// Loop joins the only board's output to its input, and takes accesses to its own
	// memory that way.
	Loop       bool
	SystemCall bool // programs access the board by one

	Damage float64 // how likely a packet is damaged
	Mix    *Mix    // how; default LinkMix
	Seed   uint64  // of what is drawn; default 1

	Tries int // of a remote access before it fails; default 1000
	// Patience is how many clocks timeouts are longer than an access without errors.
	// Default: none for two boards, as measured when one of them asks; with more, what
	// it may take until they all are served.
	Patience int
}

func (c Config) withDefaults() Config {
	if c.Boards == 0 {
		c.Boards = 2
		if c.Loop {
			c.Boards = 1
		}
	}
	if c.Mix == nil {
		mix := LinkMix(c.Link)
		c.Mix = &mix
	}
	if c.Seed == 0 {
		c.Seed = 1
	}
	if c.Tries == 0 {
		c.Tries = 1000
	}
	if c.Patience == 0 && c.Boards > 2 {
		c.Patience = Crowd(c.Link, c.Boards)
	}
	return c
}

// Crowd is a patience for boards that all ask the same one.
func Crowd(l Link, boards int) int { return (boards - 1) * (2*l.clocks() + serviceClocks) }

// serviceClocks is about what a board needs to serve a read.
const serviceClocks = 40

func (c Config) check() error {
	switch {
	case c.Boards < 1 || c.Boards > MaxNodes:
		return fmt.Errorf("colony: %d boards: want 1 to %d", c.Boards, MaxNodes)
	case c.Link > Twice:
		return fmt.Errorf("colony: no variant of the link: %v", c.Link)
	case c.Loop && c.Boards != 1:
		return fmt.Errorf("colony: a loop of %d boards: want 1", c.Boards)
	case !(c.Damage >= 0 && c.Damage < 1):
		return fmt.Errorf("colony: packets damaged with probability %g: want 0 to less than 1", c.Damage)
	case !(c.Mix.Bits >= 0 && c.Mix.Lost >= 0 && c.Mix.Header >= 0 && c.Mix.Bits+c.Mix.Lost+c.Mix.Header > 0):
		return fmt.Errorf("colony: a mix of damage of %+v", *c.Mix)
	case c.Tries < 1 || c.Patience < 0:
		return fmt.Errorf("colony: %d tries, patience %d: want at least 1 and 0", c.Tries, c.Patience)
	}
	return nil
}

// ErrTries is of a remote access that was tried too often.
var ErrTries = errors.New("colony: no answer after the last try")

// Counts are what boards counted.
type Counts struct {
	Requests int64 `json:"requests"` // remote accesses
	Retries  int64 `json:"retries"`
	Nacks    int64 `json:"nacks"`    // that came
	Timeouts int64 `json:"timeouts"` // of requesters
	Packets  int64 `json:"packets"`  // sent
	Damaged  int64 `json:"damaged"`  // of these
	Short    int64 `json:"short"`    // dropped: fewer than 96 bits
	Strange  int64 `json:"strange"`  // dropped: wrong header
	Odd      int64 `json:"odd"`      // dropped: parity
	Late     int64 `json:"late"`     // dropped: answers that nobody waits for
	Overrun  int64 `json:"overrun"`  // dropped: no room
	Refused  int64 `json:"refused"`  // requests answered by Nack
	Again    int64 `json:"again"`    // writes acknowledged again, and not done again
	Unseen   int64 `json:"unseen"`   // damaged, but taken for good
}

func (c *Counts) add(d *Counts) {
	c.Requests += d.Requests
	c.Retries += d.Retries
	c.Nacks += d.Nacks
	c.Timeouts += d.Timeouts
	c.Packets += d.Packets
	c.Damaged += d.Damaged
	c.Short += d.Short
	c.Strange += d.Strange
	c.Odd += d.Odd
	c.Late += d.Late
	c.Overrun += d.Overrun
	c.Refused += d.Refused
	c.Again += d.Again
	c.Unseen += d.Unseen
}
