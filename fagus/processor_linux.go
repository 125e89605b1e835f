package fagus

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// processorTime returns what the threads of this process have got so far, and wanted.
func processorTime() (p ProcessorTime) {
	tasks, _ := filepath.Glob("/proc/self/task/*/schedstat") // the pattern is well-formed
	for _, file := range tasks {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended, or the kernel keeps no account
		}
		of := parseSchedstat(string(text))
		p.Got += of.Got
		p.Wanted += of.Wanted
	}
	return p
}

// parseSchedstat parses the account of a thread: the nanoseconds that it has run, those that it has
// waited for a processor, and a count. It returns zeros for anything else.
func parseSchedstat(text string) ProcessorTime {
	fields := strings.Fields(text)
	if len(fields) != 3 {
		return ProcessorTime{}
	}
	ran, err := strconv.ParseInt(fields[0], 10, 64)
	waited, err2 := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || err2 != nil || min(ran, waited) < 0 {
		return ProcessorTime{}
	}
	return ProcessorTime{Got: Time(ran) * Nanosecond, Wanted: Time(ran+waited) * Nanosecond}
}
