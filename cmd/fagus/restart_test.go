//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc64"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

var kills = flag.Int("kills", 0, "how many ranks TestKilledRanks kills, half of them on each network; 0: 200 with FAGUS_LONG=2, otherwise 20; 100 take 1 to 4 minutes, and -timeout must permit it")

// TestKilledRanks kills ranks of fagus run sor --restart at random instants, also while they start
// or resume. The result, and all arrays at the end, must equal an undisturbed run, bit for bit. It
// logs the times from the kill until the new ranks have computed and saved one iteration.
func TestKilledRanks(t *testing.T) {
	longtest.Third(t)
	if testing.Short() {
		t.Skip("a killed run takes a second, and the ranks are processes without the race detector")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var reference result
	reference.run(t, []string{"--net", "shm", "--nodes", "1"}, nil)
	each := longtest.Cases(200, 8) / 2
	if *kills > 0 {
		each = (*kills + 1) / 2
	}
	for _, net := range []string{"shm", "tcp"} {
		var times []time.Duration
		for done, next := 0, 0; done < each; {
			nodes := 2 + next%3
			k := killer{nodes: nodes, victim: next, left: min(4, each-done), random: random}
			next++
			var got result
			got.run(t, []string{"--net", net, "--nodes", strconv.Itoa(nodes), "--restart", "20"}, &k)
			if got.Bits != reference.Bits || got.Verification != reference.Verification || got.sum != reference.sum {
				t.Errorf("%s, %d nodes, %d kills: bits %s, %v, contents %x; undisturbed: %s, %v, %x", net, nodes, k.done, got.Bits, got.Verification, got.sum, reference.Bits, reference.Verification, reference.sum)
			}
			if t.Failed() {
				return
			}
			done += k.done
			times = append(times, k.times...)
		}
		t.Logf("%s: %d kills", net, each)
		slices.Sort(times)
		if len(times) > 0 {
			t.Logf("%s: from kill -9 to computing again: median %v, worst %v of %d", net, times[len(times)/2].Round(time.Millisecond), times[len(times)-1].Round(time.Millisecond), len(times))
		}
	}
}

// sorSize is the flag -n of all runs of sor.
const sorSize = "150"

// result is the outcome of a run of sor.
type result struct {
	Bits         string `json:"bits"`
	Verification struct {
		Value float64 `json:"value"`
	} `json:"verification"`
	sum uint64 // of the arrays after one more iteration
}

// run runs sor with a checkpoint of each iteration.
func (r *result) run(t *testing.T, flags []string, k *killer) {
	t.Helper()
	folder := inMemory(t)
	const iterations = 4000
	cmd, errs, end := start(t, append([]string{"run", "sor", "-n", sorSize, "--iterations", strconv.Itoa(iterations), "--checkpoint", folder, "--checkpoint-every", "0s", "--json"}, flags...)...)
	ended := make(chan struct{})
	var killing sync.WaitGroup
	if k != nil {
		killing.Go(func() { k.run(cmd.Process.Pid, folder, errs, ended) })
	}
	out, err := end()
	close(ended)
	killing.Wait()
	if err == nil {
		err = json.Unmarshal([]byte(out), r)
	}
	if err == nil {
		r.sum, err = contents(t, folder, iterations+1)
	}
	if err != nil {
		t.Fatalf("%v: %v: %s%s", cmd.Args, err, out, errs)
	}
}

// start starts a command of fagus, and returns a function that returns its output when it has
// ended.
func start(t *testing.T, words ...string) (cmd *exec.Cmd, errs *told, end func() (out string, err error)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, command(t, "fagus"), words...)
	var out bytes.Buffer
	errs = &told{}
	cmd.Stdout, cmd.Stderr = &out, errs
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, errs, func() (string, error) {
		err := cmd.Wait()
		return out.String(), err
	}
}

// inMemory returns an empty folder, in memory if this machine can, so that the disk does not count.
func inMemory(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/dev/shm", "fagus-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// contents returns a checksum of all arrays after so many iterations. The newest checkpoint may be
// of an earlier one, because ranks compute while they write. In virtual time they do not.
func contents(t *testing.T, folder string, iterations int) (sum uint64, err error) {
	ctx := t.Context()
	cmd := exec.CommandContext(ctx, command(t, "fagus"), "run", "sor", "-n", sorSize, "--iterations", strconv.Itoa(iterations), "--nodes", "1", "--checkpoint", folder, "--checkpoint-every", "0s")
	if text, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%v: %w: %s", cmd.Args, err, text)
	}
	store, err := checkpoint.OpenDirectory(folder)
	if err != nil {
		return 0, err
	}
	numbers, err := checkpoint.Numbers(ctx, store)
	if err != nil || len(numbers) == 0 {
		return 0, errors.Join(err, errors.New("there is no checkpoint"))
	}
	from, err := checkpoint.Open(ctx, store, numbers[len(numbers)-1])
	if err != nil {
		return 0, err
	}
	defer from.Close()
	if state := string(from.State()); state != strconv.Itoa(iterations) {
		return 0, fmt.Errorf("the newest checkpoint is of iteration %s, want %d", state, iterations)
	}
	for i, a := range from.Arrays() {
		b := make([]byte, a.Bytes)
		if err := from.Read(i, 0, b); err != nil {
			return 0, err
		}
		sum = crc64.Update(sum, crc64.MakeTable(crc64.ECMA), b)
	}
	return sum, nil
}

// told is what a command has printed on standard error.
type told struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *told) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *told) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// killer kills ranks of a job.
type killer struct {
	nodes, victim int
	left          int // kills to do
	random        *rand.Rand

	done  int
	times []time.Duration // until the job computed again, where no other kill came before
}

// run kills until the command ends. launcher is its process.
func (k *killer) run(launcher int, folder string, errs *told, ended <-chan struct{}) {
	wait := func(until func() bool) bool {
		for !until() {
			select {
			case <-ended:
				return false
			case <-time.After(time.Millisecond):
			}
		}
		return true
	}
	computing := func(than uint64) func() bool { return func() bool { return newestIn(folder) > than } }
	if !wait(computing(0)) {
		return
	}
	for ; k.left > 0; k.left-- {
		time.Sleep(time.Duration(k.random.Int64N(int64(100 * time.Millisecond))))
		var pid int
		if !wait(func() bool { pid = rankOf(launcher, k.victim%k.nodes); return pid != 0 }) {
			return
		}
		k.victim++
		begun := time.Now()
		if syscall.Kill(pid, syscall.SIGKILL) != nil {
			return // it has just ended
		}
		from, again := uint64(0), fmt.Sprintf("attempt %d of ", k.done+2)
		if !wait(func() bool {
			_, after, found := strings.Cut(errs.String(), again)
			line, _, whole := strings.Cut(after, "\n")
			_, number, _ := strings.Cut(line, "from checkpoint ")
			from, _ = strconv.ParseUint(number, 10, 64) // 0: from the start
			return found && whole
		}) {
			return
		}
		k.done++
		if k.random.IntN(4) == 0 {
			continue // the next kill may hit ranks that start
		}
		if !wait(computing(from)) {
			return
		}
		k.times = append(k.times, time.Since(begun))
	}
}

// newestIn returns the number of the newest checkpoint in a folder, or 0.
func newestIn(folder string) (newest uint64) {
	names, _ := filepath.Glob(filepath.Join(folder, "c*.manifest")) // the pattern is right
	for _, name := range names {
		number, _ := strconv.ParseUint(strings.TrimSuffix(filepath.Base(name)[1:], ".manifest"), 10, 64)
		newest = max(newest, number)
	}
	return newest
}

// rankOf returns the process of a rank that a launcher has started, or 0.
func rankOf(launcher, rank int) (pid int) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, path := range all {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		words := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(words) < 2 || words[0] == "Z" || words[1] != strconv.Itoa(launcher) {
			continue
		}
		env, err := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		if err == nil && slices.Contains(strings.Split(string(env), "\x00"), fmt.Sprintf("FAGUS_RANK=%d", rank)) {
			pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(path)))
			return pid
		}
	}
	return 0
}
