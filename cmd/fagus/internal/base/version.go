package base

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// Version returns the version that the Go tool recorded in this program.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v += " " + s.Value
		}
	}
	return v + " " + info.GoVersion
}

// Machine returns the processor's name as the kernel reports it.
func Machine() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // other systems have none
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
