package cluster

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
)

// failedCloseTimeout bounds the wait for the other ranks after a failed run.
const failedCloseTimeout = 200 * time.Millisecond

// Run runs program as one rank of the job that started this process: under `fagus launch`,
// mpirun, srun, or another launcher that FromEnv knows. Without a launcher Run calls fagus.Run,
// which runs all cfg.Nodes ranks in this process; with a launcher cfg.Nodes is ignored. cfg.Net
// must be nil, because the job determines the network.
//
// drivers are parts that need modules of their own: gossip.Driver for ranks on several hosts, and
// quic.Driver for FAGUS_NET=quic.
//
// The Report has the statistics of all ranks. Only data in the regions are shared.
func Run(ctx context.Context, cfg fagus.Config, program func(*fagus.Node) error, drivers ...Driver) (report fagus.Report, err error) {
	if cfg.Net != nil {
		return report, errors.New("cluster: Run with Config.Net set: leave it nil, the job determines the network")
	}
	place, err := FromEnv(os.LookupEnv)
	if errors.Is(err, ErrNoJob) {
		return fagus.Run(ctx, cfg, program)
	}
	if err != nil {
		return report, err
	}
	defer func() {
		if err != nil {
			ReportOrigin(place.Rank, err, false)
		}
	}()
	spec := Spec{Drivers: drivers}
	if err := spec.Complete(os.LookupEnv, place); err != nil {
		return report, err
	}
	job, err := Join(ctx, place, spec)
	if err != nil {
		return report, err
	}
	defer func() {
		closing, cancel := ctx, context.CancelFunc(func() {})
		if err != nil { // do not wait long: a rank that has failed may never close
			closing, cancel = context.WithTimeout(ctx, failedCloseTimeout)
		}
		defer cancel()
		if closed := job.Close(closing); err == nil {
			err = closed
		}
	}()
	cfg.Nodes, cfg.Net = place.Size, job.Network()
	return fagus.Run(ctx, cfg, program)
}
