package launch

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestScaleRequests: a launcher gets what fagus launch scale asks for, and says why not. Who sends
// something else changes nothing.
func TestScaleRequests(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var got atomic.Int64
	control, err := Listen(func(ranks int) error {
		if ranks == 7 {
			return errors.New("no place\nfor 7 ranks")
		}
		got.Store(int64(ranks))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := Scale(os.Getpid(), 3); err != nil || got.Load() != 3 {
		t.Errorf("error %v, the launcher has got %d: want 3", err, got.Load())
	}
	for ranks, want := range map[int]string{7: "no place for 7 ranks", 0: "0 ranks: want 1 to", maxRanks + 1: "want 1 to"} {
		if err := Scale(os.Getpid(), ranks); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d ranks: error %v, want %s", ranks, err, want)
		}
	}
	path, err := controlPath(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "three\n", "-1\n", "99999999999999999999\n", strings.Repeat("x", 1<<16) + "\n"} {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, text) // the launcher may hang up
		_ = conn.Close()
	}
	if err := Scale(os.Getpid(), 4); err != nil || got.Load() != 4 {
		t.Errorf("afterwards: error %v, the launcher has got %d: want 4", err, got.Load())
	}
	if err := control.Close(); err != nil {
		t.Error(err)
	}
	if err := Scale(os.Getpid(), 3); err == nil || !strings.Contains(err.Error(), "it needs --restart") {
		t.Errorf("without a launcher: error %v", err)
	}
}

// TestDeafSockets: a launcher removes the sockets of killed ones, and no others.
func TestDeafSockets(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir()) // for macOS
	own, err := controlPath(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-time.Hour)
	for pid, made := range []time.Time{time.Now(), before, before} { // the last lives
		path, err := controlPath(pid)
		if err != nil {
			t.Fatal(err)
		}
		at, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
		if err != nil {
			t.Fatal(err)
		}
		defer at.Close()
		if at.SetUnlinkOnClose(pid == 2); pid < 2 {
			_ = at.Close() // never fails
		}
		if err := os.Chtimes(path, made, made); err != nil {
			t.Fatal(err)
		}
	}
	control, err := Listen(func(int) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	var left []string
	all, err := os.ReadDir(filepath.Dir(own))
	for _, e := range all {
		left = append(left, e.Name())
	}
	want := []string{"0", "2", strconv.Itoa(os.Getpid())}
	slices.Sort(want)
	if slices.Sort(left); err != nil || !slices.Equal(left, want) {
		t.Errorf("sockets %v, error %v: want %v", left, err, want)
	}
}

// TestResize: a job whose ranks were told to stop goes on with another number of ranks; that is no
// restart.
func TestResize(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	for _, c := range []struct {
		script string
		fails  bool
	}{
		{"[ $FAGUS_SIZE = 3 ] || exit 75", false},
		{"[ $FAGUS_SIZE = 3 ] || kill -USR1 $$", false}, // before the program expects it
		{"[ $FAGUS_SIZE = 3 ] || exit 1", true},         // the program has failed
		{"exit 75", true},
	} {
		var said strings.Builder
		asked := 0
		job := &Job{
			Size: 2, Argv: []string{"/bin/sh", "-c", c.script}, Stdout: io.Discard, Stderr: &said, Restart: 1,
			Resize: func() int {
				asked++
				return []int{3, 0}[min(asked-1, 1)]
			},
		}
		err := job.Run(t.Context())
		if (err != nil) != c.fails || !c.fails && said.String() != fmt.Sprintln("fagus: ranks from now on: 3") {
			t.Errorf("%s: error %v; it said %q", c.script, err, said.String())
		}
	}
}
