//go:build unix

package launch

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// notes keeps what a keeper is told.
type notes struct{ strings.Builder }

func (*notes) Close() error { return nil }

// TestKeeperIsTold checks that the keeper is told the process of each rank, and its end.
func TestKeeperIsTold(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	for script, fails := range map[string]bool{"echo $$": false, "echo $$; exit 1": true, "echo $$; kill -KILL $$": true} {
		var told notes
		var out strings.Builder
		group := processes{keeper: &keeper{in: &told}}
		job := Job{Size: 1, Argv: []string{"sh", "-c", script}, Stdout: &out, Stderr: io.Discard, PlainOut: true}
		if err := job.runRank(t.Context(), rankStart{}, sh, cluster.Place{}, nil, &group); (err != nil) != fails {
			t.Errorf("%s: %v", script, err)
		}
		pid := strings.TrimSpace(out.String())
		if want := fmt.Sprintf("+ %s\n- %s\n", pid, pid); told.String() != want {
			t.Errorf("%s: the keeper is told %q, want %q", script, &told, want)
		}
	}
}

// TestKeeper checks that a keeper kills the groups that are left, and no others.
func TestKeeper(t *testing.T) {
	k := startKeeper()
	if k.in == nil {
		t.Skip("no shell")
	}
	var groups []*exec.Cmd
	for range 3 {
		cmd := exec.Command("sleep", "60")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		k.add(cmd.Process.Pid)
		groups = append(groups, cmd)
	}
	k.remove(groups[1].Process.Pid)
	k.stop()
	if err := groups[1].Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	for i, want := range []string{"signal: killed", "signal: terminated", "signal: killed"} {
		if err := groups[i].Wait(); err == nil || err.Error() != want {
			t.Errorf("group %d: %v, want %s", i, err, want)
		}
	}
}

// TestPassed: a process that starts after a signal has come gets it, too, except SIGQUIT.
func TestPassed(t *testing.T) {
	group := processes{keeper: new(keeper)}
	signals := make(chan os.Signal)
	stop := group.pass(signals)
	for _, s := range []os.Signal{syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGQUIT} {
		signals <- s
	}
	stop()
	if err := group.run(exec.Command("sleep", "20")); err == nil || err.Error() != "signal: terminated" {
		t.Errorf("%v: want that the signal ends it", err)
	}
}

// TestLeftMemory: a folder in memory whose process and keeper were killed is removed when another
// one is made, and a folder whose process lives is not.
func TestLeftMemory(t *testing.T) {
	in := t.TempDir()
	var all []*Memory
	for _, name := range []string{"killed", "lives", "new"} {
		m, err := newMemory(in, name)
		if err != nil {
			t.Fatal(err)
		}
		defer m.lock.Close()
		all = append(all, m)
		if err := os.WriteFile(filepath.Join(m.Folder, "part"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if name == "killed" {
			_ = m.lock.Close() // as the kernel does
		}
	}
	for i, want := range []bool{false, true, true} {
		if _, err := os.Stat(filepath.Join(all[i].Folder, "part")); (err == nil) != want {
			t.Errorf("%s: %v", all[i].Folder, err)
		}
	}
}
