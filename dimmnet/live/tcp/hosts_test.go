//go:build linux

package tcp_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

var rounds = flag.Int("rounds", 0, "number of rounds of TestHosts and TestStops; 0: 2 in long tests, otherwise 1")

func roundCount() int {
	if *rounds > 0 {
		return *rounds
	}
	return longtest.Cases(2, 1)
}

// namespace is a network namespace, which stands for a host. It has no name, so it disappears with
// the test and the processes in it.
type namespace struct{ file *os.File }

// newNamespace returns a new namespace, or skips the test where that is not allowed.
func newNamespace(t *testing.T) *namespace {
	t.Helper()
	n := new(namespace)
	err := apart(func() (err error) {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return err
		}
		n.file, err = os.Open("/proc/thread-self/ns/net")
		return err
	})
	if err != nil {
		t.Skip("no network namespaces here: ", err)
	}
	t.Cleanup(func() { _ = n.file.Close() })
	return n
}

// do calls f in the namespace. A nil namespace means the namespace of the test.
func (n *namespace) do(f func() error) error {
	if n == nil {
		return f()
	}
	return apart(func() error {
		if err := unix.Setns(int(n.file.Fd()), unix.CLONE_NEWNET); err != nil {
			return err
		}
		return f()
	})
}

// apart calls f, which may change the namespace of its OS thread.
func apart(f func() error) error {
	runtime.LockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer func() { _ = home.Close() }()
	err = f()
	if back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); back != nil {
		return back // the OS thread is still locked, and ends with its goroutine
	}
	runtime.UnlockOSThread()
	return err
}

// ip runs the ip command in the namespace.
func (n *namespace) ip(format string, args ...any) error {
	line := fmt.Sprintf(format, args...)
	return n.do(func() error {
		out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ip %s: %w: %s", line, err, out)
		}
		return nil
	})
}

// hosts is a set of namespaces with an interface each. A bridge in another namespace connects
// them.
type hosts struct {
	bridge *namespace
	all    []*namespace
}

func address(host int) string { return fmt.Sprintf("10.77.0.%d", host+1) }

func newHosts(t *testing.T, count int) *hosts {
	t.Helper()
	h := &hosts{bridge: newNamespace(t)}
	must := func(n *namespace, format string, args ...any) {
		t.Helper()
		if err := n.ip(format, args...); err != nil {
			t.Skip("virtual hosts are not possible here: ", err)
		}
	}
	must(h.bridge, "link add bridge type bridge")
	must(h.bridge, "link set bridge up")
	for i := range count {
		n := newNamespace(t)
		h.all = append(h.all, n)
		must(h.bridge, "link add port%d type veth peer name eth0 netns /proc/%d/fd/%d", i, os.Getpid(), n.file.Fd())
		must(h.bridge, "link set port%d master bridge up", i)
		must(n, "link set lo up")
		must(n, "addr add %s/24 dev eth0", address(i))
		must(n, "link set eth0 up")
	}
	return h
}

// spawn calls start in the namespace of a rank.
func (h *hosts) spawn(rank int, start func() error) error { return h.all[rank].do(start) }

// link sets the state of the link of a host: up or down.
func (h *hosts) link(t *testing.T, host int, state string) {
	t.Helper()
	if err := h.bridge.ip("link set port%d %s", host, state); err != nil {
		t.Error(err)
	}
}

// orders returns the orders of a job with a rank on each host. Rank 0 listens on all interfaces.
// The other ranks also advertise an address without a host, and the address of another host. With
// encryption, ranks connect on demand.
func (h *hosts) orders(t *testing.T, encrypt bool) (all []meshtest.Order) {
	t.Helper()
	for rank, id := range identities(t, len(h.all), encrypt) {
		o := meshtest.Order{Identity: id, Listen: "0.0.0.0"}
		if encrypt {
			o.Direct = -1
		}
		if rank > 0 {
			o.Listen = address(rank)
			o.Reach = []string{"192.0.2.1", address(0), address(rank)}
		}
		all = append(all, o)
	}
	return all
}

const (
	noticed = 2 * time.Second // the time within which a failure should be noticed
	late    = 8 * time.Second // the time after which the test fails; the machine may be busy
)

// TestHosts runs a job on four hosts. One host is cut off, or its process is killed or stopped,
// and all other ranks must return an error that names it.
func TestHosts(t *testing.T) {
	t.Parallel()
	h := newHosts(t, 4)
	slowest, slow := map[string]time.Duration{}, 0
	faults := []string{"cut", "kill", "stop"}
	for round := range roundCount() {
		encrypt := round%2 == 1
		t.Run(fmt.Sprintf("end/encrypt=%t", encrypt), func(t *testing.T) {
			orders := h.orders(t, encrypt)
			for i := range orders {
				orders[i].Rounds = 300
			}
			meshtest.WantEnd(t, meshtest.StartJob(t, orders, h.spawn))
		})
		for i, fault := range faults {
			compute := (round+i)%2 == 0
			t.Run(fmt.Sprintf("%s/encrypt=%t/compute=%t", fault, encrypt, compute), func(t *testing.T) {
				took := h.injectFault(t, fault, (round+i)%len(h.all), encrypt, compute)
				slowest[fault] = max(slowest[fault], took)
				if took > noticed {
					slow++
				}
			})
		}
	}
	t.Logf("after %d rounds: slowest %v, %d above %v", roundCount(), slowest, slow, noticed)
}

// TestLateHost checks that a rank connects although its host has no network at first.
func TestLateHost(t *testing.T) {
	h := newHosts(t, 2)
	if err := h.all[1].ip("link set eth0 down"); err != nil {
		t.Fatal(err)
	}
	up := make(chan error, 1)
	go func() {
		time.Sleep(300 * time.Millisecond)
		up <- h.all[1].ip("link set eth0 up")
	}()
	defer func() {
		if err := <-up; err != nil {
			t.Error(err)
		}
	}()
	orders := h.orders(t, true)
	for i := range orders {
		orders[i].Rounds = 10
	}
	meshtest.WantEnd(t, meshtest.StartJob(t, orders, h.spawn))
}

// injectFault causes a fault on one host, and returns how long it took all others to notice.
func (h *hosts) injectFault(t *testing.T, fault string, victim int, encrypt, compute bool) time.Duration {
	t.Helper()
	orders := h.orders(t, encrypt)
	for i := range orders {
		orders[i].Compute = compute
	}
	all := meshtest.StartJob(t, orders, h.spawn)
	time.Sleep(120 * time.Millisecond) // lets each rank send a beat
	began := time.Now()
	switch fault {
	case "cut":
		h.link(t, victim, "down")
		defer h.link(t, victim, "up")
	case "kill":
		all[victim].Signal(t, syscall.SIGKILL)
	case "stop":
		all[victim].Signal(t, syscall.SIGSTOP)
	}
	name := fmt.Sprintf("rank %d", victim)
	for _, p := range all {
		if p.Rank == victim && fault != "cut" {
			continue
		}
		if s := p.Next(t); !strings.Contains(s.Error, name) {
			t.Errorf("rank %d: %+v, want an error that names %s", p.Rank, s, name)
		}
	}
	took := time.Since(began)
	if took > late {
		t.Errorf("the fault was noticed after %v, want %v or less", took, late)
	}
	return took
}
