package fagus

import (
	"log/slog"
	"os"
)

// warnLaunched logs that a launcher has started this process as one of several ranks, all of
// which it is about to run by itself. log may be nil.
func warnLaunched(log *slog.Logger) {
	name := launched()
	if name == "" {
		return
	}
	if log == nil {
		log = slog.Default()
	}
	log.Warn("fagus.Run runs all ranks in this process, though a launcher has started it as one of several: call cluster.Run to be that one",
		"variable", name, "rank", os.Getenv(name))
}

// launched is the variable by which a launcher has made this process one of several ranks;
// empty: none has. These are the plain cases of package cluster, which imports this one.
func launched() string {
	for _, l := range []struct{ rank, size string }{
		{"FAGUS_RANK", "FAGUS_SIZE"},
		{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
		{"PMI_RANK", "PMI_SIZE"},
		{"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
		{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
	} {
		if size := os.Getenv(l.size); os.Getenv(l.rank) != "" && size != "" && size != "1" {
			return l.rank
		}
	}
	return ""
}
