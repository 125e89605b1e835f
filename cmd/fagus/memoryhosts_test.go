//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// TestHostsInMemory: a job on four hosts without --checkpoint goes on from the last checkpoint when
// a host is killed, with all processes and its memory, or cut off. The result is the same. It logs
// the time until the other hosts have computed and saved an iteration.
func TestHostsInMemory(t *testing.T) {
	for _, c := range []struct {
		name   string
		victim int
	}{{"killed", 2}, {"rank 0 killed", 0}, {"cut off", 3}} {
		t.Run(c.name, func(t *testing.T) {
			if c.victim != 2 {
				longtest.Need(t)
			}
			h := newHosts(t, 4)
			sor := []string{"run", "sor", "-n", sorSize, "--iterations", "2000", "--json"}
			cmd := h.command(t, append(sor, "--net", "tcp", "--nodes", "4", "--restart", "1", "--checkpoint-every", "1ms", "--hosts")...)
			hosts := slices.Index(cmd.Args, "--hosts") + 1
			cmd.Args[hosts] = strings.ReplaceAll(cmd.Args[hosts], ",", ":1,") + ":1"
			var out bytes.Buffer
			errs := &told{}
			cmd.Stdout, cmd.Stderr = &out, errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			victim := memoryFolder(t, h.process(t, c.victim))
			witness := filepath.Join(memoryFolder(t, h.process(t, 1)), "1")
			await(t, "a checkpoint", func() bool { return newestIn(witness) > 0 })
			hit := time.Now()
			if c.name == "cut off" {
				ipRun(t, "-n "+h.Hosts[c.victim]+" link set eth0 down")
			} else {
				h.destroy(t, c.victim, victim)
			}
			const restarting = "restarting without host "
			await(t, "a restart", func() bool {
				_, after, found := strings.Cut(errs.String(), restarting)
				return found && strings.Contains(after, "\n")
			})
			noticed := time.Since(hit)
			_, after, _ := strings.Cut(errs.String(), "on 3 of 4 ranks, attempt 2 of 2, from checkpoint ")
			number, _, _ := strings.Cut(after, "\n")
			before, err := strconv.ParseUint(number, 10, 64)
			if err != nil {
				t.Fatalf("%v: %s", err, errs)
			}
			await(t, "a checkpoint of the second attempt", func() bool { return newestIn(witness) > before+1 })
			t.Logf("%s: noticed after %v, computing again after %v", c.name, noticed.Round(time.Millisecond), time.Since(hit).Round(time.Millisecond))
			if err = cmd.Wait(); err != nil || !strings.Contains(errs.String(), restarting+h.Hosts[c.victim]) {
				t.Fatalf("%v: %s", err, errs)
			}
			var got, want result
			text, err := exec.CommandContext(t.Context(), h.fagus, append(sor, "--net", "inproc", "--nodes", "1")...).Output()
			if err == nil {
				err = json.Unmarshal(text, &want)
			}
			if err == nil {
				err = json.Unmarshal(out.Bytes(), &got)
			}
			if err != nil || got != want || got.Bits == "" {
				t.Errorf("%v: the result is %+v, that of an undisturbed run %+v", err, got, want)
			}
			h.empty(t)
			await(t, "the end of "+witness, func() bool {
				_, err := os.Stat(filepath.Dir(witness))
				return os.IsNotExist(err)
			})
		})
	}
}

// destroy kills all processes of a host, and removes its memory.
func (h *hosts) destroy(t *testing.T, host int, memory string) {
	t.Helper()
	for _, word := range strings.Fields(ipRun(t, "netns pids "+h.Hosts[host])) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended with another one
	}
	await(t, "the end of "+memory, func() bool { return os.RemoveAll(memory) == nil })
}

// memoryFolder returns the folder in the memory of the host of a rank.
func memoryFolder(t *testing.T, rank *os.Process) string {
	t.Helper()
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(rank.Pid), "environ"))
	if err != nil {
		t.Fatal(err)
	}
	_, address, _ := strings.Cut(string(env), "FAGUS_CHECKPOINT=memory://")
	address, _, _ = strings.Cut(address, "\x00")
	_, folder, found := strings.Cut(address, "=")
	if !found {
		t.Fatalf("the rank has no folder: %q", address)
	}
	return folder
}
