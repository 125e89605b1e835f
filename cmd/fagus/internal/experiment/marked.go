package experiment

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// environ returns the environment of this process without Fagus's variables, and with mark. The
// provider of libfabric stays: it belongs to what the caller wants to try.
func environ(mark string) []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "FAGUS_") && !strings.HasPrefix(v, "FAGUS_PROVIDER=")
	}), mark)
}

// Processes returns the running processes that have mark, "NAME=VALUE", in their environment,
// whoever has started them, and their whole environments, in which a zero byte ends each variable.
// It finds nothing where there is no /proc.
func Processes(mark string) map[int][]byte {
	all := map[int][]byte{}
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, name := range files {
		pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
		if env, err := os.ReadFile(name); err == nil && bytes.Contains(env, []byte(mark+"\x00")) {
			all[pid] = env
		}
	}
	return all
}

// Kill kills the processes that have mark, and returns how many there were.
func Kill(mark string) int {
	left := Processes(mark)
	for pid := range left {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended
		}
	}
	return len(left)
}
