//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// TestHostsRestart: a job on four hosts goes on when a rank is killed, or a host is lost. Without
// the host there are fewer ranks, and the result is the same.
func TestHostsRestart(t *testing.T) {
	for _, c := range []struct {
		name   string
		victim int
		hit    func(t *testing.T, h *hosts, p *os.Process)
		left   int // ranks of the second attempt
	}{
		{"rank killed", 2, func(t *testing.T, _ *hosts, p *os.Process) { signalTo(t, p, syscall.SIGKILL) }, 4},
		{"agent killed", 0, func(t *testing.T, _ *hosts, p *os.Process) { killParent(t, p) }, 3},
		{"cut off", 3, func(t *testing.T, h *hosts, _ *os.Process) { ipRun(t, "-n "+h.Hosts[3]+" link set eth0 down") }, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "cut off" { // package launch tests the others without network namespaces
				longtest.Need(t)
			}
			h := newHosts(t, 4)
			folder, alone := inMemory(t), inMemory(t)
			const iterations = 2000
			cmd := h.command(t, "run", "sor", "-n", sorSize, "--iterations", strconv.Itoa(iterations), "--net", "tcp", "--nodes", "4", "--hosts", "--restart", "1", "--checkpoint", folder, "--checkpoint-every", "0s", "--json")
			for i, w := range cmd.Args { // each host has room for one rank
				if w == "--hosts" {
					cmd.Args[i+1] = strings.ReplaceAll(cmd.Args[i+1], ",", ":1,") + ":1"
				}
			}
			var out bytes.Buffer
			errs := &told{}
			cmd.Stdout, cmd.Stderr = &out, errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if t.Failed() {
					t.Log(errs)
				}
			}()
			p := h.process(t, c.victim)
			await(t, "a checkpoint", func() bool { return newestIn(folder) > 0 })
			c.hit(t, h, p)
			hit := time.Now()
			await(t, "a restart", func() bool { return strings.Contains(errs.String(), "restarting") })
			noticed, before := time.Since(hit), newestIn(folder)
			await(t, "a checkpoint of the second attempt", func() bool { return newestIn(folder) > before })
			t.Logf("%s: noticed after %v, computing again after %v", c.name, noticed.Round(time.Millisecond), time.Since(hit).Round(time.Millisecond))
			err := cmd.Wait()
			var r struct {
				result
				Nodes int `json:"nodes"`
			}
			if err == nil {
				err = json.Unmarshal(out.Bytes(), &r)
			}
			if err != nil || r.Nodes != c.left || (c.left < 4) != strings.Contains(errs.String(), "without host "+h.Hosts[c.victim]+" on 3 of 4 ranks") {
				t.Fatalf("%v; %d ranks, want %d: %s", err, r.Nodes, c.left, errs)
			}
			var whole result
			if r.sum, err = contents(t, folder, iterations+1); err != nil {
				t.Fatal(err)
			}
			output, err := exec.CommandContext(t.Context(), h.fagus, "run", "sor", "-n", sorSize, "--iterations", strconv.Itoa(iterations), "--net", "inproc", "--nodes", "1", "--checkpoint", alone, "--checkpoint-every", "0s", "--json").Output()
			if err == nil {
				err = json.Unmarshal(output, &whole)
			}
			if err != nil {
				t.Fatal(err)
			}
			if whole.sum, err = contents(t, alone, iterations+1); err != nil {
				t.Fatal(err)
			}
			if whole != r.result {
				t.Errorf("the result is %+v, that of an undisturbed run %+v", r.result, whole)
			}
			h.empty(t)
		})
	}
}

// killParent kills the agent that has started a rank.
func killParent(t *testing.T, rank *os.Process) {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(rank.Pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	parent, err := strconv.Atoi(words[1])
	if err != nil || parent <= 1 {
		t.Fatalf("the parent of rank %d is %v: %v", rank.Pid, words, err)
	}
	if err := syscall.Kill(parent, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
