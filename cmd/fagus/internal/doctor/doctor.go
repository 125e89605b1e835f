package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const schema = "fagus.doctor/v1"

type health string

const (
	healthy health = "ok"
	slower  health = "note"    // everything works, but slower or with restrictions
	missing health = "missing" // something does not work
)

type finding struct {
	Name   string `json:"name"`
	Health health `json:"health"`
	Value  string `json:"value"`
	Advice string `json:"advice,omitempty"` // the recommended action, or ""
}

func good(name, format string, args ...any) finding {
	return finding{Name: name, Health: healthy, Value: fmt.Sprintf(format, args...)}
}

func note(name, value, advice string) finding { return finding{name, slower, value, advice} }

func lack(name string, err error, advice string) finding {
	return finding{name, missing, err.Error(), advice}
}

type report struct {
	Schema   string    `json:"schema"`
	Well     bool      `json:"well"` // nothing is missing
	Findings []finding `json:"findings"`
}

// Command returns the command fagus doctor.
func Command() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "examine what this machine, or hosts, offer to ranks that are processes, and recommend what to change",
		UsageText: `fagus doctor [--json]
fagus doctor --hosts HOSTS [flags]

fagus doctor                                      this machine
mpirun -n 1 fagus doctor                          the view of a rank that a launcher starts
fagus doctor --hosts a,b                          whether a job runs on a and b: ssh, builds, clocks, ports
fagus doctor --hosts a,b -n 64                    for a job of 64 ranks, half of them on each
fagus doctor --hosts a,b:6 --ports 17000-17100    with six ranks on b, through a firewall
fagus doctor --hosts a,b --net quic --json | jq '.findings[] | select(.health != "ok")'`,
		Description: "Without --hosts, exit code 1 means: something is missing that --net shm or --net tcp needs, or the\n" +
			"variables that say which rank of a job this process is contradict each other. With --hosts, lines begin\n" +
			"with ok, warn (a job runs, but worse) or FAIL. Exit code 1: a job cannot run; 3: a host is not reached,\n" +
			"or has not this program. Up to 32 hosts connect to each other; of more, the first and each.",
		Flags: append([]cli.Flag{base.JSONFlag(schema + "; with --hosts " + hostsSchema)}, hostFlags()...),
		Action: base.NoArgs(func(c *cli.Context) error {
			if c.IsSet("hosts") {
				return examineHosts(c)
			}
			for _, flag := range []string{"n", "net", "provider", "wait"} {
				if c.IsSet(flag) {
					return usage.Errorf("--%s is of an examination of hosts: use it with --hosts", flag)
				}
			}
			if err := runflags.NoHostFlags(cmdline.Line(c), "this examines one: use it with --hosts"); err != nil {
				return err
			}
			r := examine(c.Context, os.LookupEnv)
			err := base.PrintText(c, r, r.text)
			if err == nil && !r.Well {
				err = errors.New("something is missing")
			}
			return err
		}),
	}
}

func (r *report) text() (text string) {
	for _, f := range r.Findings {
		text += fmt.Sprintf("%-8s%-16s%s\n", f.Health, f.Name, f.Value)
		if f.Advice != "" {
			text += strings.Repeat(" ", 24) + f.Advice + "\n"
		}
	}
	return text
}

func examine(ctx context.Context, lookup func(string) (string, bool)) *report {
	r := &report{Schema: schema, Well: true}
	r.Findings = append(r.Findings,
		good("go", "%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH),
		good("cores", "%d, of which %d are used (GOMAXPROCS)", runtime.NumCPU(), runtime.GOMAXPROCS(0)))
	r.Findings = append(r.Findings, probeSystem()...)
	r.Findings = append(r.Findings, examineJob(lookup)...)
	r.Findings = append(r.Findings, examineInterfaces(ctx, lookup)...)
	r.Findings = append(r.Findings, examineFabrics(lookup)...)
	r.Findings = append(r.Findings, examinePrograms()...)
	for _, f := range r.Findings {
		r.Well = r.Well && f.Health != missing
	}
	return r
}

// examineJob reports the rank that the environment gives this process in a job.
func examineJob(lookup func(string) (string, bool)) []finding {
	place, err := cluster.FromEnv(lookup)
	if errors.Is(err, cluster.ErrNoJob) {
		return []finding{good("job", "none: no launcher has set a rank")}
	}
	if err != nil {
		return []finding{lack("job", err, "see docs/guide/processes.md")}
	}
	where := fmt.Sprintf("meets at %q", place.Rendezvous)
	if place.ByLauncher {
		where = "joins through its launcher"
	}
	all := []finding{good("job", "rank %d of %d, as %s says; job %.80q, %s, epoch %d", place.Rank, place.Size, place.Source, place.Job, where, place.Epoch)}
	from, _ := lookup("FAGUS_IDENTITY")
	switch {
	case !place.Spans():
		return append(all, good("identity", "not needed: all ranks are on this host"))
	case strings.HasPrefix(from, "fd:"):
		// Reading the inherited identity here would leave nothing for the program to read.
		return append(all, good("identity", "inherited (%s)", from))
	}
	id, err := cluster.IdentityFromEnv(lookup, dimmnet.Rank(place.Rank))
	switch {
	case err != nil:
		all = append(all, lack("identity", err, "set FAGUS_IDENTITY to the folder that `fagus identity` made"))
	case id == nil:
		all = append(all, note("identity", "none: ranks of other hosts are refused unless FAGUS_INSECURE=1", "fagus identity -n N FOLDER, and FAGUS_IDENTITY=FOLDER for all ranks"))
	default:
		all = append(all, good("identity", "%v, from %s", id, from))
	}
	return all
}

// examineInterfaces lists the network interfaces, and the one that other ranks would connect to.
func examineInterfaces(ctx context.Context, lookup func(string) (string, bool)) []finding {
	const advice = "set FAGUS_INTERFACE to a name, an address or a range (10.0.0.0/8)"
	all, err := cluster.Interfaces()
	if err != nil {
		return []finding{lack("interfaces", err, "")}
	}
	found := []finding{good("interfaces", "%s", strings.Join(base.Map(all, cluster.Interface.String), ", "))}
	want, _ := lookup("FAGUS_INTERFACE")
	var meet []netip.AddrPort
	if place, err := cluster.FromEnv(lookup); err == nil && place.Spans() && !place.ByLauncher {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if meet, err = cluster.MeetingPoints(ctx, place.Rendezvous); err != nil {
			return append(found, lack("rendezvous", err, "set FAGUS_RENDEZVOUS to host:port of rank 0"))
		}
	}
	chosen, err := cluster.ChooseInterface(want, meet)
	if err != nil {
		return append(found, lack("interface", err, advice))
	}
	found = append(found, good("interface", "%v", chosen))
	if outer, err := cluster.OuterInterface(want, netip.Addr{}); err != nil {
		found = append(found, note("other hosts", err.Error(), advice))
	} else {
		found = append(found, good("other hosts", "would reach this one at %v", outer))
	}
	return found
}

func examinePrograms() []finding {
	var there, absent []string
	for _, name := range []string{"ssh", "mpirun", "mpiexec", "srun", "flux", "kubectl"} {
		if path, err := exec.LookPath(name); err == nil {
			there = append(there, path)
		} else {
			absent = append(absent, name)
		}
	}
	if len(absent) == 0 {
		absent = []string{"none"}
	}
	return []finding{good("launchers", "%s; not in PATH: %s (fagus launch needs none on one host, and ssh for several)",
		strings.Join(append([]string{"fagus launch"}, there...), ", "), strings.Join(absent, ", "))}
}
