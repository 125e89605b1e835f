package runflags

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// AgentName is the name of the hidden command of fagus that starts ranks for a launcher on another
// host.
const AgentName = "agent"

// HostFlags returns the flags that say on which hosts ranks are started, and how.
func HostFlags() []cli.Flag {
	const category = "several hosts"
	return []cli.Flag{
		&cli.StringFlag{Name: "hosts", Category: category, Usage: "start the ranks on `HOSTS`, a,b[:slots], by ssh; fagus and the program must be on each, at the same paths"},
		&cli.StringFlag{Name: "rsh", Category: category, Usage: "use `COMMAND` instead of ssh; %h in it is the host, which otherwise comes last"},
		&cli.StringFlag{Name: "ports", Category: category, Usage: "listen on ports in `RANGE` only, such as 17000-17100 (FAGUS_PORTS): two a rank, three at rank 0, one more a host for --restart without --checkpoint"},
		&cli.BoolFlag{Name: "insecure", Category: category, Usage: "do not encrypt or authenticate connections between hosts"},
	}
}

// StallFlag returns the flag --stall, which ReadSpec reads.
func StallFlag(category string) cli.Flag {
	return &cli.DurationFlag{Name: "stall", Category: category, DefaultText: "15s", Usage: "end the run when a process shows no sign of life for `TIME`; a negative time means never. A process that has ended is noticed at once"}
}

func hostFlagNames() []string { return []string{"hosts", "rsh", "ports", "insecure"} }

// NoHostFlags returns an error, with the reason, if a flag of HostFlags is set.
func NoHostFlags(c *cli.Context, reason string) error {
	for _, flag := range hostFlagNames() {
		if c.IsSet(flag) {
			return usage.Errorf("--%s is for ranks on several hosts, and %s", flag, reason)
		}
	}
	return nil
}

// LaunchSelf runs the command line of this process again, once as every rank of a job.
func LaunchSelf(c *cli.Context, cfg Config) error {
	return Launch(c, cfg, os.Args[1:], AgentName, true)
}

// Launch runs the executable of this process again, once as every rank of a job. cfg was read from
// args, the arguments of every rank. On another host the executable starts the ranks if its
// argument is agent. atEnd says that the standard output is the result of the job.
func Launch(c *cli.Context, cfg Config, args []string, agent string, atEnd bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	job := &launch.Job{
		Size:     cfg.Nodes,
		Spec:     cfg.Spec,
		Env:      []string{cluster.InheritVariable + "=" + digest(args)},
		Argv:     append([]string{self}, args...),
		Stdin:    os.Stdin,
		Stdout:   c.App.Writer,
		Stderr:   c.App.ErrWriter,
		PlainOut: true, // lines need no rank before them: only rank 0 prints
		ErrOnce:  true,
	}
	defer cfg.sayProfiles(c.App.ErrWriter)
	defer cfg.progress.showRanks(job, cfg.Program)()
	if cfg.Checkpoints.restart > 0 {
		return cfg.launchAgain(c, agent, job, atEnd)
	}
	ctx, cancel := cfg.limitRanks(c.Context)
	defer cancel()
	return runRanks(ctx, c, agent, job, &cfg.Checkpoints)
}

// limitRanks returns the context in which a launcher runs ranks. Each rank obeys --timeout itself,
// and has time for its roll-call. The launcher's limit is for ranks that have not begun, or do not
// answer.
func (cfg *Config) limitRanks(ctx context.Context) (context.Context, context.CancelFunc) {
	if cfg.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	endOutput(ctx, cfg.Timeout)
	return context.WithTimeoutCause(ctx, cfg.Timeout+rankPatience, timeoutError(cfg.Timeout))
}

// rankPatience is how much longer than --timeout a launcher waits for ranks, which end themselves.
const rankPatience = Patience + 3*rollPatience

// RunRanks runs a job on the hosts of --hosts, or on this host. It passes SIGQUIT to the ranks.
// On a terminal it shows how far they are.
func RunRanks(ctx context.Context, c *cli.Context, job *launch.Job) error {
	if terminal(job.Stderr) != nil {
		defer progress{every: barEvery}.showRanks(job, filepath.Base(job.Argv[0]))()
	}
	return runRanks(ctx, c, AgentName, job, new(checkpoints))
}

// runRanks runs a job with checkpoints. If it restarts and there is no folder, --hosts keep them in
// memory.
func runRanks(ctx context.Context, c *cli.Context, agent string, job *launch.Job, at *checkpoints) error {
	if err := notEmpty(c, append(hostFlagNames()[:3:3], optionNames()...)...); err != nil {
		return err
	}
	if !c.IsSet("hosts") {
		if err := capacity.Processes(job.Size); err != nil {
			return err
		}
	}
	pass := make(chan os.Signal, 2)
	signal.Notify(pass, syscall.SIGQUIT, launch.Suspend)
	job.Suspend = launch.StopSelf
	defer signal.Stop(pass)
	job.Signals = pass
	// With --grace the ranks get SIGTERM from here, and end by themselves.
	var told atomic.Bool
	ctx, end := withGrace(ctx, at.grace, func() {
		told.Store(true)
		pass <- syscall.SIGTERM
	})
	defer end()
	job.Stopping = told.Load
	// Drop this process's own rank, if it is a rank of another launcher's job.
	job.Env = append(cluster.WithoutPlace(os.Environ()), job.Env...)
	if job.Restart > 0 {
		defer scalable(job, pass)()
	}
	if text := cluster.Variable(job.Env, "FAGUS_STALL"); text != "" && job.Spec.Stall == 0 {
		var err error
		if job.Spec.Stall, err = cluster.ParseStall(text); err != nil {
			return usage.Wrap(err)
		}
	}
	var ranks interface {
		Check() error
		Run(ctx context.Context) error
	} = job
	if c.IsSet("hosts") {
		spread, err := onHosts(c, agent, job)
		if err != nil {
			return err
		}
		if at.restart > 0 && at.folder == "" {
			spread.Memory = checkpointVariable
		}
		ranks = spread
	} else if c.IsSet("rsh") || c.IsSet("insecure") {
		return usage.Errorf("--rsh and --insecure are for ranks on --hosts")
	}
	if err := ranks.Check(); err != nil {
		return usage.Wrap(err)
	}
	if spread, ok := ranks.(*launch.Hosts); ok {
		if err := checkPorts(spread); err != nil {
			return err
		}
	}
	err := ranks.Run(ctx)
	var exit *launch.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if told.Load() && exit.Died { // by the signal, as a rank that has just begun
		if number, found := at.newestSoon(context.WithoutCancel(ctx)); found == nil && number > 0 {
			return fmt.Errorf("%w, number %d: %v", fagus.ErrStopped, number, exit)
		}
	}
	return &RankError{exit}
}

func onHosts(c *cli.Context, agent string, job *launch.Job) (*launch.Hosts, error) {
	hosts, err := launch.ParseHosts(c.String("hosts"))
	if err != nil {
		return nil, usage.Wrap(err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// Pass on only variables of Fagus and libfabric: HOME, for example, differs from host to host.
	job.Env = slices.DeleteFunc(job.Env, func(v string) bool { return !strings.HasPrefix(v, "FAGUS_") && !strings.HasPrefix(v, "FI_") })
	spread := &launch.Hosts{
		Job: *job, Hosts: hosts, Rsh: strings.Fields(c.String("rsh")),
		Agent: []string{self, agent},
	}
	if attended(os.Stdin) {
		spread.Answer = time.Minute // ssh may ask its user for something
	}
	return spread, nil
}

// attended reports whether a person may be at the other end of f: a terminal is a character device,
// as is the null device.
func attended(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// WantedPorts returns how many ports the ranks of a host need; first: rank 0 is one of them.
func WantedPorts(ranks int, first bool) int {
	if first {
		return 2*ranks + 1
	}
	return 2 * ranks
}

// checkPorts returns an error if the range of ports is too small for the ranks of a host.
func checkPorts(job *launch.Hosts) error {
	name, ports := "--ports", job.Spec.Ports
	if ports == (reach.Ports{}) {
		name = "FAGUS_PORTS"
		ports, _ = reach.ParsePorts(cluster.Variable(job.Env, name)) // a host reports a bad one
	}
	if ports == (reach.Ports{}) {
		return nil
	}
	shares, err := job.Shares()
	if err != nil {
		return usage.Wrap(err)
	}
	if shares[0] == job.Size {
		return nil // ranks of one host need not listen
	}
	ranks := make(map[string]int)
	for i, n := range shares {
		ranks[job.Hosts[i].Name] += n // a host may occur twice
	}
	has := int(ports.Last) - int(ports.First) + 1
	for i, h := range job.Hosts {
		first := h.Name == job.Hosts[0].Name
		want := WantedPorts(ranks[h.Name], first)
		if job.Memory != "" {
			want++
		}
		if shares[i] > 0 && has < want {
			return usage.Errorf("%s %v: the range has %d ports, and the %d ranks of host %s need %d: give a larger range", name, ports, has, ranks[h.Name], h.Name, want)
		}
	}
	return nil
}

// RankError is the failure of a rank. The command exits with the rank's exit code.
type RankError struct{ *launch.ExitError }
