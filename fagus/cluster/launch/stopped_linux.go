package launch

import (
	"bytes"
	"fmt"
	"os"
)

// isStopped reports whether a process is stopped by a signal, not by a debugger.
func isStopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, found := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	return err == nil && found && bytes.HasPrefix(after, []byte("T"))
}
