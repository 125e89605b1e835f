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

// ip runs the command ip with the arguments in line, which single spaces separate.
func ip(line string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "ip", strings.Split(line, " ")...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", line, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// namespaces are network namespaces that stand for hosts. A bridge connects them.
type namespaces struct {
	bridge string
	hosts  []string
}

// newNamespaces makes n hosts. It needs root, and the command ip of Debian's iproute2. number
// distinguishes the namespaces of this process.
func newNamespaces(n, number int) (*namespaces, error) {
	all := &namespaces{bridge: fmt.Sprintf("fagus%d-%d-sw", os.Getpid(), number)}
	err := ip("netns add " + all.bridge)
	run := func(format string, args ...any) {
		if err == nil {
			err = ip(fmt.Sprintf(format, args...))
		}
	}
	run("-n %s link add br0 type bridge", all.bridge)
	run("-n %s link set br0 up", all.bridge)
	for i := range n {
		host := fmt.Sprintf("fagus%d-%d-h%d", os.Getpid(), number, i)
		run("netns add %s", host)
		all.hosts = append(all.hosts, host)
		run("-n %s link set lo up", host)
		run("-n %s link add eth0 type veth peer name port%d netns %s", host, i, all.bridge)
		run("-n %s link set port%d up", all.bridge, i)
		if err == nil {
			err = all.plug(i)
		}
		run("-n %s addr add %s/24 dev eth0", host, address(i))
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

// plug connects a host to the bridge.
func (n *namespaces) plug(host int) error {
	return ip(fmt.Sprintf("-n %s link set port%d master br0", n.bridge, host))
}

// unplug parts a host from the bridge. The host does not notice.
func (n *namespaces) unplug(host int) error {
	return ip(fmt.Sprintf("-n %s link set port%d nomaster", n.bridge, host))
}

// address returns the address of a host.
func address(host int) string { return fmt.Sprintf("10.78.0.%d", host+1) }

func (n *namespaces) close() {
	for _, name := range append(n.hosts, n.bridge) {
		_ = ip("netns del " + name) // it may not have been made
	}
}
