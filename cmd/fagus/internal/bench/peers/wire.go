package peers

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Command tells all ranks of a system to perform an operation Count times. Size is in bytes,
// or in the unit of the operation.
type Command struct {
	Op    string
	Size  int
	Count int
}

// String returns the line that a rank receives.
func (c Command) String() string { return fmt.Sprintf("%s %d %d", c.Op, c.Size, c.Count) }

func parseCommand(line string) (c Command, err error) {
	fields := strings.Fields(line)
	if len(fields) == 3 {
		var errs [2]error
		c.Op = fields[0]
		c.Size, errs[0] = strconv.Atoi(fields[1])
		c.Count, errs[1] = strconv.Atoi(fields[2])
		if errs == [2]error{} && c.Size >= 0 && c.Count > 0 {
			return c, nil
		}
	}
	return Command{}, fmt.Errorf("peers: command %q: want an operation, a size and a count", line)
}

// parseGreeting parses "rank R", or "rank R over PROVIDER...": the providers that the rank opened.
func parseGreeting(line string) (rank int, opened []string, err error) {
	fields := strings.Fields(line)
	if len(fields) < 2 || fields[0] != "rank" || len(fields) > 2 && fields[2] != "over" {
		return 0, nil, fmt.Errorf("greeting %q: want \"rank R\", or \"rank R over PROVIDER...\"", line)
	}
	if rank, err = strconv.Atoi(fields[1]); err != nil || rank < 0 {
		return 0, nil, fmt.Errorf("greeting %q: want a rank", line)
	}
	return rank, fields[min(3, len(fields)):], nil
}

// checkProviders returns an error if a rank that must use the provider want has not opened it, or
// has opened another one. A layered provider such as "tcp;ofi_rxm" opens its parts itself.
func checkProviders(want string, opened []string) error {
	if want == "" {
		return nil
	}
	if !slices.Contains(opened, want) {
		return fmt.Errorf("the library has not opened the provider %s, but %q: its communication takes another path", want, opened)
	}
	parts := strings.Split(want, ";")
	for _, other := range opened {
		if other != want && !slices.Contains(parts, other) {
			return fmt.Errorf("the library has opened the provider %s, too, beside %s", other, want)
		}
	}
	return nil
}

func parseAnswer(line string) (time.Duration, error) {
	ns, err := strconv.ParseInt(line, 10, 64)
	if err != nil || ns < 0 {
		return 0, fmt.Errorf("answer %q: want a time in nanoseconds", line)
	}
	return time.Duration(ns), nil
}

// Attend runs a rank: it connects to the driver's Unix socket and performs commands until the
// driver closes the connection. do performs one command and returns the time taken. An error of
// do is reported to the driver, and returned.
func Attend(socket string, rank int, do func(Command) (time.Duration, error)) error {
	driver, err := net.Dial("unix", socket)
	if err != nil {
		return fmt.Errorf("peers: %w", err)
	}
	defer driver.Close()
	if _, err := fmt.Fprintf(driver, "rank %d\n", rank); err != nil {
		return fmt.Errorf("peers: %w", err)
	}
	for lines := bufio.NewReader(driver); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("peers: %w", err)
		}
		c, err := parseCommand(line)
		if err != nil {
			return err
		}
		took, err := do(c)
		if err != nil {
			fmt.Fprintf(driver, "error: %v\n", err) // a driver that is gone needs no report
			return err
		}
		if _, err := fmt.Fprintln(driver, took.Nanoseconds()); err != nil {
			return fmt.Errorf("peers: %w", err)
		}
	}
}
