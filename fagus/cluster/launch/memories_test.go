//go:build linux

package launch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/checkpoint/partner"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/gossip"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

const (
	cells = 12
	steps = 12
	// every is how many steps an attempt makes before its victim dies.
	every = 3
	// storeVariable has the address of the store in memory.
	storeVariable = "LAUNCH_TEST_STORE"
)

// inMemory returns a job that keeps checkpoints in the memory of hosts, all of which are this one.
// plan has an event for each attempt. "b" ends host b with its memory, "b/memory" only the process
// of its memory, and "b/stop" stops that process. "b/last" ends it in a job that cannot start
// again. With "scale=5" the job goes on with 5 ranks.
func inMemory(t *testing.T, size int, names string, plan ...string) (*launch.Hosts, *shared) {
	t.Helper()
	job, out := onHosts(t, size, names, "")
	mark := fmt.Sprintf("%s-%d", strings.ReplaceAll(t.Name(), "/", "-"), os.Getpid())
	job.Argv = []string{os.Args[0], "partner", mark, strings.Join(plan, ",")}
	job.Rsh = []string{"env", "HOST=%h", "MARK=" + mark + "-%h"}
	if strings.HasSuffix(plan[0], "/stop") {
		job.Spec.Stall = 3 * time.Second
	}
	if job.Memory = storeVariable; !strings.HasSuffix(plan[0], "/last") {
		job.Restart = len(plan)
	}
	ended := -1
	job.Resize = func() (ranks int) {
		if ended++; ended < len(plan) {
			_, _ = fmt.Sscanf(plan[ended], "scale=%d", &ranks) // 0: something else happens
		}
		return ranks
	}
	t.Cleanup(func() {
		for _, h := range job.Hosts {
			if left := marked("MARK=" + mark + "-" + h.Name); len(left) > 0 {
				t.Errorf("host %s has processes left: %v", h.Name, left)
			}
		}
	})
	return job, out
}

// marked returns the processes with a variable in their environment.
func marked(variable string) (all []int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, path := range paths {
		env, err := os.ReadFile(path)
		if err != nil || !slices.Contains(strings.Split(string(env), "\x00"), variable) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// partnerRank is a rank of a job of inMemory.
func partnerRank(mark, plan string) {
	attempt, err := strconv.Atoi(os.Getenv(cluster.AttemptVariable))
	var event string
	if all := strings.Split(plan, ","); err == nil && attempt < len(all) {
		event = all[attempt]
	}
	var store *partner.Store
	if err == nil {
		store, err = partner.FromEnv(os.Getenv(storeVariable), os.LookupEnv)
	}
	if err == nil {
		cfg := fagus.Config{Checkpoints: checkpoint.New(checkpoint.Config{Store: store})}
		_, err = cluster.Run(context.Background(), cfg, func(n *fagus.Node) error { return relax(n, mark, event) }, gossip.Driver{})
	}
	if errors.Is(err, errScale) {
		os.Exit(launch.Stopped)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// TestHostsInMemory: a job loses hosts with their memory, and the processes that keep it, and
// changes the number of its ranks. It goes on from the last checkpoint each time, to the same bits.
func TestHostsInMemory(t *testing.T) {
	var want [cells]uint64
	for step := range steps {
		for cell := range want {
			want[cell] = next(want[cell], cell, step)
		}
	}
	for _, tt := range []struct {
		name, hosts string
		size        int
		plan        string
		ranks       []int // of each attempt
		says        []string
	}{
		{"undisturbed", "a:1,b:1", 2, "", []int{2}, nil},
		{"spare", "a:1,b:1,c:1,d:1", 3, "b,a", []int{3, 3, 2}, []string{"without host b, attempt 2 of 3, from checkpoint 3", "without host a on 2 of 3 ranks, attempt 3 of 3, from checkpoint 6"}},
		{"to the last", "a:1,b:1,c:1", 3, "c,b", []int{3, 2, 1}, []string{"from checkpoint 3", "without host b on 1 of 3 ranks, attempt 3 of 3, from checkpoint 6"}},
		{"all ranks on a lost host", "a:3,b:3", 3, "a", []int{3, 3}, []string{"without host a, attempt 2 of 2, from checkpoint 3"}},
		{"process of a memory", "a:1,b:1,c:1", 2, "b/memory,a", []int{2, 2, 1}, []string{"host b: the agent", "without host b, attempt 2 of 3, from checkpoint 3", "without host a on 1 of 2 ranks"}},
		{"stopped memory", "a:1,b:1,c:1", 2, "b/stop", []int{2, 2}, []string{"host b: its agent shows no sign of life for 3 s", "without host b, attempt 2 of 2, from checkpoint 3"}},
		{"last attempt", "a:1,b:1", 2, "b/last", []int{2}, []string{"WARN fagus: checkpoint: c00000004-0000"}},
		{"in clear", "a:1,b:1,c:1", 2, "a", []int{2, 2}, []string{"without host a, attempt 2 of 2, from checkpoint 3"}},
		{"scaled", "a:1,b:1,c:2", 2, "scale=4,scale=1,a", []int{2, 4, 1, 1}, []string{"ranks from now on: 4, from checkpoint 3", "ranks from now on: 1, from checkpoint 6", "without host a, attempt 2 of 4, from checkpoint 9"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			job, out := inMemory(t, tt.size, tt.hosts, strings.Split(tt.plan, ",")...)
			job.Spec.Insecure = tt.name == "in clear"
			err := job.Run(t.Context())
			text := out.String()
			if err != nil || !strings.Contains(text, fmt.Sprintf("0: cells %x\n", want)) {
				t.Errorf("%v: want cells %x", err, want)
			}
			for attempt, ranks := range tt.ranks {
				_, after, found := strings.Cut(text, fmt.Sprintf("0: from %d on %d\n", attempt*every, ranks))
				if text = after; !found {
					t.Errorf("attempt %d does not begin at step %d on %d ranks", attempt, attempt*every, ranks)
				}
			}
			for line := range strings.Lines(out.String()) {
				_, folder, found := strings.Cut(strings.TrimSpace(line), "keeps ")
				for begun := time.Now(); found; time.Sleep(10 * time.Millisecond) {
					if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
						break
					} else if time.Since(begun) > 10*time.Second {
						t.Fatalf("%s is left: %v", folder, err)
					}
				}
			}
			for _, says := range tt.says {
				if !strings.Contains(out.String(), says) {
					t.Errorf("it does not say %q", says)
				}
			}
			if t.Failed() {
				t.Errorf("output: %s", out)
			}
		})
	}
}

// TestHungHost: a job that is ended does not wait for a host that does not answer, with ranks and
// memory, and gives ranks that do answer their time.
func TestHungHost(t *testing.T) {
	t.Parallel()
	job, out := onHosts(t, 2, "a:1,b:1", `trap 'sleep 3; echo ends; exit' TERM; [ $HOST = a ] && echo ready; while :; do sleep 0.05; done`)
	mark := fmt.Sprintf("%s-%d", t.Name(), os.Getpid())
	job.Rsh = []string{"env", "HOST=%h", "MARK=" + mark + "-%h"}
	job.Memory, job.Restart, job.Grace = storeVariable, 3, 20*time.Second
	ready := make(chan struct{})
	job.Stdout = &watcher{to: out, what: "ready", left: 1, seen: ready}
	ctx, cancel := context.WithCancelCause(t.Context())
	var begun time.Time
	hit := 0
	go func() {
		<-ready
		hit = kill(marked("MARK="+mark+"-b"), syscall.SIGSTOP, func(pid int) bool {
			cmd, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may have ended
			return bytes.HasSuffix(cmd, []byte("\x00agent\x00"))
		})
		begun = time.Now()
		cancel(&launch.SignalError{Signal: syscall.SIGTERM})
	}()
	err := job.Run(ctx)
	if took := time.Since(begun); hit != 2 || took > 6*time.Second || strings.Count(out.String(), "ends") != 1 {
		t.Errorf("%d agents stopped, and %v after %v: %s", hit, err, took, out)
	}
	for begun := time.Now(); len(marked("MARK="+mark+"-b")) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("the host has processes left")
		}
	}
}

// next returns the value of a cell after a step.
func next(x uint64, cell, step int) uint64 { return x*6364136223846793005 + uint64(100*cell+step) }

// errScale ends a rank that is to go on with others.
var errScale = errors.New("scale")

// relax makes steps, with a checkpoint after each, until something happens. Rank 0 prints from
// where it resumes, and the cells at the end.
func relax(n *fagus.Node, mark, event string) error {
	array, err := fagus.NewArray[uint64](n, "x", cells)
	if err != nil {
		return err
	}
	x := array.Slice()
	var own, all []fagus.Request
	for cell := range cells {
		s, err := n.Bind(fmt.Sprintf("cell %d", cell), array.Range(cell, cell+1))
		if err != nil {
			return err
		}
		all = append(all, s.Read())
		if cell%n.Nodes() == n.Rank() {
			own = append(own, s.Write())
		}
	}
	fmt.Printf("keeps %s\n", memoryHere())
	step := 0
	n.Resume(&step)
	if n.Rank() == 0 {
		fmt.Printf("from %d on %d\n", step, n.Nodes())
	}
	write, read := n.Set(own...), n.Set(all...)
	for last := step + every; step < steps; {
		if step == last && event != "" {
			if err := happens(n, mark, event); err != nil {
				return err
			}
		}
		write.Do(func() {
			for cell := n.Rank(); cell < cells; cell += n.Nodes() {
				x[cell] = next(x[cell], cell, step)
			}
		})
		step++ // the state
		n.Checkpoint()
		n.Barrier()
		if n.Err() != nil {
			return n.Err()
		}
	}
	read.Do(func() {
		if n.Rank() == 0 {
			fmt.Printf("cells %x\n", x)
		}
	})
	return n.Err()
}

// happens does what an event of a plan says.
func happens(n *fagus.Node, mark, event string) error {
	if strings.HasPrefix(event, "scale=") {
		return errScale
	}
	host, what, _ := strings.Cut(event, "/")
	if os.Getenv("HOST") == host {
		folder, processes := memoryHere(), marked("MARK="+mark+"-"+host)
		if what == "" {
			if err := os.RemoveAll(folder); err != nil {
				return err
			}
			kill(processes, syscall.SIGKILL, func(pid int) bool { return pid != os.Getpid() })
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // if the kernel has not
		}
		with := syscall.SIGKILL
		if what == "stop" {
			with = syscall.SIGSTOP
		}
		if hit := kill(processes, with, func(pid int) bool { return keeps(pid, folder) }); hit != 1 {
			return fmt.Errorf("%d of %d processes keep %s", hit, len(processes), folder)
		}
	}
	switch what {
	case "last":
		return nil
	case "memory", "stop":
		time.Sleep(20 * time.Second) // the launcher notices
	}
	n.Barrier()
	return errors.Join(n.Err(), errors.New("still alive"))
}

// memoryHere returns the folder of the memory of this host.
func memoryHere() string {
	_, folder, _ := strings.Cut(os.Getenv(storeVariable), "=")
	return folder
}

// kill sends a signal to some processes, and returns to how many.
func kill(processes []int, with syscall.Signal, which func(pid int) bool) (hit int) {
	for _, pid := range processes {
		if which(pid) && syscall.Kill(pid, with) == nil {
			hit++
		}
	}
	return hit
}

// keeps reports whether a process keeps the memory in a folder: it has started the one that removes
// the folder.
func keeps(pid int, folder string) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // it is right
	for _, path := range threads {
		children, _ := os.ReadFile(path) // it may have ended
		for _, child := range strings.Fields(string(children)) {
			cmd, _ := os.ReadFile("/proc/" + child + "/cmdline") // likewise
			if bytes.Contains(cmd, []byte(folder)) {
				return true
			}
		}
	}
	return false
}
