package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/launchers"
)

// Place is a process's place in a job.
type Place struct {
	Rank, Size           int
	LocalRank, LocalSize int    // among the ranks of this host; -1 and 0 if unknown
	Job                  string // unique name of the job; may be empty if ByLauncher
	Rendezvous           string // address where the processes meet; empty if not configured
	Source               string // name of the environment variable that gives the rank
	Epoch                int    // start number of the job; ranks of another epoch are refused
	ByLauncher           bool   // the ranks join through their launcher (JoinLauncher)
	Attempt              int    // how often the launcher has started the job before
}

// ErrNoJob is the error of FromEnv for a process that no launcher has started.
var ErrNoJob = errors.New("cluster: no launcher has set a rank")

const (
	fagusRank       = launchers.FagusRank
	fagusSize       = launchers.FagusSize
	fagusJob        = "FAGUS_JOB"
	fagusRendezvous = "FAGUS_RENDEZVOUS"
	fagusEpoch      = "FAGUS_EPOCH"
	unixPrefix      = "unix:" // prefix of a rendezvous on one host
)

// FromEnv returns the place of this process according to the variables that its launcher set.
// lookup is os.LookupEnv or a replacement; an empty variable counts as not set. The package
// comment lists the launchers in order of precedence. FromEnv returns ErrNoJob if there is no
// launcher. Any other error names the variables that are missing, malformed, or contradictory.
func FromEnv(lookup func(string) (string, bool)) (Place, error) {
	env := environment{lookup}
	found, err := env.launched()
	if err != nil {
		return Place{}, err
	}
	if len(found) == 0 {
		return Place{}, env.alone()
	}
	first := found[0]
	if err := env.contradiction(found); err != nil {
		return Place{}, err
	}
	p := Place{Rank: first.rank, Size: first.size, Source: first.launcher.Rank, Rendezvous: env.get(fagusRendezvous)}
	var errs [5]error
	p.LocalRank, p.LocalSize, errs[0] = env.local(found)
	p.Epoch, _, errs[1] = env.number(fagusEpoch)
	p.Attempt, _, errs[2] = env.number(AttemptVariable)
	p.ByLauncher, errs[3] = env.joinsByLauncher()
	if p.Spans() && p.Rendezvous != "" {
		_, errs[4] = splitPoints(p.Rendezvous)
	}
	if err := cmp.Or(errs[:]...); err != nil {
		return Place{}, err
	}
	if p.Job = env.job(found); p.Job == "" && !p.ByLauncher {
		return Place{}, fmt.Errorf("cluster: %s=%d is a rank of a job without a name: set %s, the same for all ranks, to a name that no other job of this user has, or set %s to the address where the ranks meet",
			p.Source, p.Rank, fagusJob, fagusRendezvous)
	}
	return p, nil
}

// Environ returns p as variables, as fagus launch sets them.
func (p Place) Environ() []string {
	all := []string{
		fagusJob + "=" + p.Job, fmt.Sprintf("%s=%d", fagusEpoch, p.Epoch), fmt.Sprintf("%s=%d", AttemptVariable, p.Attempt),
		fmt.Sprintf("%s=%d", fagusRank, p.Rank), fmt.Sprintf("%s=%d", fagusSize, p.Size),
	}
	if p.Rendezvous != "" {
		all = append(all, fagusRendezvous+"="+p.Rendezvous)
	}
	return all
}

// OnHost returns a number that differs among the ranks of a host: as far as the launcher tells it,
// the rank among them, and otherwise the rank. Each pod of an Indexed Job of Kubernetes is a host.
func (p Place) OnHost() int {
	switch {
	case p.LocalRank >= 0:
		return p.LocalRank
	case p.Source == launchers.Completion:
		return 0
	}
	return p.Rank
}

// environment reads the variables that a launcher has set.
type environment struct {
	lookup func(string) (string, bool)
}

func (e environment) get(name string) string {
	v, _ := e.lookup(name)
	return v
}

func (e environment) number(names ...string) (n int, which string, err error) {
	for _, name := range names {
		v := e.get(name)
		if v == "" {
			continue
		}
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > dimmnet.MaxNodes {
			return 0, name, fmt.Errorf("cluster: %s=%q is not a number from 0 to %d", name, v, dimmnet.MaxNodes)
		}
		return n, name, nil
	}
	return 0, "", nil
}

func (e environment) seen(names ...string) string {
	var all []string
	for _, name := range names {
		if v := e.get(name); v != "" {
			all = append(all, name+"="+v)
		} else {
			all = append(all, name+" not set")
		}
	}
	return strings.Join(all, ", ")
}

type claim struct {
	launcher   launchers.Launcher
	rank, size int
	sizeName   string // name of the environment variable that gives the size
}

// launched returns the claims of all launchers that have set a rank, in order of precedence.
func (e environment) launched() ([]claim, error) {
	var found []claim
	for _, l := range launchers.All() {
		if !l.Started(e.get) {
			continue
		}
		rank, _, bad := e.number(l.Rank)
		size, sizeName, err := e.number(l.Sizes...)
		if err = cmp.Or(bad, err); err != nil {
			return nil, err
		}
		if sizeName == "" {
			return nil, fmt.Errorf("cluster: the job has a rank without a size: %s: set %s", e.seen(append([]string{l.Rank}, l.Sizes...)...), l.Sizes[0])
		}
		if rank >= size {
			return nil, fmt.Errorf("cluster: %s: want a rank from 0 to the size - 1", e.seen(l.Rank, sizeName))
		}
		found = append(found, claim{launcher: l, rank: rank, size: size, sizeName: sizeName})
	}
	return found, nil
}

// alone returns the error for a process without a rank: ErrNoJob, or an error if a variable
// indicates that the process is one of several.
func (e environment) alone() error {
	if e.get(fagusSize) != "" {
		return fmt.Errorf("cluster: the job has a size without a rank: %s: set %s, or start the program with a launcher", e.seen(fagusRank, fagusSize), fagusRank)
	}
	// Start with the last launcher: earlier ones use its size variables too.
	for _, l := range slices.Backward(launchers.All()) {
		n, name, err := e.number(l.Sizes...)
		if err != nil {
			return err
		}
		if n > 1 {
			return fmt.Errorf("cluster: %s, but this process has no rank (%s): %s", e.seen(name), e.seen(l.Required()), l.Start)
		}
	}
	return ErrNoJob
}

func (e environment) contradiction(found []claim) error {
	first := found[0]
	of := first.launcher
	if n, name, err := e.number(fagusSize); err != nil || name != "" && n != first.size {
		if err != nil {
			return err
		}
		return fmt.Errorf("cluster: the job has two sizes: %s: unset %s, or set it to %d", e.seen(first.sizeName, fagusSize), fagusSize, first.size)
	}
	for _, c := range found[1:] {
		if slices.Contains(of.Agrees, c.launcher.Rank) && !c.same(first) || first.size == 1 && c.size > 1 {
			return fmt.Errorf("cluster: two launchers contradict each other: %s, but %s: unset the variables of the wrong one",
				e.seen(of.Rank, first.sizeName), e.seen(c.launcher.Rank, c.sizeName))
		}
	}
	// The shell of an interactive Slurm step is one process in an allocation for many.
	if n, name, err := e.number(of.Allotted); err != nil || name != "" && first.size == 1 && n > 1 {
		if err != nil {
			return err
		}
		return fmt.Errorf("cluster: a job of one process in an allocation for more: %s: %s", e.seen(first.sizeName, name), of.Start)
	}
	return nil
}

// local returns the rank within this host and the host's number of ranks; -1 and 0 if unknown.
func (e environment) local(found []claim) (rank, size int, err error) {
	rank = -1
	for _, c := range agreeing(found) {
		r, rankName, badRank := e.number(c.launcher.LocalRank...)
		n, sizeName, badSize := e.number(c.launcher.LocalSize...)
		hosts, _, badHosts := e.number(c.launcher.Hosts...)
		if err := cmp.Or(badRank, badSize, badHosts); err != nil {
			return 0, 0, err
		}
		if hosts == 1 && sizeName == "" {
			n, sizeName = c.size, c.sizeName
		}
		if sizeName != "" && (n > c.size || r >= n) {
			return 0, 0, fmt.Errorf("cluster: the rank on this host contradicts the size of the job: %s, but %s", e.seen(append(slices.Clone(c.launcher.LocalRank), sizeName)...), e.seen(c.sizeName))
		}
		if rankName != "" && rank < 0 {
			rank = r
		}
		if sizeName != "" && size == 0 {
			size = n
		}
	}
	return rank, size, nil
}

func agreeing(found []claim) []claim {
	return slices.DeleteFunc(slices.Clone(found), func(c claim) bool { return !c.same(found[0]) })
}

func (c claim) same(d claim) bool { return c.rank == d.rank && c.size == d.size }

// job returns the job's name: FAGUS_JOB, an agreeing launcher's name, or the rendezvous.
func (e environment) job(found []claim) string {
	if name := e.get(fagusJob); name != "" {
		return name
	}
	for _, c := range agreeing(found) {
		for _, parts := range c.launcher.Jobs {
			var values []string
			for _, name := range parts {
				values = append(values, e.get(name))
			}
			if !slices.Contains(values, "") {
				return strings.Join(values, ".")
			}
		}
	}
	return e.get(fagusRendezvous)
}
