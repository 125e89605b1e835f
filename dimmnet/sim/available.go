package sim

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
)

// Available returns the number of bytes that this process can still allocate without swapping:
// what the machine has available, and no more than what its control groups permit. known is
// false if the system does not say.
func Available() (free int64, known bool) {
	return available(os.ReadFile)
}

// available is Available with the files of the system.
func available(read func(string) ([]byte, error)) (free int64, known bool) {
	if kib, ok := field(read, "/proc/meminfo", "MemAvailable:"); ok {
		free, known = kib<<10, true
	}
	text, err := read("/proc/self/cgroup")
	if err != nil {
		return free, known
	}
	for line := range strings.Lines(string(text)) { // number:controllers:path
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		root, limit, usage, cache := "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		if parts[1] == "memory" { // version 1
			root, limit, usage, cache = "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		} else if parts[1] != "" {
			continue
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			dir := path.Join(root, group)
			most, ok := field(read, path.Join(dir, limit), "")
			used, ok2 := field(read, path.Join(dir, usage), "")
			if ok && ok2 { // no limit is "max", or a number that exceeds every memory
				reclaimable, _ := field(read, path.Join(dir, "memory.stat"), cache)
				if left := max(0, most-used+reclaimable); !known || left < free {
					free, known = left, true
				}
			}
			if group == "/" {
				break
			}
		}
	}
	return free, known
}

// field returns the number behind a name at the beginning of a line of a file. Without a name, it
// is the number that the file begins with.
func field(read func(string) ([]byte, error), file, name string) (n int64, ok bool) {
	text, err := read(file)
	if err != nil {
		return 0, false
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if after, found := strings.CutPrefix(lines.Text(), name); found {
			got, _ := fmt.Sscan(after, &n)
			return n, got == 1
		}
	}
	return 0, false
}

// resident returns the memory that this process has, in bytes.
func resident() (int64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var size, pages int64
	if n, _ := fmt.Sscan(string(text), &size, &pages); n < 2 {
		return 0, errors.New("sim: /proc/self/statm has no resident size")
	}
	return pages * int64(os.Getpagesize()), nil
}
