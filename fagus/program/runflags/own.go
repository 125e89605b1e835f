package runflags

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// OwnFromFlags is FromFlags for a program of one's own. Its network suits where it was started:
// goroutines, or the processes that a launcher has started. On a simulated network the process of
// rank 0 runs all ranks of a launcher's job, and the others stand by.
func OwnFromFlags(c *cli.Context) (Config, error) {
	place, err := cluster.FromEnv(os.LookupEnv)
	launched := err == nil
	if err != nil && !errors.Is(err, cluster.ErrNoJob) {
		return Config{}, asUsage(err)
	}
	net, nodes := readNet(c), read(c, nodesFlag, nodesVariable)
	switch {
	case net.value != "":
	case launched && place.Spans() || c.IsSet("hosts"):
		net.value = TCP
	case launched:
		net.value = SHM
	default:
		net.value = Inproc
	}
	of, err := Networks().find(net)
	if err != nil {
		return Config{}, err
	}
	if !nodes.set && nodes.source != nodesVariable {
		nodes.value = strconv.Itoa(ownNodes(of, launched, place.Size))
	}
	return fromSettings(c, net, nodes, true)
}

// ownNodes returns the number of nodes of a program that sets none.
func ownNodes(on Network, launched bool, size int) int {
	switch {
	case launched:
		return size
	case on.Simulated:
		return 2 // the same on every machine, as virtual times are
	}
	return max(2, runtime.NumCPU())
}

// Claim is what a process sends first to a launcher that simulates the network, if the process of
// rank 0 simulates it instead. No request of a C program begins like it.
const Claim = "FagusGo1"

// standBy reports whether another process runs all ranks, so that this one has nothing to do. It
// announces that to a launcher that would simulate the network itself.
func (cfg *Config) standBy() (idle bool, err error) {
	if cfg.place == nil || cfg.isRank() {
		return false, nil
	}
	return cfg.place.Rank != 0, claim()
}

// claim sends Claim to the launcher that simulates the network, if there is one.
func claim() error {
	where := os.Getenv(cluster.LineVariable)
	if where == "" {
		return nil
	}
	number, ok := strings.CutPrefix(where, "fd:")
	fd, err := strconv.ParseUint(number, 10, 16)
	if !ok || err != nil || fd < 3 {
		return usage.Errorf("%s is %q: want fd: and a file descriptor, 3 or more", cluster.LineVariable, where)
	}
	line := os.NewFile(uintptr(fd), "line")
	_, err = line.WriteString(Claim)
	if err = errors.Join(err, line.Close()); err != nil {
		return fmt.Errorf("announcing the program to fagus launch: %w", err)
	}
	return nil
}
