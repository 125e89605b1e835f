package runflags

import (
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/metrics"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const (
	metricsName = "metrics"
	lastPort    = 1<<16 - 1
)

func metricsFlag(category string) cli.Flag {
	return &cli.StringFlag{Name: metricsName, Category: category,
		Usage: "serve what the ranks do by HTTP at `ADDR`, for example 127.0.0.1:9100: for Prometheus (/metrics), for probes (/healthz, /readyz) and for fagus top. If ranks are processes, rank 2 of a host has port 9102. Port 0 selects a free one, which is printed to standard error"}
}

func (cfg *Config) readMetrics(c *cli.Context) error {
	if err := notEmpty(c, metricsName); err != nil {
		return err
	}
	at := c.String(metricsName)
	if at == "" {
		return nil
	}
	host, text, err := net.SplitHostPort(at)
	if err != nil {
		return usage.Errorf("--%s %s: want HOST:PORT, for example 127.0.0.1:9100, or :9100 for all addresses of the host", metricsName, at)
	}
	last := lastPort
	if cfg.Network.Processes {
		last -= cfg.Nodes - 1
	}
	port, err := strconv.Atoi(text)
	if err != nil || port < 0 || port > last {
		return usage.Errorf("--%s %s: want a port from 0 to %d", metricsName, at, last)
	}
	cfg.Meter, cfg.metricsHost, cfg.metricsPort = meter.New(), host, port
	return nil
}

// serveMetrics serves what the ranks of this process do, and prints where, until the returned
// function is called.
func (cfg *Config) serveMetrics(w io.Writer) (end func(), err error) {
	if cfg.Meter == nil || cfg.profiles.labels {
		return func() {}, nil
	}
	about, port, of := metrics.About{Program: cfg.Program, Net: cfg.Network.Name}, cfg.metricsPort, ""
	if cfg.place != nil {
		about.Restarts, about.Job = cfg.place.Attempt, cfg.place.Job
	}
	if cfg.isRank() {
		of = fmt.Sprintf("rank %d: ", cfg.place.Rank)
		if port > 0 {
			port += cfg.place.OnHost()
		}
	}
	at := net.JoinHostPort(cfg.metricsHost, strconv.Itoa(port))
	server, err := metrics.Serve(at, cfg.Meter, about)
	if err != nil {
		return nil, fmt.Errorf("%s--%s: serving at %s: %w: want an address of this host and a free port, or port 0, which selects one", of, metricsName, at, err)
	}
	unnamed := ""
	if err := server.ByName(); err != nil {
		unnamed = fmt.Sprintf(" (fagus top finds it only by this address: %v)", err)
	}
	fmt.Fprintf(w, "%smetrics at http://%v/metrics%s\n", of, server.Addr(), unnamed)
	return func() { _ = server.Close() }, nil // nobody waits for its requests
}
