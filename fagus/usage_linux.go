package fagus

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// waitedTime returns for how long the threads of this process, as far as they have not ended, were
// ready to run and had no processor. It reports whether the kernel counts that.
func waitedTime() (sum Time, known bool) {
	dir, err := os.Open("/proc/self/task")
	if err != nil {
		return 0, false
	}
	defer func() { _ = dir.Close() }() // only read
	tasks, _ := dir.Readdirnames(-1)   // those before an error count
	for _, task := range tasks {
		if waited, ok := parseSchedstat(readAccount("/proc/self/task/" + task + "/schedstat")); ok {
			sum, known = sum+waited, true
		}
	}
	return sum, known
}

// readAccount returns a short file of the kernel; "" if there is none, as of a thread that has
// ended. It makes three system calls: os.ReadFile makes ten.
func readAccount(file string) string {
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	var text [80]byte
	n, _ := unix.Read(fd, text[:]) // after an error n is below 0
	_ = unix.Close(fd)             // only read
	return string(text[:max(0, n)])
}

// parseSchedstat parses the account of a thread: the nanoseconds that it has run, those that it has
// waited for a processor, and a count. It returns the second.
func parseSchedstat(text string) (waited Time, ok bool) {
	fields := strings.Fields(text)
	if len(fields) != 3 {
		return 0, false
	}
	ns, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || ns < 0 {
		return 0, false
	}
	return Time(ns) * Nanosecond, true
}

// peakMemory returns the most bytes that this process has had in memory since it was started; 0 if
// unknown. What getrusage returns may be of the program that has started it.
func peakMemory() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, line, _ := bytes.Cut(status, []byte("\nVmHWM:"))
	fields := bytes.Fields(line[:max(0, bytes.IndexByte(line, '\n'))])
	if len(fields) != 2 {
		return 0
	}
	kib, _ := strconv.ParseUint(string(fields[0]), 10, 54) // 0 for anything else
	return kib << 10
}
