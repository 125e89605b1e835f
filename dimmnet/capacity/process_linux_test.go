package capacity

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestThreads counts the threads of a user, and compares them with a limit.
func TestThreads(t *testing.T) {
	proc := t.TempDir()
	for pid, text := range map[string]string{
		"1":    "Name:\tinit\nUid:\t0\t0\t0\t0\nThreads:\t1\n",
		"20":   "Name:\ta\nUid:\t1000\t1000\t1000\t1000\nThreads:\t8\n",
		"21":   "Name:\tb\nUid:\t1000\t0\t0\t0\nThreads:\t5\n",
		"22":   "Name:\tc\nUid:\t0\t1000\t1000\t1000\nThreads:\t7\n",
		"self": "Name:\td\nUid:\t1000\t0\t0\t0\nThreads:\t100\n",
	} {
		if err := os.MkdirAll(filepath.Join(proc, pid), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proc, pid, "status"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := userThreads(proc, 1000); got != 13 {
		t.Errorf("user 1000 has %d threads, want 13", got)
	}
	for _, c := range []struct {
		limit, used int64
		started     int
		fails       bool
	}{
		{30, 10, 2, false},
		{29, 10, 2, true},
		{30, 11, 2, true},
		{10, 10, 0, false},
	} {
		err := checkThreads(c.limit, c.used, c.started)
		if fails := errors.Is(err, syscall.EAGAIN); fails != c.fails || (err != nil) != c.fails {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}
