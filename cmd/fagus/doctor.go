package main

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

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

const doctorSchema = "fagus.doctor/v1"

// health says whether what was looked at will do.
type health string

const (
	healthy health = "ok"
	slower  health = "note"    // it works without, or with less
	missing health = "missing" // something does not work
)

// finding is what doctor has found out about one thing.
type finding struct {
	Name   string `json:"name"`
	Health health `json:"health"`
	Value  string `json:"value"`
	Advice string `json:"advice,omitempty"` // what to do; empty: nothing
}

// good, note and lack are findings.
func good(name, format string, args ...any) finding {
	return finding{Name: name, Health: healthy, Value: fmt.Sprintf(format, args...)}
}

func note(name, value, advice string) finding { return finding{name, slower, value, advice} }

func lack(name string, err error, advice string) finding {
	return finding{name, missing, err.Error(), advice}
}

// doctorReport is the document of fagus doctor --json.
type doctorReport struct {
	Schema   string    `json:"schema"`
	Well     bool      `json:"well"` // nothing is missing
	Findings []finding `json:"findings"`
}

func doctorCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "look at what this machine has for ranks as processes, and say what to do",
		UsageText: "fagus doctor [--json]\n\n" +
			"mpirun -n 1 fagus doctor         what a rank of a launcher sees\n" +
			"ssh HOST fagus doctor            what there is on another host",
		Description:     "Exit code 1: something is missing that --net shm or --net tcp needs, or this process's place\nin a job contradicts itself.",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags:           []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print one JSON document, schema " + doctorSchema}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("unexpected argument %q", c.Args().First())
			}
			r := examine(c.Context, os.LookupEnv)
			if c.Bool("json") {
				if err := printJSON(c.App.Writer, r); err != nil {
					return err
				}
			} else {
				for _, f := range r.Findings {
					advice := f.Advice
					if advice != "" {
						advice = "\n" + strings.Repeat(" ", 24) + advice
					}
					if _, err := fmt.Fprintf(c.App.Writer, "%-8s%-16s%s%s\n", f.Health, f.Name, f.Value, advice); err != nil {
						return err
					}
				}
			}
			if !r.Well {
				return errors.New("something is missing")
			}
			return nil
		},
	}
}

// examine looks at everything.
func examine(ctx context.Context, lookup func(string) (string, bool)) doctorReport {
	r := doctorReport{Schema: doctorSchema, Well: true}
	r.Findings = append(r.Findings,
		good("go", "%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH),
		good("cores", "%d, of which %d are used (GOMAXPROCS)", runtime.NumCPU(), runtime.GOMAXPROCS(0)))
	r.Findings = append(r.Findings, probeSystem()...)
	r.Findings = append(r.Findings, examineJob(lookup)...)
	r.Findings = append(r.Findings, examineInterfaces(ctx, lookup)...)
	r.Findings = append(r.Findings, examinePrograms()...)
	for _, f := range r.Findings {
		r.Well = r.Well && f.Health != missing
	}
	return r
}

// examineJob says which place in a job the environment gives to this process.
func examineJob(lookup func(string) (string, bool)) []finding {
	place, err := cluster.FromEnv(lookup)
	if errors.Is(err, cluster.ErrNoJob) {
		return []finding{good("job", "none: no launcher has set a rank")}
	}
	if err != nil {
		return []finding{lack("job", err, "see docs/processes.md")}
	}
	all := []finding{good("job", "rank %d of %d, as %s says; job %.80q, meets at %q, epoch %d", place.Rank, place.Size, place.Source, place.Job, place.Rendezvous, place.Epoch)}
	where, _ := lookup("FAGUS_IDENTITY")
	switch {
	case !place.Spans():
		return append(all, good("identity", "none is needed: all ranks are on this host"))
	case strings.HasPrefix(where, "fd:"):
		return append(all, good("identity", "inherited (%s)", where)) // to read it would take it away
	}
	id, err := cluster.IdentityFromEnv(lookup, dimmnet.Rank(place.Rank))
	switch {
	case err != nil:
		all = append(all, lack("identity", err, "set FAGUS_IDENTITY to the folder that `fagus identity` has made"))
	case id == nil:
		all = append(all, note("identity", "none: ranks of other hosts are refused unless FAGUS_INSECURE=1", "fagus identity -n N FOLDER, and FAGUS_IDENTITY=FOLDER for all ranks"))
	default:
		all = append(all, good("identity", "%v, from %s", id, where))
	}
	return all
}

// examineInterfaces says by which interface this process would be reached, and which there
// are.
func examineInterfaces(ctx context.Context, lookup func(string) (string, bool)) []finding {
	const advice = "set FAGUS_INTERFACE to a name, an address or a range (10.0.0.0/8)"
	all, err := cluster.Interfaces()
	if err != nil {
		return []finding{lack("interfaces", err, "")}
	}
	var names []string
	for _, i := range all {
		names = append(names, i.String())
	}
	found := []finding{good("interfaces", "%s", strings.Join(names, ", "))}
	want, _ := lookup("FAGUS_INTERFACE")
	var meet []netip.AddrPort
	if place, err := cluster.FromEnv(lookup); err == nil && place.Spans() {
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

// examinePrograms says which launchers there are.
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
