package colony

import (
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Clock is the clock period of the bus and the board (50 MHz).
const Clock = 20 * dimmnet.Nanosecond

// Clocks that a program spends on an access in addition to the bus access. A program's write takes
// 0.44 us and its read 0.96 us, or 3.36 us and 4.28 us with a system call (docs/lab/papers.md,
// Computer Colony, Figures). The board's 5 and 27 clocks are subtracted.
const (
	writeCost     = 22 - 5
	readCost      = 48 - 27
	writeCallCost = 168 - 5
	readCallCost  = 214 - 27
)

// Config describes a machine. The zero value is two boards with 96-bit packets and no errors.
type Config struct {
	Boards int  // number of boards, 1 to MaxNodes; default 2
	Link   Link // variant of all links; default Burst
	// Loop connects the only board's output to its input: own accesses take the remote path.
	Loop       bool
	SystemCall bool // programs access the board by a system call

	Damage float64 // probability that a packet is damaged, below 1
	Mix    *Mix    // kinds of damage; default LinkMix(Link)
	Seed   uint64  // seed of all random draws; default 1

	Tries int // tries of a remote access before it fails; default 1000
	// Patience is the number of clocks by which timeouts exceed the duration of an access
	// without errors. The default for two boards is 0, as in the thesis, where only one of them
	// sends requests. The default for more boards is Patience(Link, Boards).
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
		c.Patience = Patience(c.Link, c.Boards)
	}
	return c
}

// Patience returns enough Config.Patience for a machine whose boards all request from one board.
func Patience(l Link, boards int) int { return (boards - 1) * (2*l.clocks() + serviceClocks) }

// serviceClocks is the approximate time a board needs to serve a read.
const serviceClocks = 40

func (c Config) check() error {
	switch {
	case c.Boards < 1 || c.Boards > MaxNodes:
		return fmt.Errorf("colony: build %d boards: want 1 to %d", c.Boards, MaxNodes)
	case c.Link > Twice:
		return fmt.Errorf("colony: link variant %d: want Burst, Split or Twice", c.Link)
	case c.Loop && c.Boards != 1:
		return fmt.Errorf("colony: connect %d boards in a loop: want 1 board", c.Boards)
	case !(c.Damage >= 0 && c.Damage < 1):
		return fmt.Errorf("colony: damage packets with probability %g: want at least 0 and less than 1", c.Damage)
	case !(c.Mix.Bits >= 0 && c.Mix.Lost >= 0 && c.Mix.Header >= 0 && c.Mix.Bits+c.Mix.Lost+c.Mix.Header > 0):
		return fmt.Errorf("colony: mix of damage %+v: want no negative share and a positive sum", *c.Mix)
	case c.Tries < 1 || c.Patience < 0:
		return fmt.Errorf("colony: %d tries, patience %d: want at least 1 and 0", c.Tries, c.Patience)
	}
	return nil
}

// ErrTries reports that a remote access got no answer in Config.Tries tries.
var ErrTries = errors.New("no answer after the last try")

// Counts counts the events of all boards.
type Counts struct {
	Requests int64 `json:"requests"` // remote accesses
	Retries  int64 `json:"retries"`  // requests sent again
	Nacks    int64 `json:"nacks"`    // Nacks that requesters received
	Timeouts int64 `json:"timeouts"` // timeouts of requesters
	Packets  int64 `json:"packets"`  // packets sent
	Damaged  int64 `json:"damaged"`  // packets sent that were damaged
	Short    int64 `json:"short"`    // packets dropped: fewer than 96 bits arrived
	Strange  int64 `json:"strange"`  // packets dropped: wrong header
	Odd      int64 `json:"odd"`      // packets dropped: parity error
	Late     int64 `json:"late"`     // answers dropped: no request waits for them
	Overrun  int64 `json:"overrun"`  // packets dropped: queue full
	Refused  int64 `json:"refused"`  // requests answered by Nack
	Again    int64 `json:"again"`    // repeated writes, acknowledged but not done again
	Unseen   int64 `json:"unseen"`   // damaged packets accepted because their parity was right
}
