package fagus

import (
	"log/slog"
	"os"

	"github.com/fagus-dsm/fagus/fagus/internal/launchers"
)

// warnLaunched logs a warning if a launcher started this process as one of several ranks: the
// process is about to run all ranks. log may be nil.
func warnLaunched(log *slog.Logger) {
	name := launched()
	if name == "" {
		return
	}
	if log == nil {
		log = slog.Default()
	}
	log.Warn("fagus.Run runs all ranks in this process, but a launcher started the process as one of several: call cluster.Run to run that rank only",
		"variable", name, "rank", os.Getenv(name))
}

// launched names the environment variable that holds this process's rank in a job, or returns "".
func launched() string {
	for _, l := range launchers.All() {
		if !l.Started(os.Getenv) {
			continue
		}
		for _, name := range l.Sizes {
			if size := os.Getenv(name); size != "" {
				if size != "1" {
					return l.Rank
				}
				break
			}
		}
	}
	return ""
}
