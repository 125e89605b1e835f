//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// await waits until a condition holds, on a busy machine, too.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Since(begun) > 50*time.Second {
			t.Fatalf("%s: not in 50 s", what)
		}
	}
}

// memoryOf returns the folder in memory of a job, or "". A rank has its name.
func memoryOf(launcher int) string {
	pid := rankOf(launcher, 0)
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if pid == 0 || err != nil {
		return ""
	}
	for _, v := range strings.Split(string(env), "\x00") {
		if folder, ok := strings.CutPrefix(v, "FAGUS_CHECKPOINT="); ok {
			return folder
		}
	}
	return ""
}

// TestRestartInMemory checks that a job without --checkpoint survives kill -9 of a rank, and that
// its checkpoints in memory are removed, however it ends.
func TestRestartInMemory(t *testing.T) {
	longtest.Third(t)
	t.Parallel()
	for _, end := range []syscall.Signal{0, syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL} {
		size := []string{"--iterations", "3000"}
		if end != 0 {
			size = []string{"--iterations", "1000000"}
		}
		cmd, errs, ended := start(t, append([]string{"run", "sor", "-n", "150", "--net", "shm", "--nodes", "4", "--restart", "3", "--checkpoint-every", "20ms", "--json"}, size...)...)
		launcher := cmd.Process.Pid
		var folder string
		await(t, "a folder in memory", func() bool { folder = memoryOf(launcher); return folder != "" })
		await(t, "a checkpoint", func() bool { return newestIn(folder) > 0 })
		if err := syscall.Kill(rankOf(launcher, 3), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		await(t, "a restart", func() bool {
			return strings.Contains(errs.String(), "fagus: rank 3: signal: killed: restarting, attempt 2 of 4, from checkpoint ")
		})
		begun := time.Now()
		if end != 0 {
			if err := syscall.Kill(launcher, end); err != nil {
				t.Fatal(err)
			}
		}
		out, err := ended()
		took := time.Since(begun)
		var r result
		switch {
		case end == 0 && (err != nil || json.Unmarshal([]byte(out), &r) != nil || r.Bits == ""):
			t.Errorf("%v: %s%s", err, out, errs)
		case end == syscall.SIGTERM || end == syscall.SIGINT:
			if cmd.ProcessState.ExitCode() != runflags.ExitInterrupted || took > 2*time.Second || strings.Count(errs.String(), "restarting") != 1 {
				t.Errorf("%v: %v after %v: %s", end, err, took, errs)
			}
		}
		await(t, "the end of "+folder, func() bool {
			_, err := os.Stat(folder)
			return errors.Is(err, os.ErrNotExist)
		})
	}
}

// TestLauncherKilled checks that the ranks end with a launcher that is killed, and that a new
// launcher with the same --checkpoint goes on where they were.
func TestLauncherKilled(t *testing.T) {
	longtest.Third(t)
	t.Parallel()
	folder := t.TempDir()
	words := []string{"run", "sor", "-n", "40", "--checkpoint", folder, "--checkpoint-every", "0s", "--json", "--restart", "1", "--net"}
	first, _, ended := start(t, append(words, "shm", "--nodes", "3", "--iterations", "1000000")...)
	await(t, "a checkpoint", func() bool { return newestIn(folder) >= 300 })
	var ranks []int
	for rank := range 3 {
		ranks = append(ranks, rankOf(first.Process.Pid, rank))
	}
	if slices.Contains(ranks, 0) {
		t.Fatalf("the processes of the ranks are %v", ranks)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = ended() // killed
	await(t, "the end of the ranks", func() bool {
		return !slices.ContainsFunc(ranks, func(pid int) bool { return syscall.Kill(pid, 0) == nil })
	})
	made := newestIn(folder) // a checkpoint for each iteration
	second, errs, ended := start(t, append(words, "tcp", "--nodes", "2", "--iterations", strconv.FormatUint(made+1, 10))...)
	out, err := ended()
	var r result
	if err != nil || json.Unmarshal([]byte(out), &r) != nil || r.Bits == "" {
		t.Fatalf("%v: %v: %s%s", second.Args, err, out, errs)
	}
	if after := newestIn(folder); after > made+made/2 {
		t.Errorf("%v has made checkpoints up to %d: it has not gone on at %d", second.Args, after, made)
	}
}
