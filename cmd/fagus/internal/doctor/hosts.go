package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	ports "github.com/fagus-dsm/fagus/dimmnet/live/reach"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const (
	// allPairs is the largest number of hosts of which every pair is tried. Of more hosts, the
	// first is tried with each.
	allPairs = 32
	// fewestPorts is how many ports of a range are tried, unless a host has slots for more ranks.
	fewestPorts = 32
	// leastPorts is how many ports of a host without ranks are tried.
	leastPorts = 2
)

func hostFlags() []cli.Flag {
	const category = "several hosts"
	return append(append(cmdline.Flags(runflags.HostFlags()...), cmdline.Flags(runflags.OptionFlags(category)...)...),
		&cli.IntFlag{Name: "n", Aliases: []string{"nodes"}, Category: category, DefaultText: "one a host, or its slots", Usage: "number of `RANKS` of the job, shared out as fagus launch does"},
		&cli.StringFlag{Name: "net", Category: category, Value: runflags.TCP, Usage: "`NETWORK` of the job: " + hostNetworks().String()},
		&cli.DurationFlag{Name: "wait", Category: category, Value: 10 * time.Second, Usage: "wait `TIME` for each step of a host"})
}

func hostNetworks() runflags.List {
	return runflags.Which(func(n runflags.Network) bool { return n.Hosts })
}

// visit is an examination of hosts before a job is started on them.
type visit struct {
	hosts    []*host
	ranks    []int // of each host
	size     int   // number of ranks of the job
	counted  bool  // the number of ranks is given; otherwise each host has its slots, or one
	rsh      []string
	ports    string
	needsUDP bool
	insecure bool
	net      string
	provider string // of libfabric; "": the default
	wait     time.Duration
	build    string // of this program
	codecs   string
	contacts []contact
}

func newVisit(c *cli.Context) (*visit, error) {
	list, err := launch.ParseHosts(c.String("hosts"))
	if err != nil {
		return nil, usage.Wrap(err)
	}
	net, err := hostNetworks().Find(c.String("net"))
	if err != nil {
		return nil, err
	}
	v := &visit{
		rsh: strings.Fields(c.String("rsh")), ports: c.String("ports"), insecure: c.Bool("insecure"), net: net.Name,
		wait: c.Duration("wait"),
	}
	settings, err := runflags.ReadOptions(cmdline.Line(c), net.Name)
	if err != nil {
		return nil, err
	}
	v.provider = cmp.Or(settings.Provider(), os.Getenv(fagusProvider))
	v.needsUDP = v.net == runflags.QUIC || v.net == runflags.OFI && strings.HasPrefix(v.provider, "udp")
	if v.ports == "" {
		v.ports = os.Getenv("FAGUS_PORTS")
	}
	if _, err := ports.ParsePorts(v.ports); err != nil {
		return nil, usage.Errorf("--ports: %w", err)
	}
	if v.wait <= 0 {
		return nil, usage.Errorf("--wait %v: want more than 0", v.wait)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for i, h := range list {
		if slices.ContainsFunc(list[:i], func(other launch.Host) bool { return other.Name == h.Name }) {
			return nil, usage.Errorf("--hosts %q: %s occurs twice", c.String("hosts"), h.Name)
		}
		v.hosts = append(v.hosts, &host{Host: h, argv: launch.OnHost(v.rsh, h.Name, self, probeName)})
	}
	v.build, v.codecs = cluster.Build()
	return v, v.share(c, list)
}

// share determines how many ranks each host has.
func (v *visit) share(c *cli.Context, list []launch.Host) error {
	v.counted = c.IsSet("n")
	if v.counted {
		job := &launch.Hosts{Job: launch.Job{Size: c.Int("n"), Argv: []string{"-"}}, Hosts: list}
		err := job.Check()
		if err == nil {
			v.ranks, err = job.Shares()
		}
		if err != nil {
			return usage.Wrap(err)
		}
	} else {
		for _, h := range list {
			v.ranks = append(v.ranks, max(1, h.Slots))
		}
	}
	for _, n := range v.ranks {
		v.size += n
	}
	return nil
}

// each calls do for the hosts that have been reached, at the same time.
func (v *visit) each(do func(i int, h *host)) {
	var all sync.WaitGroup
	for i, h := range v.hosts {
		if h.failed == nil {
			all.Go(func() { do(i, h) })
		}
	}
	all.Wait()
}

// wantedPorts returns how many ports ranks on host i need.
func (v *visit) wantedPorts(i int) int { return runflags.WantedPorts(v.ranks[i], i == 0) }

// wantedFiles returns how many files a process of a job on host i has open: a rank, or the agent.
func (v *visit) wantedFiles(i int) uint64 {
	const others, perRank, own = 2, 8, 32 // of a rank for another; of an agent for a rank; both
	return uint64(max(others*v.size, perRank*v.ranks[i]) + own)
}

// run examines the hosts. It takes at most some times v.wait, whatever hosts do.
func (v *visit) run(ctx context.Context) error {
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	secret := make([]byte, secretBytes)
	if _, err := rand.Read(secret); err != nil {
		return err
	}
	defer v.each(func(_ int, h *host) { _ = h.leave() }) // it has answered
	v.each(func(_ int, h *host) { h.contact(ctx, v.rsh, &begin{probeVersion, folder, v.net, v.provider}, v.wait) })
	where := func(i int) *listen {
		l := &listen{Ports: v.ports, Interface: os.Getenv("FAGUS_INTERFACE"), Want: max(leastPorts, v.wantedPorts(i)), Secret: secret}
		if v.ports != "" {
			l.Want = max(l.Want, fewestPorts)
		}
		return l
	}
	// The first host chooses the address where ranks meet; the others listen at what leads there.
	first := slices.IndexFunc(v.hosts, func(h *host) bool { return h.failed == nil })
	if first < 0 {
		return nil
	}
	v.hosts[first].listen(where(first), v.wait)
	v.each(func(i int, h *host) {
		if i == first {
			return
		}
		l := where(i)
		if at := v.hosts[first].listens; at != nil {
			l.Meet = at.Addr
		}
		h.listen(l, v.wait)
	})
	var mu sync.Mutex // guards v.contacts
	v.each(func(i int, h *host) {
		r := &reach{Secret: secret, WaitNS: (v.wait / 3).Nanoseconds()}
		for k, to := range v.hosts {
			if k != i && to.listens != nil && len(to.listens.Ports) > 0 && (len(v.hosts) <= allPairs || i == first || k == first) {
				r.To = append(r.To, target{to.Name, to.listens.Addr, to.listens.Ports})
			}
		}
		if len(r.To) == 0 {
			return
		}
		a, err := h.ask(order{Reach: r}, v.wait+time.Duration(len(r.To))*v.wait/allPairs)
		mu.Lock()
		defer mu.Unlock()
		if err != nil || len(a.Reach) != len(r.To) {
			h.stuck = fmt.Sprintf("connecting to the other hosts: %v", cmp.Or(err, errors.New(a.Err)))
			return
		}
		for _, one := range a.Reach {
			one.From = h.Name
			v.contacts = append(v.contacts, one)
		}
	})
	return ctx.Err()
}

// examineHosts is the action of fagus doctor --hosts.
func examineHosts(c *cli.Context) error {
	v, err := newVisit(c)
	if err != nil {
		return err
	}
	if err := v.run(c.Context); err != nil {
		return err
	}
	if err := c.Context.Err(); err != nil {
		return fmt.Errorf("the hosts are not judged: %w", err) // the signal has ended ssh, too
	}
	r := v.report()
	if err := base.PrintText(c, r, r.text); err != nil {
		return err
	}
	unreached := slices.ContainsFunc(v.hosts, func(h *host) bool { return h.failed != nil })
	switch {
	case unreached:
		return fmt.Errorf("a job cannot run on these hosts: %w", base.Absent("a host is not reached, or has not this program"))
	case !r.Well:
		return errors.New("a job cannot run on these hosts")
	}
	return nil
}
