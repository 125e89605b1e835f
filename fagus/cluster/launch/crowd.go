package launch

import (
	"fmt"
	"os"
	"runtime"
)

// mostPerProcessor is the number of ranks per processor above which Crowded warns. Up to it a rank
// waits some milliseconds for its turn: the time slices of Linux.
const mostPerProcessor = 8

// Crowded returns a warning if this host has far fewer processors than ranks, and "" otherwise.
// Job.Run and Agent print it, and start the ranks.
func Crowded(ranks int) string {
	processors := runtime.NumCPU()
	if ranks <= mostPerProcessor*processors {
		return ""
	}
	host, err := os.Hostname()
	if err != nil {
		host = "this host"
	}
	return fmt.Sprintf("fagus: warning: %d ranks share the %d processors of %s: each waits for its turn, so the run is slow, its times say little, and a rank that fails silently is noticed later", ranks, processors, host)
}
