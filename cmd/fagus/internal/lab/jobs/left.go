//go:build linux

package jobs

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// mark is the variable by which the processes of jobs are found, whoever has started them.
const mark = "FAGUS_LAB_JOBS"

// leftovers are what jobs have left behind.
type leftovers struct {
	Processes int `json:"processes"`
	Segments  int `json:"segments"` // files in /dev/shm
	Sockets   int `json:"sockets"`  // abstract Unix sockets
	Files     int `json:"files"`    // in the folder for temporary files
}

func (l leftovers) sum() int { return l.Processes + l.Segments + l.Sockets + l.Files }

func (l *leftovers) add(m leftovers) {
	l.Processes += m.Processes
	l.Segments += m.Segments
	l.Sockets += m.Sockets
	l.Files += m.Files
}

// processes returns the processes that have value in the variable mark.
func processes(value string) (all []int) {
	want := fmt.Appendf(nil, "%s=%s\x00", mark, value)
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, name := range files {
		pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
		if env, err := os.ReadFile(name); err == nil && bytes.Contains(env, want) {
			all = append(all, pid)
		}
	}
	return all
}

// await returns what is left of a job, which has the given value in the variable mark, when
// nothing is left, or after leave. It kills processes that are left then.
func await(value string, before things, leave time.Duration) leftovers {
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		running := processes(value)
		left := survey().since(before)
		left.Processes = len(running)
		if left.sum() == 0 {
			return left
		}
		if time.Since(begun) > leave {
			for _, pid := range running {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
			}
			return left
		}
	}
}

// things are the named things of this host that a job could leave. The values are the inodes.
type things struct{ segments, sockets map[string]uint64 }

func survey() things {
	t := things{map[string]uint64{}, map[string]uint64{}}
	names, _ := filepath.Glob("/dev/shm/*") // the pattern is right
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil {
			if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) == os.Geteuid() {
				t.segments[name] = s.Ino
			}
		}
	}
	table, _ := os.ReadFile("/proc/net/unix") // without it nothing is counted
	for row := range strings.Lines(string(table)) {
		words := strings.Fields(row)
		const inode, name = 6, 7
		if len(words) > name && strings.HasPrefix(words[name], "@fagus") {
			t.sockets[words[name]], _ = strconv.ParseUint(words[inode], 10, 64)
		}
	}
	return t
}

// since returns what was not there before, except sockets of the processes of other jobs.
func (t things) since(before things) (l leftovers) {
	for name := range t.segments {
		if _, old := before.segments[name]; !old {
			l.Segments++
		}
	}
	fresh := maps.Clone(t.sockets)
	maps.DeleteFunc(fresh, func(name string, _ uint64) bool { _, old := before.sockets[name]; return old })
	if len(fresh) == 0 {
		return l
	}
	held := map[string]bool{}
	files, _ := filepath.Glob("/proc/[0-9]*/fd/*") // the pattern is right
	for _, f := range files {
		if to, err := os.Readlink(f); err == nil {
			held[to] = true
		}
	}
	for _, inode := range fresh {
		if !held[fmt.Sprintf("socket:[%d]", inode)] {
			l.Sockets++
		}
	}
	return l
}

// filesIn returns the number of files in a folder, and removes them.
func filesIn(folder string) (int, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return 0, err
	}
	for name := range slices.Values(names) {
		if err := os.RemoveAll(name); err != nil {
			return 0, err
		}
	}
	return len(names), nil
}
