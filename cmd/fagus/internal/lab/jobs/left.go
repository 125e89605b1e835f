//go:build linux

package jobs

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
)

// markOf returns the variable by which the processes of a job are found.
func markOf(network string, number int) string {
	return fmt.Sprintf("FAGUS_LAB_JOBS=%d-%s-%d", os.Getpid(), network, number)
}

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

// await returns what is left of a job, whose processes have mark, when nothing is left, or after
// leave. It kills processes that are left then. What a job has left is there at each look; for a
// moment there may also be a socket that a process of another job is closing.
func await(mark, memory string, before things, leave time.Duration) leftovers {
	least := leftovers{Segments: math.MaxInt, Sockets: math.MaxInt}
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		left := survey(memory).since(before)
		least.Segments, least.Sockets = min(least.Segments, left.Segments), min(least.Sockets, left.Sockets)
		left.Segments, left.Sockets = least.Segments, least.Sockets
		left.Processes = len(experiment.Processes(mark))
		if left.sum() == 0 {
			return left
		}
		if time.Since(begun) > leave {
			left.Processes = experiment.Kill(mark)
			return left
		}
	}
}

// things are the named things of this host that a job could leave. The values are the inodes.
type things struct{ segments, sockets map[string]uint64 }

// sharedMemory is where jobs make files in memory.
const sharedMemory = "/dev/shm"

// survey lists the files in a folder, which is sharedMemory except in tests, and the sockets.
func survey(memory string) things {
	t := things{map[string]uint64{}, map[string]uint64{}}
	names, _ := filepath.Glob(memory + "/*") // the pattern is right
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

// since returns what was not there before, except segments and sockets of the processes of other
// jobs.
func (t things) since(before things) (l leftovers) {
	fresh := func(now, before map[string]uint64) map[string]uint64 {
		now = maps.Clone(now)
		maps.DeleteFunc(now, func(name string, _ uint64) bool { _, old := before[name]; return old })
		return now
	}
	sockets, files := fresh(t.sockets, before.sockets), fresh(t.segments, before.segments)
	if len(sockets)+len(files) == 0 {
		return l
	}
	held := map[string]bool{}
	open, _ := filepath.Glob("/proc/[0-9]*/fd/*") // the pattern is right
	for _, f := range open {
		if to, err := os.Readlink(f); err == nil {
			held[to] = true
		}
	}
	for name := range files {
		if !held[name] && !mapped(name) {
			l.Segments++
		}
	}
	for _, inode := range sockets {
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

// mapped reports whether a process has mapped a file.
func mapped(name string) bool {
	tables, _ := filepath.Glob("/proc/[0-9]*/maps") // the pattern is right
	return slices.ContainsFunc(tables, func(table string) bool {
		maps, _ := os.ReadFile(table) // a process that has ended has mapped nothing
		return bytes.Contains(maps, []byte(name+"\n"))
	})
}
