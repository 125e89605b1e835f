//go:build linux

package cluster_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a rank that is a process of its own.
type process struct {
	cmd    *exec.Cmd
	stdout *bufio.Reader
	stderr *strings.Builder
	said   chan time.Time // when it wrote the first line to stderr
	read   chan struct{}  // closed when all of it is read
}

// start starts a job of so many processes.
func start(t *testing.T, size int, laps, rendezvous string) []*process {
	t.Helper()
	all := make([]*process, size)
	for rank := range all {
		cmd := exec.CommandContext(within(t), os.Args[0])
		cmd.Env = append(os.Environ(), childBody+"="+laps, "FAGUS_RENDEZVOUS="+rendezvous,
			fmt.Sprintf("FAGUS_RANK=%d", rank), fmt.Sprintf("FAGUS_SIZE=%d", size))
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		p := &process{cmd: cmd, stdout: bufio.NewReader(stdout), stderr: new(strings.Builder), said: make(chan time.Time, 1), read: make(chan struct{})}
		go func() {
			defer close(p.read)
			lines := bufio.NewReader(stderr)
			line, _ := lines.ReadString('\n')
			p.said <- time.Now()
			p.stderr.WriteString(line)
			_, _ = io.Copy(p.stderr, lines) // until the process has ended
		}()
		all[rank] = p
	}
	return all
}

// runs waits until the process is in its ring.
func (p *process) runs(t *testing.T) {
	t.Helper()
	if line, err := p.stdout.ReadString('\n'); err != nil || line != "runs\n" {
		t.Errorf("a rank says %q, %v", line, err)
	}
}

// end waits for the process, and returns how it ended and what it said.
func (p *process) end() (said string, err error) {
	<-p.read
	err = p.cmd.Wait()
	return p.stderr.String(), err
}

// noSocket fails if the abstract name is still there.
func noSocket(t *testing.T, name string) {
	t.Helper()
	sockets, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(sockets), name) {
		t.Errorf("the socket %s is left", name)
	}
}

// TestProcesses has a ring of processes that ends well.
func TestProcesses(t *testing.T) {
	name := fmt.Sprintf("@%s-%d", t.Name(), os.Getpid())
	for rank, p := range start(t, 4, "1000", "unix:"+name) {
		p.runs(t)
		if said, err := p.end(); err != nil || said != "" {
			t.Errorf("rank %d: %v: %s", rank, err, said)
		}
	}
	noSocket(t, name)
}

// TestStop stops a rank for a while: nobody may take it for dead.
func TestStop(t *testing.T) {
	all := start(t, 3, "1000000000", fmt.Sprintf("unix:@%s-%d", t.Name(), os.Getpid()))
	for _, p := range all {
		p.runs(t)
	}
	signal := func(s os.Signal) {
		if err := all[1].cmd.Process.Signal(s); err != nil {
			t.Error(err)
		}
	}
	signal(syscall.SIGSTOP)
	time.Sleep(1200 * time.Millisecond)
	signal(syscall.SIGCONT)
	time.Sleep(50 * time.Millisecond)
	for rank, p := range all {
		select {
		case <-p.said:
			t.Errorf("rank %d: %s", rank, p.stderr)
		default:
		}
	}
	signal(syscall.SIGKILL)
	for rank, p := range all {
		if said, err := p.end(); err == nil {
			t.Errorf("rank %d ends well without rank 1: %s", rank, said)
		}
	}
}

// TestStall stops each rank for good. All others must say so soon: after 1.7 s, on a
// machine that is not too busy for this test.
func TestStall(t *testing.T) {
	const size = 3
	for victim := range size {
		all := start(t, size, "1000000000", fmt.Sprintf("unix:@%s-%d-%d", t.Name(), os.Getpid(), victim))
		for _, p := range all {
			p.runs(t)
		}
		stopped := time.Now()
		if err := all[victim].cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		took := make([]time.Duration, size)
		for rank, p := range all {
			if rank != victim {
				took[rank] = (<-p.said).Sub(stopped)
			}
		}
		if err := all[victim].cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		for rank, p := range all {
			said, err := p.end()
			if rank == victim {
				continue
			}
			if want := fmt.Sprintf("rank %d is gone: its process has shown no sign of life", victim); err == nil || !strings.Contains(said, want) || took[rank] > 10*time.Second {
				t.Errorf("rank %d is stopped, and after %v rank %d ends with %v and says %s", victim, took[rank], rank, err, said)
			}
		}
	}
}

// TestHostsStall stops each rank of a job that meets at an address, first for a second, which
// nobody may notice, and then for good, which all others must say soon: after 1.8 s, on a
// machine that is not too busy for this test.
func TestHostsStall(t *testing.T) {
	const size = 3
	for victim := range size {
		all := start(t, size, "1000000000", freePort(t))
		for _, p := range all {
			p.runs(t)
		}
		signal := func(s os.Signal) {
			if err := all[victim].cmd.Process.Signal(s); err != nil {
				t.Error(err)
			}
		}
		signal(syscall.SIGSTOP)
		time.Sleep(time.Second)
		signal(syscall.SIGCONT)
		time.Sleep(500 * time.Millisecond)
		for rank, p := range all {
			select {
			case <-p.said:
				t.Fatalf("rank %d was stopped for a second, and rank %d says %s", victim, rank, p.stderr)
			default:
			}
		}
		stopped := time.Now()
		signal(syscall.SIGSTOP)
		var longest time.Duration
		for rank, p := range all {
			if rank != victim {
				longest = max(longest, (<-p.said).Sub(stopped))
			}
		}
		signal(syscall.SIGKILL)
		for rank, p := range all {
			said, err := p.end()
			if rank == victim {
				continue
			}
			// The port misses its beats, or the gossip its answers: who is first tells.
			missed := strings.Contains(said, fmt.Sprintf("rank %d is gone: its process has shown no sign of life", victim))
			silent := strings.Contains(said, fmt.Sprintf("rank %d (", victim)) && strings.Contains(said, "is lost: it does not answer")
			if err == nil || !missed && !silent || longest > 10*time.Second {
				t.Errorf("rank %d is stopped, and after %v rank %d ends with %v and says %s", victim, longest, rank, err, said)
			}
		}
		t.Logf("rank %d: %v", victim, longest)
	}
}

// TestKill kills each rank in turn in the middle of the ring. All others must say so
// within a second, and nothing may be left.
func TestKill(t *testing.T) {
	const size, rounds = 4, 20
	var longest time.Duration
	for round := range rounds {
		name := fmt.Sprintf("@%s-%d-%d", t.Name(), os.Getpid(), round)
		all := start(t, size, "1000000000", "unix:"+name)
		for _, p := range all {
			p.runs(t)
		}
		victim := round % size
		killed := time.Now()
		if err := all[victim].cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for rank, p := range all {
			said, err := p.end()
			if rank == victim {
				continue
			}
			took := (<-p.said).Sub(killed)
			longest = max(longest, took)
			if want := fmt.Sprintf("shm: rank %d ", victim); err == nil || !strings.HasPrefix(said, want) || took > time.Second {
				t.Errorf("rank %d is killed, and after %v rank %d ends with %v and says %s", victim, took, rank, err, said)
			}
		}
		noSocket(t, name)
		if t.Failed() {
			break
		}
	}
	t.Logf("the longest took %v", longest)
}
