package reach

import (
	"errors"
	"fmt"
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
	for port := int(p.First); port <= int(p.Last); port++ {
		if err := listen(uint16(port)); !errors.Is(err, syscall.EADDRINUSE) {
			return err
		}
	}
	return fmt.Errorf("no port of %v is free: each rank of a host needs two, and rank 0 three: %w", p, syscall.EADDRINUSE)
}
