package capacity

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ProcessBytes is how much address space a process of Fagus needs besides the memory of ranks: for
// Go's run-time, and for the stacks and heaps of its threads in C. Measured on Linux 6 with 2
// processors: 1.7 to 1.9 GiB without a limit, and 1.3 GiB at least.
const ProcessBytes = 7 << 28

// The needs of a process: one whose ranks are goroutines, and one that starts or joins others.
const (
	leastBytes     = 1300 << 20
	leastOfSeveral = 1600 << 20
	threads        = 10 // of a process
)

// Processes returns an error of the system if the limits of this process have no room for the
// process itself and the processes that it starts. Go's run-time would end it and not mention
// limits.
func Processes(started int) error {
	least := int64(leastBytes)
	if started > 0 {
		least = leastOfSeveral
	}
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &r); err == nil && r.Cur < uint64(least) {
		return fmt.Errorf("the limit of the address space is %s, and a process needs %s: raise it with ulimit -v %d, or lift it with ulimit -v unlimited: %w",
			Text(int64(r.Cur)), Text(least), least>>10, syscall.ENOMEM)
	}
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &r); err != nil || os.Geteuid() == 0 || r.Cur > math.MaxInt32 {
		return nil // root has no such limit
	}
	return checkThreads(int64(r.Cur), userThreads("/proc", os.Getuid()), started)
}

func checkThreads(limit, used int64, started int) error {
	if need := int64(threads * started); used+need > limit {
		return fmt.Errorf("the limit of processes and threads of this user is %d, %d are in use, and %d processes need %d: raise it with ulimit -u %d: %w",
			limit, used, started, need, used+2*need, syscall.EAGAIN)
	}
	return nil
}

// userThreads returns how many threads a user has, by the files of proc.
func userThreads(proc string, uid int) (n int64) {
	files, _ := filepath.Glob(filepath.Join(proc, "[0-9]*", "status")) // the pattern is valid
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		own, count := false, int64(0)
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(line, ":")
			fields := strings.Fields(value)
			switch {
			case len(fields) == 0:
			case name == "Uid":
				own = fields[0] == strconv.Itoa(uid)
			case name == "Threads":
				count, _ = strconv.ParseInt(fields[0], 10, 64)
			}
		}
		if own {
			n += count
		}
	}
	return n
}
