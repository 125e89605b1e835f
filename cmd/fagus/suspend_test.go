//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// TestSuspend stops a run as Ctrl-Z does, and lets it go on. While it is stopped, no rank is in
// another state; afterwards the run ends with right results.
func TestSuspend(t *testing.T) {
	longtest.Third(t)
	if testing.Short() {
		t.Skip("the ranks are processes: the race detector finds nothing, and makes them slow")
	}
	for _, net := range []string{"--net inproc", "--net shm", "--net tcp", "--net tcp --hosts a,b --rsh"} {
		t.Run(net, func(t *testing.T) {
			mark := fmt.Sprintf("FAGUS_TEST_MARK=%d%s", os.Getpid(), net)
			cmd := exec.Command("fagus", append(strings.Fields("run sor --n 200 --iterations 8000 --nodes 2"), strings.Fields(net)...)...)
			if strings.HasSuffix(net, "--rsh") {
				cmd.Args = append(cmd.Args, "env HOST=%h")
			}
			cmd.Env = append(os.Environ(), mark, "FAGUS_INTERFACE=lo")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, "the ranks begin", func() bool { return rankStates(t, cmd.Process.Pid, mark) != "" })
			time.Sleep(200 * time.Millisecond)
			if err := cmd.Process.Signal(syscall.SIGTSTP); err != nil {
				t.Fatal(err)
			}
			await(t, "all ranks stop", func() bool {
				states := rankStates(t, cmd.Process.Pid, mark)
				return states != "" && strings.Trim(states, "T") == ""
			})
			if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v: %s", err, out.String())
			}
		})
	}
}

// rankStates returns the states, as /proc names them, of the launcher and of the processes of ranks
// that have a variable in their environment.
func rankStates(t *testing.T, launcher int, mark string) (states string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		environ, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(environ, []byte(mark)) {
			continue
		}
		process := filepath.Dir(name)
		if !bytes.Contains(environ, []byte("\x00FAGUS_RANK=")) && process != fmt.Sprint("/proc/", launcher) {
			continue // it watches over others, or is the agent of a host
		}
		stat, err := os.ReadFile(process + "/stat")
		if err != nil {
			continue // it has ended
		}
		_, fields, _ := bytes.Cut(stat, []byte(") "))
		states += string(fields[0])
	}
	return states
}
