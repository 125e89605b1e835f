package capacity

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
)

// Free says how much memory this process can still allocate.
type Free struct {
	Bytes int64
	Limit string // what limits it; "" if the system does not tell, and Bytes is invalid
}

// Left returns how much memory this process can still allocate without swapping: what the machine
// has available, and no more than its control groups and its own limits permit.
func Left() Free { return left(os.ReadFile, limits()) }

// Host is Left for processes that this one starts together: without its own limits.
func Host() Free { return left(os.ReadFile, nil) }

// limit is a limit of this process.
type limit struct {
	name  string
	bytes int64
	field int // of /proc/self/statm: the number of pages in use
}

func (f *Free) atMost(bytes int64, what string) {
	if bytes = max(0, bytes); f.Limit == "" || bytes < f.Bytes {
		f.Bytes, f.Limit = bytes, what
	}
}

// left is Left with the files of the system, and the limits of the process.
func left(read func(string) ([]byte, error), limits []limit) (free Free) {
	if kib, ok := field(read, "/proc/meminfo", "MemAvailable:"); ok {
		free.atMost(kib<<10, "the machine's memory")
	}
	for _, l := range limits {
		statm, _ := read("/proc/self/statm")
		var used [7]int64
		for i, text := range strings.Fields(string(statm)) {
			used[min(i, 6)], _ = strconv.ParseInt(text, 10, 64)
		}
		free.atMost(l.bytes-used[l.field]*int64(os.Getpagesize()), l.name)
	}
	free.control(read)
	return free
}

// control applies the limits of control groups.
func (f *Free) control(read func(string) ([]byte, error)) {
	text, err := read("/proc/self/cgroup")
	if err != nil {
		return
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
				f.atMost(most-used+reclaimable, "the control group "+group)
			}
			if group == "/" {
				break
			}
		}
	}
}

// field returns the number after a name at the beginning of a line of a file. Without a name, it
// returns the number at the beginning of the file.
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
