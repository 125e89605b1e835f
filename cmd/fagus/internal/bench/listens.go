package bench

import (
	"fmt"
	"os"
	"strings"
)

// listens reports whether a TCP socket of this host listens at a port, as /proc/net says.
func listens(port int) bool {
	const listening = "0A" // TCP_LISTEN
	suffix := fmt.Sprintf(":%04X", port)
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) > 3 && strings.HasSuffix(fields[1], suffix) && fields[3] == listening {
				return true
			}
		}
	}
	return false
}
