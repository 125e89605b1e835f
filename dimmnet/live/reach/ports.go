package reach

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall"
)

// Ports is the range of ports on which a process listens, for hosts whose firewall lets only some
// pass. The zero value is any free port.
type Ports struct{ First, Last uint16 }

// ParsePorts parses a range such as "17000-17100". An empty text is the zero value.
func ParsePorts(text string) (p Ports, err error) {
	if text == "" {
		return p, nil
	}
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	from, err := strconv.ParseUint(first, 10, 16)
	to, second := strconv.ParseUint(last, 10, 16)
	if err != nil || second != nil || from == 0 || to < from {
		return p, fmt.Errorf("ports %q: want a range such as 17000-17100", text)
	}
	return Ports{uint16(from), uint16(to)}, nil
}

// String returns the text that ParsePorts parses.
func (p Ports) String() string {
	if p == (Ports{}) {
		return ""
	}
	return fmt.Sprintf("%d-%d", p.First, p.Last)
}

// Listen calls listen with the ports of the range, in order, until it returns nil or an error
// other than that the port is in use. For the zero value it calls listen with 0.
func (p Ports) Listen(listen func(port uint16) error) error {
	if p == (Ports{}) {
		return listen(0)
	}
	return p.from(0, listen)
}

// Ports that no usual system chooses for a process that asks for any free port.
const firstApart, lastApart = 20000, 29999

// ListenApart is Listen for a port that one process chooses and another one opens later. It begins
// at a random port, so that jobs that start at the same time seldom choose the same. For the zero
// value it takes ports that nobody else gets meanwhile unless he asks for their number.
func (p Ports) ListenApart(listen func(port uint16) error) error {
	if p == (Ports{}) {
		p = Ports{firstApart, lastApart}
	}
	return p.from(rand.N(p.count()), listen)
}

func (p Ports) count() int { return int(p.Last) - int(p.First) + 1 }

// from calls listen with the ports of the range, beginning at number first of them.
func (p Ports) from(first int, listen func(port uint16) error) error {
	for i := range p.count() {
		if err := listen(p.First + uint16((first+i)%p.count())); !errors.Is(err, syscall.EADDRINUSE) {
			return err
		}
	}
	return fmt.Errorf("no port of %v is free: each rank of a host needs two, and rank 0 three: %w", p, syscall.EADDRINUSE)
}
