//go:build linux

package faults

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/namespaces"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// mark is the variable by which the processes of a job are found, whoever has started them.
const mark = "FAGUS_FAULTS"

const (
	startTime = 30 * time.Second
	endTime   = 20 * time.Second
	leaveTime = 3 * time.Second // for the last processes to end after the launcher
)

// job is a job of ranks that are processes. Faults strike one that exchanges data until something
// ends it, and a campaign random programs.
type job struct {
	cmd   *exec.Cmd
	ranks int
	net   *namespaces.Set // each rank is on one of these hosts; nil: all are on this host
	mark  string          // "FAGUS_FAULTS=...", which only this job has in its environment
	ended chan struct{}
	stop  <-chan struct{} // closed when this command is to end

	stopped []int // the processes of a host that was stopped; they go on when the job has ended

	out bytes.Buffer // the launcher's standard output; complete when ended is closed

	mu       sync.Mutex
	reported time.Time // when the first line came, or the first after forget
	lines    []string  // of the launcher's standard error
}

// newHosts makes n namespaces that stand for hosts. number distinguishes the jobs of this process.
func newHosts(n, number int) (*namespaces.Set, error) {
	return namespaces.New(fmt.Sprintf("fagus%d-", number), n)
}

// exchange returns the arguments of a command whose ranks exchange data until something ends them.
func exchange() []string { return []string{"bench", "--bytes", "64", "--samples", "1000000000"} }

// triable returns what can be tried here: without what strikes hosts if no hosts can be made, and
// why they cannot.
func triable[T any](all []T, ofHosts func(T) bool) (able []T, skipped string) {
	if !slices.ContainsFunc(all, ofHosts) {
		return all, ""
	}
	hosts, err := newHosts(1, -1)
	if err != nil {
		return slices.DeleteFunc(all, ofHosts), err.Error()
	}
	hosts.Close()
	return all, ""
}

// skippedText says at the end of a table that faults of hosts were not tried, unless they were.
func skippedText(skipped string) string {
	if skipped == "" {
		return ""
	}
	return "faults of hosts were not tried: " + skipped + "\n"
}

// spec says which job to start.
type spec struct {
	args    []string // without the network and the ranks
	network string
	ranks   int
	hosts   int // namespaces that stand for hosts; 0: all ranks are on this host
	number  int // distinguishes the jobs of this process
	env     []string
	prepare func(hosts []string) error // changes the namespaces before the job starts; may be nil
}

// run starts a job, calls during, and ends the job. It returns how many processes were left, and
// the error of during, or why the job could not start.
func (s *spec) run(ctx context.Context, during func(j *job) error) (left int, err error) {
	var net *namespaces.Set
	if s.hosts > 0 {
		if net, err = newHosts(s.hosts, s.number); err != nil {
			return 0, err
		}
		defer net.Close()
		if s.prepare != nil {
			if err := s.prepare(net.Hosts); err != nil {
				return 0, err
			}
		}
	}
	j, err := s.start(ctx, net)
	if err != nil {
		return 0, err
	}
	err = during(j)
	j.end()
	return j.leftovers(), err
}

// leftText says that processes were left; "" if there were none.
func leftText(left int) string {
	if left == 0 {
		return ""
	}
	return fmt.Sprintf("%d processes are left", left)
}

func (s *spec) start(ctx context.Context, net *namespaces.Set) (*job, error) {
	args := append(slices.Clone(s.args), "--net", s.network, "--nodes", strconv.Itoa(s.ranks))
	if net != nil {
		args = append(args, "--hosts", strings.Join(net.Hosts, ","), "--rsh", "ip netns exec %h")
		if s.network == runflags.OFI { // libfabric encrypts nothing
			args = append(args, "--insecure")
		}
	}
	j := &job{ranks: s.ranks, net: net, mark: fmt.Sprintf("%s=%d-%d", mark, os.Getpid(), s.number), ended: make(chan struct{}), stop: ctx.Done()}
	var err error
	if j.cmd, err = (experiment.Fagus{}).Command(ctx, j.mark, args...); err != nil {
		return nil, err
	}
	j.cmd.Env = append(j.cmd.Env, s.env...)
	j.cmd.Cancel = func() error { // ranks would notice the end of their launcher seconds later
		experiment.Kill(j.mark)
		return nil
	}
	j.cmd.Stdout = &j.out
	errs, err := j.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	// The job hears SIGHUP even if this process ignores it, as under nohup: a signal that is caught
	// is not ignored by a process that is started.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	err = j.cmd.Start()
	signal.Stop(heard)
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(j.ended)
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			j.mu.Lock()
			if j.reported.IsZero() {
				j.reported = time.Now()
			}
			j.lines = append(j.lines, lines.Text())
			j.mu.Unlock()
		}
		_ = j.cmd.Wait() // the lines and the exit code say why
	}()
	return j, nil
}

// sleep waits, and returns false at once if this command is to end.
func (j *job) sleep(d time.Duration) (whole bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-j.stop:
		return false
	}
}

// awaitStart waits until all ranks run and have had time to connect.
func (j *job) awaitStart(ctx context.Context) error {
	for begun := time.Now(); time.Since(begun) < startTime; time.Sleep(20 * time.Millisecond) {
		running := 0
		for rank := range j.ranks {
			if j.pid(rank) != 0 {
				running++
			}
		}
		if running == j.ranks {
			j.sleep(time.Second)
			return nil
		}
		select {
		case <-j.ended:
			return fmt.Errorf("the job has not started: %s", strings.Join(j.output(), "; "))
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
	}
	return errors.New("the job has not started in " + startTime.String())
}

// forget makes reported the time of the next line, and returns the number of lines before it.
func (j *job) forget() (lines int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.reported = time.Time{}
	return len(j.lines)
}

func (j *job) output() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines)
}

// pid returns the process of a rank; 0 if there is none.
func (j *job) pid(rank int) int {
	for pid, env := range experiment.Processes(j.mark) {
		if bytes.Contains(env, fmt.Appendf(nil, "\x00FAGUS_RANK=%d\x00", rank)) {
			return pid
		}
	}
	return 0
}

func (j *job) signal(rank int, s syscall.Signal) error {
	pid := j.pid(rank)
	if pid == 0 {
		return fmt.Errorf("rank %d does not run", rank)
	}
	return syscall.Kill(pid, s)
}

// awaitLine waits for the first line since forget, for a time.
func (j *job) awaitLine(atMost time.Duration) {
	for begun := time.Now(); time.Since(begun) < atMost && j.sleep(time.Millisecond); {
		j.mu.Lock()
		came := !j.reported.IsZero()
		j.mu.Unlock()
		if came {
			return
		}
	}
}

// signalHost sends a signal to the agent that has started a rank; all: to all processes of its
// host.
func (j *job) signalHost(rank int, s syscall.Signal, all bool) error {
	pid := j.pid(rank)
	if pid == 0 {
		return fmt.Errorf("rank %d does not run", rank)
	}
	if !all {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return err
		}
		words := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if pid, err = strconv.Atoi(words[1]); err != nil || pid <= 1 {
			return fmt.Errorf("rank %d has no agent", rank)
		}
		return syscall.Kill(pid, s)
	}
	text, err := namespaces.Output("netns pids " + j.net.Hosts[rank])
	for _, word := range strings.Fields(text) {
		if pid, wrong := strconv.Atoi(word); wrong == nil {
			_ = syscall.Kill(pid, s) // it may have ended with its parent
			if s == syscall.SIGSTOP {
				j.stopped = append(j.stopped, pid)
			}
		}
	}
	return err
}

// mute makes the other hosts drop what the host of a rank sends.
func (j *job) mute(rank int) error {
	for i := range j.net.Hosts {
		if i == rank {
			continue
		}
		if err := j.net.Drop(i, "from "+namespaces.Address(rank)); err != nil {
			return err
		}
	}
	return nil
}

// rollCall makes all ranks print what they do.
func (j *job) rollCall() {
	for rank := range j.ranks {
		_ = j.signal(rank, syscall.SIGQUIT) // it may have ended
		_ = j.signal(rank, syscall.SIGCONT)
	}
	select {
	case <-j.ended:
	case <-time.After(leaveTime):
	}
}

// end ends a job that has gone on.
func (j *job) end() {
	_ = j.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-j.ended:
	case <-time.After(endTime):
	}
}

// leftovers waits for the processes of the job to end, and then kills and counts those that have
// not.
func (j *job) leftovers() int {
	for _, pid := range j.stopped {
		_ = syscall.Kill(pid, syscall.SIGCONT) // the keeper ends the others
	}
	for begun := time.Now(); time.Since(begun) < leaveTime && j.sleep(20*time.Millisecond); {
		if len(experiment.Processes(j.mark)) == 0 {
			return 0
		}
	}
	return experiment.Kill(j.mark)
}
