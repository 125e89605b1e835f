//go:build linux

package faults

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// ip runs the command ip with the arguments in line.
func ip(line string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "ip", strings.Fields(line)...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", line, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// namespaces are network namespaces that stand for hosts. A bridge connects them.
type namespaces struct {
	bridge string
	hosts  []string
}

// newNamespaces makes n hosts. It needs root, and the command ip of Debian's iproute2.
func newNamespaces(n int) (*namespaces, error) {
	all := &namespaces{bridge: fmt.Sprintf("fagus%d-sw", os.Getpid())}
	err := ip("netns add " + all.bridge)
	run := func(format string, args ...any) {
		if err == nil {
			err = ip(fmt.Sprintf(format, args...))
		}
	}
	run("-n %s link add br0 type bridge", all.bridge)
	run("-n %s link set br0 up", all.bridge)
	for i := range n {
		host := fmt.Sprintf("fagus%d-h%d", os.Getpid(), i)
		run("netns add %s", host)
		all.hosts = append(all.hosts, host)
		run("-n %s link set lo up", host)
		run("-n %s link add eth0 type veth peer name port%d netns %s", host, i, all.bridge)
		run("-n %s link set port%d master br0 up", all.bridge, i)
		run("-n %s addr add 10.78.0.%d/24 dev eth0", host, i+1)
		run("-n %s link set eth0 up", host)
		// A rule of the tests must come before the one that finds local addresses.
		run("-n %s rule add priority 2 lookup local", host)
		run("-n %s rule del priority 0", host)
	}
	if err != nil {
		all.close()
		return nil, err
	}
	return all, nil
}

func (n *namespaces) close() {
	for _, name := range append(n.hosts, n.bridge) {
		_ = ip("netns del " + name) // it may not have been made
	}
}
