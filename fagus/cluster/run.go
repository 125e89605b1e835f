package cluster

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
)

// goodbye is how long a rank whose run has failed waits for the others.
const goodbye = 200 * time.Millisecond

// joinJob joins place's job, over the transport of TransportFromEnv.
func joinJob(ctx context.Context, place Place) (interface{ Close(context.Context) error }, dimmnet.Network, error) {
	over, err := TransportFromEnv(os.LookupEnv, place)
	if err != nil {
		return nil, nil, err
	}
	if !place.Spans() {
		host, err := JoinHost(ctx, place, HostConfig{})
		if err != nil {
			return nil, nil, err
		}
		return host, host.Network(over), nil
	}
	cfg, err := HostsConfigFromEnv(os.LookupEnv, dimmnet.Rank(place.Rank))
	if err != nil {
		return nil, nil, err
	}
	hosts, err := JoinHosts(ctx, place, cfg)
	if err != nil {
		return nil, nil, err
	}
	return hosts, hosts.Network(over), nil
}

// Run is fagus.Run as one rank of the job that this process was started in, by `fagus
// launch`, mpirun, srun or what else FromEnv knows. A process that nobody has started so
// runs all ranks itself, as fagus.Run does; there alone cfg.Nodes counts. cfg.Net must be
// nil: the job decides.
//
// The Report has the statistics of all ranks; what the program keeps of its own it keeps in
// the process of its rank.
func Run(ctx context.Context, cfg fagus.Config, program func(*fagus.Node) error) (report fagus.Report, err error) {
	if cfg.Net != nil {
		return report, errors.New("cluster: Config.Net is set: the job decides where its ranks are")
	}
	place, err := FromEnv(os.LookupEnv)
	if errors.Is(err, ErrNoJob) {
		return fagus.Run(ctx, cfg, program)
	}
	if err != nil {
		return report, err
	}
	job, network, err := joinJob(ctx, place)
	if err != nil {
		return report, err
	}
	defer func() {
		closing, cancel := ctx, context.CancelFunc(func() {})
		if err != nil { // a rank may not come to say goodbye
			closing, cancel = context.WithTimeout(ctx, goodbye)
		}
		defer cancel()
		if closed := job.Close(closing); err == nil {
			err = closed
		}
	}()
	cfg.Nodes, cfg.Net = place.Size, network
	return fagus.Run(ctx, cfg, program)
}
