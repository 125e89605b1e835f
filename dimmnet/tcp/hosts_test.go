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
)

var rounds = flag.Int("rounds", 2, "how often TestHosts and TestStops do what they do")

// namespace is a network namespace, as good as a host. It has no name: when the processes
// in it and the test have ended, however, it is no more.
type namespace struct{ file *os.File }

// newNamespace makes one, or skips the test where that is not allowed.
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

// do calls f in the namespace; nil is that of the test.
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

// apart calls f, which may change the namespace of its thread.
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
		return back // the thread ends with its goroutine
	}
	runtime.UnlockOSThread()
	return err
}

// ip runs the command of that name in the namespace.
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

// hosts are namespaces with an interface each, on a bridge that is in a namespace of its
// own.
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
			t.Skip("no hosts can be made here: ", err)
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

func (h *hosts) host(rank int) *namespace { return h.all[rank] }

// link cuts a host off, or connects it again.
func (h *hosts) link(t *testing.T, host int, state string) {
	t.Helper()
	if err := h.bridge.ip("link set port%d %s", host, state); err != nil {
		t.Error(err)
	}
}

// orders are those of a job of a rank on each host. Rank 0 may be reached on all
// interfaces that there are; the others name addresses besides where nobody is, or
// another host.
func (h *hosts) orders(t *testing.T, encrypt bool) (all []order) {
	t.Helper()
	for rank, id := range identities(t, len(h.all), encrypt) {
		o := order{Rank: rank, Size: len(h.all), Identity: id, Listen: "0.0.0.0"}
		if rank > 0 {
			o.Listen = address(rank)
			o.Reach = []string{"192.0.2.1", address(0), address(rank)}
		}
		all = append(all, o)
	}
	return all
}

const (
	noticed = 2 * time.Second // for the others to have an error
	late    = 8 * time.Second // when the test fails, on a machine that has much else to do
)

// TestHosts has a job on four hosts, of which one is cut off, or its process killed or
// stopped: all others have an error that names it.
func TestHosts(t *testing.T) {
	h := newHosts(t, 4)
	slowest, slow := map[string]time.Duration{}, 0
	faults := []string{"cut", "kill", "stop"}
	for round := range *rounds {
		encrypt := round%2 == 1
		t.Run(fmt.Sprintf("end/encrypt=%t", encrypt), func(t *testing.T) {
			orders := h.orders(t, encrypt)
			for i := range orders {
				orders[i].Rounds = 300
			}
			for _, p := range startJob(t, orders, h.host) {
				if s := p.next(t); !s.Ended || s.Error != "" {
					t.Errorf("rank %d: %+v", p.rank, s)
				}
			}
		})
		for i, fault := range faults {
			compute := (round+i)%2 == 0
			t.Run(fmt.Sprintf("%s/encrypt=%t/compute=%t", fault, encrypt, compute), func(t *testing.T) {
				took := h.suffer(t, fault, (round+i)%len(h.all), encrypt, compute)
				slowest[fault] = max(slowest[fault], took)
				if took > noticed {
					slow++
				}
			})
		}
	}
	t.Logf("after %d rounds: slowest %v, %d above %v", *rounds, slowest, slow, noticed)
}

// TestLateHost has a rank that calls when its host has no network yet.
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
	for _, p := range startJob(t, orders, h.host) {
		if s := p.next(t); !s.Ended || s.Error != "" {
			t.Errorf("rank %d: %+v", p.rank, s)
		}
	}
}

// suffer has a fault at one host, and returns how long it took all others to notice.
func (h *hosts) suffer(t *testing.T, fault string, victim int, encrypt, compute bool) time.Duration {
	t.Helper()
	orders := h.orders(t, encrypt)
	for i := range orders {
		orders[i].Compute = compute
	}
	all := startJob(t, orders, h.host)
	time.Sleep(120 * time.Millisecond) // for a beat of each
	began := time.Now()
	switch fault {
	case "cut":
		h.link(t, victim, "down")
		defer h.link(t, victim, "up")
	case "kill":
		all[victim].signal(t, syscall.SIGKILL)
	case "stop":
		all[victim].signal(t, syscall.SIGSTOP)
	}
	name := fmt.Sprintf("rank %d", victim)
	for _, p := range all {
		if p.rank == victim && fault != "cut" {
			continue
		}
		if s := p.next(t); !strings.Contains(s.Error, name) {
			t.Errorf("rank %d: %+v, want an error that names %s", p.rank, s, name)
		}
	}
	took := time.Since(began)
	if took > late {
		t.Errorf("it took %v", took)
	}
	return took
}
