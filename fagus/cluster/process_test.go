//go:build linux

package cluster_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// process is a rank in a process of its own.
type process struct {
	cmd      *exec.Cmd
	stdout   *bufio.Reader
	stderr   *strings.Builder
	reported chan time.Time // receives the time of the first line on standard error
	read     chan struct{}  // closed when all output has been read
}

// start starts a job of the given number of processes.
func start(t *testing.T, size int, laps, rendezvous string, env ...string) []*process {
	t.Helper()
	all := make([]*process, size)
	for rank := range all {
		cmd := exec.CommandContext(within(t), os.Args[0])
		cmd.Env = append(os.Environ(), childBody+"="+laps, "FAGUS_RENDEZVOUS="+rendezvous,
			fmt.Sprintf("FAGUS_RANK=%d", rank), fmt.Sprintf("FAGUS_SIZE=%d", size))
		all[rank] = startProcess(t, cmd, env...)
	}
	return all
}

func startProcess(t *testing.T, cmd *exec.Cmd, env ...string) *process {
	t.Helper()
	cmd.Env = append(cmd.Env, env...)
	// The process may run forever, and a test that panics ends no child.
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
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
	p := &process{cmd: cmd, stdout: bufio.NewReader(stdout), stderr: new(strings.Builder), reported: make(chan time.Time, 1), read: make(chan struct{})}
	go func() {
		defer close(p.read)
		lines := bufio.NewReader(stderr)
		line, _ := lines.ReadString('\n')
		p.reported <- time.Now()
		p.stderr.WriteString(line)
		_, _ = io.Copy(p.stderr, lines) // until the process has ended
	}()
	return p
}

// TestCheckedProcesses: Config.Check finds, at all ranks, what a program of processes leaves
// to the order of phases, in either mode.
func TestCheckedProcesses(t *testing.T) {
	t.Parallel()
	const want = `fagus: "a": nothing but the order of phases separates the tenures of rank 0 (exclusive, `
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for _, net := range []string{"shm", "tcp"} {
			at := fmt.Sprintf("unix:@%s-%d-%v-%s", t.Name(), os.Getpid(), mode, net)
			for rank, p := range start(t, 3, mode.String(), at, "FAGUS_NET="+net) {
				output, err := p.end()
				if err == nil || !strings.HasPrefix(output, want) || !strings.Contains(output, "and rank 2 (shared, ") {
					t.Errorf("%v, %s, rank %d: %v: %s", mode, net, rank, err, output)
				}
			}
		}
	}
}

// TestWaitsOfProcesses: every rank of a program of processes learns for which variable each rank
// has waited, and where the rank that had it acquires it.
func TestWaitsOfProcesses(t *testing.T) {
	t.Parallel()
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for _, net := range []string{"shm", "tcp"} {
			at := fmt.Sprintf("unix:@%s-%d-%v-%s", t.Name(), os.Getpid(), mode, net)
			for rank, p := range start(t, 3, "serial "+mode.String(), at, "FAGUS_NET="+net) {
				output, err := p.end()
				lines := strings.Split(strings.TrimSpace(output), "\n")
				if err != nil || len(lines) != 3 {
					t.Errorf("%v, %s, rank %d: %v: %s", mode, net, rank, err, output)
					continue
				}
				for _, line := range lines {
					if !regexp.MustCompile(`^rank [012] waited \d+ % of the time for exclusive "head", held( longest)? by rank [012] at cluster/child_test.go:\d+$`).MatchString(line) {
						t.Errorf("%v, %s, rank %d learns: %s", mode, net, rank, line)
					}
				}
			}
		}
	}
}

// TestHolderDies: if a process dies while it holds a variable, the others learn which variable they
// have waited for, and that this rank has held it.
func TestHolderDies(t *testing.T) {
	t.Parallel()
	at := fmt.Sprintf("unix:@%s-%d", t.Name(), os.Getpid())
	for rank, p := range start(t, 3, "die", at, "FAGUS_NET=shm") {
		output, err := p.end()
		if rank == 1 {
			continue // it has been killed
		}
		const want = `Acquire: locks: waiting for "head", which rank 1 holds: shm: rank 1 `
		if err == nil || !strings.Contains(output, want) || !strings.Contains(output, "rank 1 is gone: ") {
			t.Errorf("rank %d: %v: %s: want %s", rank, err, output, want)
		}
	}
}

// identities writes the identities of the ranks of a job, and returns the variable that names them.
func identities(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	authority, err := identity.NewAuthority(size)
	if err != nil {
		t.Fatal(err)
	}
	for rank := range dimmnet.Rank(size) {
		id, err := authority.Issue(rank)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, cluster.IdentityFile(rank)), id.Encode(), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return "FAGUS_IDENTITY=" + dir
}

// shortStall makes ranks report a stopped rank soon.
const shortStall = "FAGUS_STALL=1600ms"

// runs waits until the process is in its ring.
func (p *process) runs(t *testing.T) {
	t.Helper()
	if line, err := p.stdout.ReadString('\n'); err != nil || line != "runs\n" {
		t.Errorf("a rank prints %q, %v before it enters the ring", line, err)
	}
}

// end waits until the process ends, and returns its output and its error.
func (p *process) end() (output string, err error) {
	<-p.read
	err = p.cmd.Wait()
	return p.stderr.String(), err
}

// noSocket fails if the abstract socket still exists.
func noSocket(t *testing.T, name string) {
	t.Helper()
	sockets, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(sockets), name) {
		t.Errorf("the socket %s still exists", name)
	}
}

// TestProcesses runs a ring of processes that ends normally.
func TestProcesses(t *testing.T) {
	name := fmt.Sprintf("@%s-%d", t.Name(), os.Getpid())
	for rank, p := range start(t, 4, "1000", "unix:"+name) {
		p.runs(t)
		if output, err := p.end(); err != nil || output != "" {
			t.Errorf("rank %d: %v: %s", rank, err, output)
		}
	}
	noSocket(t, name)
}

// TestTwoNetworks starts ranks with different FAGUS_NET, which meet at a socket and at an address.
func TestTwoNetworks(t *testing.T) {
	t.Parallel() // the test mostly waits
	for _, at := range []string{fmt.Sprintf("unix:@%s-%d", t.Name(), os.Getpid()), freePort(t)} {
		for _, nets := range [][2]string{{"tcp", "tcp"}, {"tcp", "quic"}} {
			var all []*process
			for rank, net := range nets {
				cmd := exec.CommandContext(within(t), os.Args[0])
				cmd.Env = append(os.Environ(), childBody+"=run", "FAGUS_RENDEZVOUS="+at, "FAGUS_SIZE=2", fmt.Sprintf("FAGUS_RANK=%d", rank), "FAGUS_NET="+net)
				all = append(all, startProcess(t, cmd))
			}
			for rank, p := range all {
				output, err := p.end()
				refused := err != nil && strings.Contains(output, `"quic"`) && strings.Contains(output, `"tcp": set FAGUS_NET to the same on all ranks`)
				if same := nets[0] == nets[1]; same && err != nil || !same && !refused {
					t.Errorf("%v at %s: rank %d ends with %v: %s", nets, at, rank, err, output)
				}
			}
		}
	}
}

// TestStop stops a rank for a while. No other rank may report it lost.
func TestStop(t *testing.T) {
	all := start(t, 3, "1000000000", fmt.Sprintf("unix:@%s-%d", t.Name(), os.Getpid()), shortStall)
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
		case <-p.reported:
			t.Errorf("rank %d: %s", rank, p.stderr)
		default:
		}
	}
	signal(syscall.SIGKILL)
	for rank, p := range all {
		if output, err := p.end(); err == nil {
			t.Errorf("rank %d ended normally without rank 1: %s", rank, output)
		}
	}
}

// TestStall stops a rank forever, in long tests each in turn. All other ranks must report the
// stopped rank soon: after 1.7 s, if the machine is not too busy.
func TestStall(t *testing.T) {
	t.Parallel() // the test mostly waits
	const size = 3
	for victim := range longtest.Cases(size, 2) {
		all := start(t, size, "1000000000", fmt.Sprintf("unix:@%s-%d-%d", t.Name(), os.Getpid(), victim), shortStall)
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
				took[rank] = (<-p.reported).Sub(stopped)
			}
		}
		if err := all[victim].cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		for rank, p := range all {
			output, err := p.end()
			if rank == victim {
				continue
			}
			if want := fmt.Sprintf("rank %d is gone: its process has shown no sign of life", victim); err == nil || !strings.Contains(output, want) || took[rank] > 10*time.Second {
				t.Errorf("after rank %d was stopped for %v, rank %d ended with %v: %s", victim, took[rank], rank, err, output)
			}
		}
	}
}

// TestMeetingsWithoutARank stops a rank before a Gather or a Close, when no network watches it. The
// ranks that wait for it must report it soon.
func TestMeetingsWithoutARank(t *testing.T) {
	const size = 3
	for _, call := range []string{"gather:0", "gather:1", "gather:2", "close:1"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			victim := int(call[len(call)-1] - '0')
			all := start(t, size, call, fmt.Sprintf("unix:@%s-%d", t.Name(), os.Getpid()), shortStall)
			begun := time.Now()
			for rank, p := range all {
				if rank == victim || call == "close:1" && rank != 0 { // rank 0 alone waits in Close
					continue
				}
				output, err := p.end()
				if want := fmt.Sprintf("rank %d (pid", victim); err == nil || !strings.Contains(output, want) || !strings.Contains(output, "it does not answer") || time.Since(begun) > 20*time.Second {
					t.Errorf("rank %d ended after %v with %v: %s", rank, time.Since(begun), err, output)
				}
			}
			if err := all[victim].cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
			for _, p := range all {
				_, _ = p.end()
			}
		})
	}
}

// TestHostsStall stops a rank of a job that meets at an address, in long tests each in turn: first
// for a second, which must have no effect, then forever. All other ranks must report the stopped
// rank soon: after 1.8 s, if the machine is not too busy.
func TestHostsStall(t *testing.T) {
	t.Parallel() // the test mostly waits
	const size = 3
	for victim := range longtest.Cases(size, 1) {
		all := start(t, size, "1000000000", freePort(t), identities(t, size), shortStall)
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
			case <-p.reported:
				t.Fatalf("rank %d was stopped for a second, and rank %d reported: %s", victim, rank, p.stderr)
			default:
			}
		}
		stopped := time.Now()
		signal(syscall.SIGSTOP)
		var longest time.Duration
		for rank, p := range all {
			if rank != victim {
				longest = max(longest, (<-p.reported).Sub(stopped))
			}
		}
		signal(syscall.SIGKILL)
		for rank, p := range all {
			output, err := p.end()
			if rank == victim {
				continue
			}
			// The port misses heartbeats, or memberlist misses answers; either reports the loss.
			missed := strings.Contains(output, fmt.Sprintf("rank %d is gone: its process has shown no sign of life", victim))
			silent := strings.Contains(output, fmt.Sprintf("rank %d (", victim)) && strings.Contains(output, "is lost: it does not answer")
			if err == nil || !missed && !silent || longest > 10*time.Second {
				t.Errorf("after rank %d was stopped for %v, rank %d ended with %v: %s", victim, longest, rank, err, output)
			}
		}
		t.Logf("rank %d: %v", victim, longest)
	}
}

// TestKill kills each rank in turn in the middle of the ring. All other ranks must report the
// killed rank within a second, and no socket may be left.
func TestKill(t *testing.T) {
	longtest.Third(t)
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
			output, err := p.end()
			if rank == victim {
				continue
			}
			took := (<-p.reported).Sub(killed)
			longest = max(longest, took)
			if want := fmt.Sprintf("shm: rank %d ", victim); err == nil || !strings.HasPrefix(output, want) || took > time.Second {
				t.Errorf("%[2]v after rank %[1]d was killed, rank %[3]d ended with %[4]v: %[5]s", victim, took, rank, err, output)
			}
		}
		noSocket(t, name)
		if t.Failed() {
			break
		}
	}
	t.Logf("the longest took %v", longest)
}
