//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// TestKilledHosts kills hosts of fagus run sor --restart, each with all processes and its memory,
// at random instants after a checkpoint, until too few are left. A host is what has its name in the
// environment. The result must equal an undisturbed run, bit for bit. It logs the times from
// the kill until the new ranks have computed and saved an iteration.
func TestKilledHosts(t *testing.T) {
	longtest.Need(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	sor := []string{"run", "sor", "-n", sorSize, "--iterations", "4000", "--json"}
	finish := func(what string, end func() (string, error), errs *told) (r result) {
		out, err := end()
		if err == nil {
			err = json.Unmarshal([]byte(out), &r)
		}
		if err != nil || r.Bits == "" {
			t.Fatalf("%s: %v: %s%s", what, err, out, errs)
		}
		return r
	}
	_, errs, end := start(t, append(sor, "--net", "inproc", "--nodes", "1")...)
	want := finish("undisturbed", end, errs)
	var times []time.Duration
	for kills := longtest.Cases(200, 4); len(times) < kills; {
		const hosts, nodes = 9, 3
		j := hostJob{mark: fmt.Sprintf("MARK=%d-%d", os.Getpid(), random.Uint64()), random: random}
		var names []string
		for i := range hosts {
			names = append(names, fmt.Sprintf("h%d:1", i))
		}
		t.Setenv("FAGUS_INTERFACE", "lo")
		cmd, errs, end := start(t, append(sor, "--net", "tcp", "--nodes", strconv.Itoa(nodes), "--hosts", strings.Join(names, ","), "--rsh", "env HOST=%h "+j.mark,
			"--restart", strconv.Itoa(hosts), "--checkpoint-every", "1ms")...)
		for left := min(hosts-nodes, kills-len(times)); left > 0; left-- {
			took, err := j.kill(errs)
			if err != nil {
				t.Fatalf("%v: %v: %s", cmd.Args, err, errs)
			}
			times = append(times, took)
		}
		if got := finish("with kills", end, errs); got != want {
			t.Errorf("the result is %+v, that of an undisturbed run %+v: %s", got, want, errs)
		}
		await(t, "the end of all processes", func() bool { return len(j.processes()) == 0 })
		for _, folder := range j.folders {
			await(t, "the end of "+folder, func() bool {
				_, err := os.Stat(folder)
				return errors.Is(err, os.ErrNotExist)
			})
		}
	}
	slices.Sort(times)
	t.Logf("from kill -9 of a host to computing again: median %v, worst %v of %d", times[len(times)/2].Round(time.Millisecond), times[len(times)-1].Round(time.Millisecond), len(times))
}

// hostJob is a job on hosts that are this one.
type hostJob struct {
	mark    string // a variable that all its processes have
	random  *rand.Rand
	folders []string // in the memory of hosts
	killed  int
	newest  uint64 // checkpoint from which the job has gone on
}

// processes returns the environments of all processes of the job.
func (j *hostJob) processes() map[int]map[string]string {
	all := map[int]map[string]string{}
	paths, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), j.mark+"\x00") {
			continue // it has ended, or belongs to nobody here
		}
		env := map[string]string{}
		for _, v := range strings.Split(string(text), "\x00") {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			all[pid] = env
		}
	}
	return all
}

// memories returns the folders of the hosts of ranks, by host, and the newest checkpoint there.
func (j *hostJob) memories(processes map[int]map[string]string) (folders map[string]string, newest uint64) {
	folders = map[string]string{}
	for _, env := range processes {
		address, folder, found := strings.Cut(strings.TrimPrefix(env["FAGUS_CHECKPOINT"], "memory://"), "=")
		if _, rank := env["FAGUS_RANK"]; !rank || !found {
			continue
		}
		own, _, _ := strings.Cut(address, ",")
		folders[env["HOST"]] = folder
		newest = max(newest, newestIn(filepath.Join(folder, own)))
		if !slices.Contains(j.folders, folder) {
			j.folders = append(j.folders, folder)
		}
	}
	return folders, newest
}

// kill kills a host when there is a checkpoint of this attempt, and returns the time until the next
// attempt has made one.
func (j *hostJob) kill(errs *told) (took time.Duration, err error) {
	var folders map[string]string
	computing := func() bool {
		var newest uint64
		folders, newest = j.memories(j.processes())
		return newest > j.newest
	}
	if err := within("a checkpoint", computing); err != nil {
		return 0, err
	}
	time.Sleep(time.Duration(j.random.Int64N(int64(200 * time.Millisecond))))
	var names []string
	for host := range folders {
		names = append(names, host)
	}
	slices.Sort(names)
	victim := names[j.random.IntN(len(names))]
	processes := j.processes()
	begun := time.Now()
	for pid, env := range processes {
		if env["HOST"] == victim {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended with its parent
		}
	}
	if err := within("the end of "+folders[victim], func() bool { return os.RemoveAll(folders[victim]) == nil }); err != nil {
		return 0, err
	}
	j.killed++
	again := fmt.Sprintf("restarting without host %s, attempt %d of ", victim, j.killed+1)
	if err := within("a restart without "+victim, func() bool {
		_, after, found := strings.Cut(errs.String(), again)
		line, _, whole := strings.Cut(after, "\n")
		_, number, _ := strings.Cut(line, "from checkpoint ")
		newest, wrong := strconv.ParseUint(number, 10, 64)
		if found && whole && (wrong != nil || newest < j.newest) {
			err = fmt.Errorf("it goes on %q, after checkpoint %d", line, j.newest)
		}
		j.newest = newest
		return found && whole
	}); err != nil {
		return 0, err
	}
	if err == nil {
		err = within("computing again", computing)
	}
	return time.Since(begun), err
}

// within returns an error if a condition does not hold in time.
func within(what string, holds func() bool) error {
	for begun := time.Now(); !holds(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > 30*time.Second {
			return fmt.Errorf("%s: not in 30 s", what)
		}
	}
	return nil
}
