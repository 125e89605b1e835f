//go:build linux

package namespaces

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// IP runs the command ip with the arguments in line, which single spaces separate.
func IP(line string) error {
	_, err := Output(line)
	return err
}

// Output runs the command ip with the arguments in line, and returns its output.
func Output(line string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ip", strings.Split(line, " ")...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("ip %s: %w: %s", line, err, strings.TrimSpace(string(out)))
	}
	return string(out), err
}

// Set is a set of hosts. A bridge in a namespace of its own connects them.
type Set struct {
	Hosts  []string // the names of the namespaces; host i has Address(i) on eth0
	bridge string
}

// New makes n hosts. The names of namespaces begin with prefix and the number of this process. The
// error is an errors.ErrUnsupported if no namespaces or bridges can be made here.
func New(prefix string, n int) (*Set, error) {
	name := func(s string) string { return fmt.Sprintf("%s%d-%s", prefix, os.Getpid(), s) }
	all := &Set{bridge: name("sw")}
	err := IP("netns add " + all.bridge)
	run := func(format string, args ...any) {
		if err == nil {
			err = IP(fmt.Sprintf(format, args...))
		}
	}
	run("-n %s link add br0 type bridge", all.bridge)
	if err != nil {
		all.Close()
		return nil, errors.Join(errors.ErrUnsupported, err)
	}
	run("-n %s link set br0 up", all.bridge)
	for i := range n {
		host := name(fmt.Sprintf("h%d", i))
		run("netns add %s", host)
		all.Hosts = append(all.Hosts, host)
		run("-n %s link set lo up", host)
		run("-n %s link add eth0 type veth peer name port%d netns %s", host, i, all.bridge)
		run("-n %s link set port%d master br0 up", all.bridge, i)
		run("-n %s addr add %s/24 dev eth0", host, Address(i))
		run("-n %s link set eth0 up", host)
		// A rule that drops packets must come before the one that finds local addresses.
		run("-n %s rule add priority 2 lookup local", host)
		run("-n %s rule del priority 0", host)
	}
	if err != nil {
		all.Close()
		return nil, err
	}
	return all, nil
}

// Address returns the address of host i of any Set.
func Address(i int) string { return fmt.Sprintf("10.78.0.%d", i+1) }

// Unplug parts host i from the bridge. The host does not notice: its interface stays up.
func (s *Set) Unplug(i int) error {
	return IP(fmt.Sprintf("-n %s link set port%d nomaster", s.bridge, i))
}

// Plug connects host i to the bridge again.
func (s *Set) Plug(i int) error {
	return IP(fmt.Sprintf("-n %s link set port%d master br0", s.bridge, i))
}

// Drop makes host i drop what it receives and which, the selector of a rule of ip, describes: "",
// "ipproto udp", or "ipproto tcp dport 17000-17100".
func (s *Set) Drop(i int, which string) error { return s.rule(i, which, "blackhole") }

// Refuse makes host i answer what it receives by ICMP: the sender is not permitted.
func (s *Set) Refuse(i int) error { return s.rule(i, "", "prohibit") }

func (s *Set) rule(i int, which, action string) error {
	return IP(strings.Join(strings.Fields(fmt.Sprintf("-n %s rule add priority 1 iif eth0 %s %s", s.Hosts[i], which, action)), " "))
}

// Close removes the hosts.
func (s *Set) Close() {
	for _, name := range append(s.Hosts, s.bridge) {
		_ = IP("netns del " + name) // it may not have been made
	}
}
