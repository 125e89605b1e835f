//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/namespaces"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// hosts is a set of network namespaces, each used as a host.
type hosts struct {
	*namespaces.Set
	fagus string // the command
}

// ipRun runs the command ip with the arguments in line, and returns its output.
func ipRun(t *testing.T, line string) string {
	t.Helper()
	out, err := namespaces.Output(line)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// newHosts makes n hosts, which exist until the test ends.
func newHosts(t *testing.T, n int) *hosts {
	t.Helper()
	if testing.Short() {
		t.Skip("namespaces take some seconds")
	}
	if os.Geteuid() != 0 {
		t.Skip("only root makes network namespaces")
	}
	t.Parallel() // the tests mostly wait
	set, err := namespaces.New("fg"+strings.ReplaceAll(t.Name(), "/", "-"), n)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(set.Close)
	return &hosts{set, command(t, "fagus")}
}

// command returns a command line of fagus that starts ranks on all hosts.
func (h *hosts) command(t *testing.T, words ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // on a busy machine
	t.Cleanup(cancel)
	at := slices.Index(words, "--hosts")
	words = slices.Insert(words, at+1, strings.Join(h.Hosts, ","), "--rsh", "ip netns exec %h")
	cmd := exec.CommandContext(ctx, h.fagus, words...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FAGUS_") })
	cmd.Env = append(cmd.Env, "FAGUS_STALL=5s") // tests wait until a stopped rank is reported
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// empty fails the test if a process or a socket is left on a host.
func (h *hosts) empty(t *testing.T) {
	t.Helper()
	for _, name := range h.Hosts {
		left := func() string {
			return strings.TrimSpace(ipRun(t, "netns pids "+name) + strings.Join(h.sockets(t, name), "\n"))
		}
		for begun := time.Now(); left() != ""; time.Sleep(20 * time.Millisecond) {
			if time.Since(begun) > 10*time.Second {
				t.Fatalf("host %s has processes or sockets left: %s", name, left())
			}
		}
	}
}

// sockets returns the sockets of a host, except sockets that are being closed.
func (h *hosts) sockets(t *testing.T, name string) []string {
	t.Helper()
	var all []string
	for _, kind := range []string{"tcp", "tcp6", "udp", "udp6"} {
		table := ipRun(t, "netns exec "+name+" cat /proc/net/"+kind)
		for line := range strings.Lines(table) {
			words := strings.Fields(line)
			const established, listening, unconnected = "01", "0A", "07"
			if len(words) > 3 && slices.Contains([]string{established, listening, unconnected}, words[3]) {
				all = append(all, line)
			}
		}
	}
	return all
}

// process waits until a rank is connected to all other ranks, and returns the rank's process.
func (h *hosts) process(t *testing.T, rank int) *os.Process {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < 30*time.Second; time.Sleep(20 * time.Millisecond) {
		connected := 0
		for _, s := range h.sockets(t, h.Hosts[rank]) {
			if strings.Fields(s)[3] == "01" {
				connected++
			}
		}
		if connected < len(h.Hosts) { // one per other rank, one to the rendezvous
			continue
		}
		for _, word := range strings.Fields(ipRun(t, "netns pids "+h.Hosts[rank])) {
			env, err := os.ReadFile("/proc/" + word + "/environ")
			if err != nil || !bytes.Contains(env, fmt.Appendf(nil, "FAGUS_RANK=%d\x00", rank)) {
				continue
			}
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			p, err := os.FindProcess(pid)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
	}
	t.Fatalf("rank %d has not connected to the others", rank)
	return nil
}

func TestHosts(t *testing.T) {
	longtest.Third(t)
	h := newHosts(t, 4)
	for _, words := range [][]string{
		{"launch", "-n", "4", "--hosts", "--", h.fagus, "run", "matmul", "--net", "tcp", "--n", "128", "--mode", "phase"},
		{"run", "matmul", "--net", "tcp", "--n", "128", "--nodes", "4", "--mode", "threaded", "--hosts"},
		{"run", "matmul", "--net", "tcp", "--n", "64", "--nodes", "8", "--hosts", "--insecure"},
	} {
		out, err := h.command(t, words...).CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("verified: ")) {
			t.Errorf("%v: %v: %s", words, err, out)
		}
		h.empty(t)
	}
	cmd := h.command(t, "launch", "-n", "4", "--hosts", "--", "fagus-no-such-program")
	if out, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("the program must be on each host, at the same path")) {
		t.Errorf("launching a missing program: %v: %s", err, out)
	}
}

// TestHostsFail: when a rank fails in the middle of its work, the launcher ends with an error that
// names the rank, and leaves no process or socket.
func TestHostsFail(t *testing.T) {
	for _, c := range []struct {
		name   string
		victim int
		hit    func(t *testing.T, h *hosts, p *os.Process)
		says   string
	}{
		{"killed", 2, func(t *testing.T, _ *hosts, p *os.Process) { signalTo(t, p, syscall.SIGKILL) }, "rank 2"},
		{"rank 0 killed", 0, func(t *testing.T, _ *hosts, p *os.Process) { signalTo(t, p, syscall.SIGKILL) }, "rank 0"},
		{"stopped", 1, func(t *testing.T, _ *hosts, p *os.Process) { signalTo(t, p, syscall.SIGSTOP) }, "rank 1"},
		{"rank 0 stopped", 0, func(t *testing.T, _ *hosts, p *os.Process) { signalTo(t, p, syscall.SIGSTOP) }, "rank 0"},
		{"cut off", 3, func(t *testing.T, h *hosts, _ *os.Process) { ipRun(t, "-n "+h.Hosts[3]+" link set eth0 down") }, "rank 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.victim == 0 {
				longtest.Need(t)
			}
			longtest.Third(t)
			h := newHosts(t, 4)
			cmd := h.command(t, "bench", "--net", "tcp", "--nodes", "4", "--bytes", "8", "--samples", "100000", "--hosts")
			errs, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			c.hit(t, h, h.process(t, c.victim))
			hit := time.Now()
			lines := bufio.NewReader(errs)
			first, _ := lines.ReadString('\n') // a missing line fails the test below
			reported := time.Since(hit)
			rest, err := io.ReadAll(lines)
			if err != nil {
				t.Error(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) {
				t.Errorf("the launcher ended with %v", err)
			}
			output := first + string(rest)
			if !strings.Contains(output, c.says) || reported > 20*time.Second {
				t.Errorf("after %v the output is %s: want %s, within 20 s", reported, output, c.says)
			}
			t.Logf("%v after the rank was %s: %s", reported, c.name, output)
			h.empty(t)
		})
	}
}

// TestHostsWithoutUDP: hosts that drop all datagrams run a job, and the user is told.
func TestHostsWithoutUDP(t *testing.T) {
	longtest.Need(t)
	h := newHosts(t, 3)
	for i := range h.Hosts {
		if err := h.Drop(i, "ipproto udp"); err != nil {
			t.Skip("no rules for a protocol here: ", err)
		}
	}
	out, err := h.command(t, "run", "matmul", "--net", "tcp", "--n", "64", "--nodes", "3", "--hosts").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("verified: ")) {
		t.Errorf("%v: %s", err, out)
	}
	h.empty(t)
	cmd := h.command(t, "bench", "--net", "tcp", "--nodes", "3", "--bytes", "8", "--samples", "100000", "--hosts")
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(errs)
	if first, err := lines.ReadString('\n'); err != nil || !strings.Contains(first, "warning: no datagram from rank") {
		t.Errorf("the first line is %q, %v: want a warning", first, err)
	}
	time.Sleep(7 * time.Second) // longer than silence is forgiven
	signalTo(t, cmd.Process, syscall.SIGTERM)
	rest, err := io.ReadAll(lines)
	var exit *exec.ExitError
	if failed := cmd.Wait(); err != nil || !errors.As(failed, &exit) || exit.ExitCode() != runflags.ExitInterrupted || bytes.Contains(rest, []byte("gone")) {
		t.Errorf("the interrupted launcher ended with %v, %v: %s", failed, err, rest)
	}
	h.empty(t)
}

// TestHostsPause: a rank that is stopped for a second, or shares its processor with many
// processes, is not reported as lost.
func TestHostsPause(t *testing.T) {
	longtest.Third(t)
	h := newHosts(t, 3)
	cmd := h.command(t, "bench", "--net", "tcp", "--nodes", "3", "--bytes", "8", "--samples", "100000", "--hosts")
	var output bytes.Buffer
	cmd.Stderr = &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all []*os.Process
	for rank := range 3 {
		all = append(all, h.process(t, rank))
	}
	for _, p := range all[:longtest.Cases(3, 1)] {
		signalTo(t, p, syscall.SIGSTOP)
		time.Sleep(time.Second)
		signalTo(t, p, syscall.SIGCONT)
		time.Sleep(300 * time.Millisecond)
	}
	for rank, p := range all {
		if err := p.Signal(syscall.Signal(0)); err != nil {
			t.Errorf("rank %d has ended: %v", rank, err)
		}
	}
	signalTo(t, cmd.Process, syscall.SIGTERM)
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != runflags.ExitInterrupted || strings.Contains(output.String(), "lost") {
		t.Errorf("the interrupted launcher ended with %v: %s", err, output.String())
	}
	h.empty(t)
}

func signalTo(t *testing.T, p *os.Process, s os.Signal) {
	t.Helper()
	if err := p.Signal(s); err != nil {
		t.Error(err)
	}
}
