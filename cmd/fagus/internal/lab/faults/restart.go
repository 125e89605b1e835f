//go:build linux

package faults

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const (
	deathsSchema = "fagus.deaths/v1"
	// spares is how many hosts have no rank at first: a job may lose as many.
	spares = 2
	// killsPerJob is how often a campaign kills a rank of the same job.
	killsPerJob = 4
	// leastIterations and mostIterations bound the length of a job. It is doubled if jobs of a
	// network end before they are struck. With fewer, the verification of sor fails.
	leastIterations, mostIterations = 500, 1 << 20
	// restartLimit bounds a job, also on a busy machine: a rank that cannot join waits for 30 s.
	restartLimit = 10 * time.Minute
	// restartStall is the silence that is forgiven: agents have at least that.
	restartStall = 3 * time.Second
)

// deaths strikes jobs that restart, and compares their results with that of an undisturbed one.
type deaths struct {
	workers  int
	restarts int // of a job that is struck once
	limit    time.Duration

	mu         sync.Mutex
	iterations map[string]int                    // by network
	references map[int]func() (sorResult, error) // of undisturbed jobs, by iterations
	doc        deathsDocument
}

// sorResult is what must be the same, bit for bit.
type sorResult struct {
	Bits  string
	Value float64 // of the verification
}

// deathsDocument is the result of fagus lab faults --restart.
type deathsDocument struct {
	Schema  string      `json:"schema"`
	Seed    uint64      `json:"seed"`
	Seconds float64     `json:"seconds"`
	Rows    []deathsRow `json:"rows"`
	Jobs    int         `json:"jobs"`
	Struck  int         `json:"struck"`
	Wrong   int         `json:"wrong"`   // number of jobs with something wrong
	Skipped string      `json:"skipped"` // why faults of hosts were not tried; "" if they were
}

// deathsRow is what a fault has done on a network.
type deathsRow struct {
	Network  string    `json:"net"`
	Fault    string    `json:"fault"`
	Struck   int       `json:"struck"`
	Restarts int       `json:"restarts"`
	SeenBy   []string  `json:"seen_by"`    // "others", "itself", "launcher"
	Noticed  []float64 `json:"restart_s"`  // from each strike to the message about the restart
	Ended    int       `json:"jobs_right"` // jobs whose end was the right one
	Wrong    []string  `json:"jobs_wrong"` // what was wrong with the others
	want     string    // what the right end is
	before   int       // lines of the launcher before the first fault
}

// death is a job to strike.
type death struct {
	fault
	network string
	victim  int // negative: a random one at each strike
	strikes int
	seed    uint64
}

func runDeaths(c *cli.Context, nets []runflags.Network) error {
	d := &deaths{workers: c.Int("workers"), restarts: c.Int("restart"), limit: restartLimit, iterations: map[string]int{}, references: map[int]func() (sorResult, error){}}
	d.doc = deathsDocument{Schema: deathsSchema, Seed: c.Uint64("seed"), Rows: []deathsRow{}}
	if d.workers < 1 || d.restarts < 1 || c.Int("kills") < 0 || c.Int("host-faults") < 0 {
		return usage.Errorf("--restart %d --workers %d --kills %d --host-faults %d: want at least 1, 1, 0 and 0", d.restarts, d.workers, c.Int("kills"), c.Int("host-faults"))
	}
	jobs := tableOfDeaths(nets, c.String("only"))
	if c.Int("kills")+c.Int("host-faults") > 0 {
		jobs = campaignOfDeaths(nets, c.String("only"), c.Int("kills"), c.Int("host-faults"), d.doc.Seed)
	}
	jobs, d.doc.Skipped = triable(jobs, func(t death) bool { return t.hosts })
	if len(jobs) == 0 && d.doc.Skipped == "" {
		return usage.Errorf("--net %s --only %q: no fault of these networks has this in its name", c.String("net"), c.String("only"))
	}
	begun := time.Now()
	bar := base.NewProgress(c.App.ErrWriter, "jobs", len(jobs))
	more := func(i int) bool { return i < len(jobs) }
	err := experiment.Crowd(c.Context, d.workers, more, func(ctx context.Context, i int) error {
		defer bar.Add(1)
		return d.try(ctx, i, jobs[i])
	})
	bar.Stop()
	d.doc.Seconds = time.Since(begun).Seconds()
	if err = errors.Join(base.PrintText(c, &d.doc, d.doc.text), err); err != nil {
		return err
	}
	if d.doc.Wrong > 0 {
		return fmt.Errorf("%d of %d jobs went wrong", d.doc.Wrong, d.doc.Jobs)
	}
	return nil
}

// possible reports whether a fault can strike jobs of a network.
func (f *fault) possible(n runflags.Network, only string) bool {
	oneHost := n.Name == runflags.OFI && os.Getenv("FAGUS_PROVIDER") == "shm"
	return (!f.hosts || n.Hosts && !oneHost) && !(f.datagrams() && n.Name == runflags.QUIC) && (strings.Contains(f.of(usual), only) || !f.alone && strings.Contains(f.of(0), only))
}

// tableOfDeaths returns each fault on each network once, and for rank 0, too.
func tableOfDeaths(nets []runflags.Network, only string) (all []death) {
	for _, n := range nets {
		for _, f := range faults() {
			for _, victim := range f.victims() {
				if f.possible(n, only) && strings.Contains(f.of(victim), only) {
					all = append(all, death{fault: f, network: n.Name, victim: victim, strikes: 1, seed: uint64(len(all))})
				}
			}
		}
	}
	return all
}

// campaignOfDeaths returns jobs of which ranks are killed, and jobs with a fault of a host each, at
// random instants, on the networks in turn.
func campaignOfDeaths(nets []runflags.Network, only string, kills, losses int, seed uint64) (all []death) {
	random := rand.New(rand.NewPCG(seed, 0))
	add := func(n runflags.Network, f fault, strikes int) {
		all = append(all, death{fault: f, network: n.Name, victim: -1, strikes: strikes, seed: random.Uint64()})
	}
	var ofHosts []runflags.Network
	for _, n := range nets {
		if n.Hosts {
			ofHosts = append(ofHosts, n)
		}
	}
	for i := 0; kills > 0; i++ {
		strikes := min(kills, killsPerJob)
		add(nets[i%len(nets)], rankFaults()[0], strikes)
		kills -= strikes
	}
	for i := 0; i < losses && len(ofHosts) > 0; i++ {
		n := ofHosts[i%len(ofHosts)]
		able := slices.DeleteFunc(hostFaults(), func(f fault) bool { return !f.dies() || f.alone || !f.possible(n, only) })
		if len(able) == 0 {
			break
		}
		add(n, able[random.IntN(len(able))], 1)
	}
	return all
}

// errEarly is the error of a job that has ended before it was struck as often as wanted.
var errEarly = errors.New("the job ends before it is struck")

// try strikes a job, and a longer one if it ends before.
func (d *deaths) try(ctx context.Context, number int, t death) error {
	d.mu.Lock()
	iterations := cmp.Or(d.iterations[t.network], leastIterations)
	d.mu.Unlock()
	for ; ; iterations *= 2 {
		err := d.strikeOnce(ctx, number, t, iterations)
		if !errors.Is(err, errEarly) || iterations >= mostIterations {
			return err
		}
		d.mu.Lock()
		d.iterations[t.network] = max(d.iterations[t.network], 2*iterations)
		d.mu.Unlock()
	}
}

// expect returns the result of so many iterations without a fault, in this process's own command.
func (d *deaths) expect(ctx context.Context, iterations int) (sorResult, error) {
	d.mu.Lock()
	result := d.references[iterations]
	if result == nil {
		result = sync.OnceValues(func() (r sorResult, err error) {
			// With another number it would have the mark of another job, which it would end.
			alone := spec{args: sor(iterations), network: runflags.Inproc, ranks: 1, number: -iterations}
			_, err = alone.run(ctx, func(j *job) (err error) {
				<-j.ended
				r, err = j.result()
				return err
			})
			return r, err
		})
		d.references[iterations] = result
	}
	d.mu.Unlock()
	return result()
}

func sor(iterations int) []string {
	return []string{"run", "sor", "-n", "150", "--iterations", strconv.Itoa(iterations), "--json"}
}

// result returns what the launcher has printed on standard output, after its end.
func (j *job) result() (r sorResult, err error) {
	if code := j.cmd.ProcessState.ExitCode(); code != 0 {
		return r, fmt.Errorf("exit code %d", code)
	}
	d, err := experiment.Read(j.out.Bytes())
	if err == nil && d.Bits == "" {
		err = errors.New("it has no bits")
	}
	if err != nil {
		return r, fmt.Errorf("exit code 0, but the report is %.80q (%w)", j.out.Bytes(), err)
	}
	return sorResult{d.Bits, d.Verification.Value}, nil
}

// strikeOnce runs a job that restarts, strikes it, and adds what follows to the table.
func (d *deaths) strikeOnce(ctx context.Context, number int, t death, iterations int) error {
	want, err := d.expect(ctx, iterations)
	if err != nil {
		return fmt.Errorf("the undisturbed job: %w", err)
	}
	random := rand.New(rand.NewPCG(t.seed, 1))
	args := append(sor(iterations), "--restart", strconv.Itoa(t.strikes-1+d.restarts), "--checkpoint-every", "100ms")
	if random.IntN(2) == 0 { // otherwise in memory
		folder, err := os.MkdirTemp("", "fagus-faults-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		args = append(args, "--checkpoint", folder)
	}
	one := spec{args: args, network: t.network, ranks: ranks, number: number, env: []string{"FAGUS_STALL=" + restartStall.String()}}
	if t.hosts {
		one.hosts = ranks + spares
	}
	r := deathsRow{Network: t.network, Fault: t.of(t.victim), want: t.want()}
	wrong, lines := "", []string(nil)
	left, err := one.run(ctx, func(j *job) error {
		over, cancel := context.WithTimeout(ctx, d.limit)
		defer cancel()
		err := d.strikeAll(over, j, t, &r, random)
		select {
		case <-j.ended:
		case <-over.Done():
			if err == nil && ctx.Err() == nil {
				wrong = fmt.Sprintf("the job runs after %v", d.limit)
				j.rollCall()
			}
		}
		if (err == nil || errors.Is(err, errEarly)) && wrong == "" {
			wrong = t.wrong(j, &r, want)
		}
		lines = j.output()
		j.end()
		for pid := range experiment.Processes(j.mark) {
			_ = syscall.Kill(pid, syscall.SIGCONT) // learns that it is lost
		}
		return err
	})
	wrong = cmp.Or(wrong, leftText(left))
	if errors.Is(err, errEarly) && wrong != "" {
		err = nil // a longer job need not show it again
	}
	if err != nil || ctx.Err() != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	if wrong != "" {
		r.Wrong = []string{fmt.Sprintf("%s (seed %d): %s", wrong, t.seed, strings.Join(lines[max(0, len(lines)-8):], " | "))}
	} else {
		r.Ended = 1
	}
	d.add(r)
	return nil
}

// strikeAll strikes a job as often as t says, each time after the start of an attempt.
func (d *deaths) strikeAll(ctx context.Context, j *job, t death, r *deathsRow, random *rand.Rand) error {
	for n := range t.strikes {
		if err := j.awaitStart(ctx); err != nil {
			return cmp.Or(early(j), err)
		}
		victim := t.victim
		if victim < 0 {
			victim = random.IntN(ranks)
			time.Sleep(time.Duration(random.Int64N(int64(500 * time.Millisecond))))
		}
		before, at := j.forget(), time.Now()
		if n == 0 {
			r.before = before
		}
		if err := t.disturb(j, victim); err != nil {
			return cmp.Or(early(j), fmt.Errorf("%s, %s: %w", t.network, t.name, err))
		}
		r.Struck++
		if !t.dies() {
			return nil
		}
		again := func() bool { return slices.ContainsFunc(j.output()[before:], isRestart) }
		for !again() {
			select {
			case <-j.ended:
				if !again() {
					return nil // wrong says why
				}
			case <-ctx.Done():
				return nil
			case <-time.After(5 * time.Millisecond):
			}
		}
		r.Noticed = append(r.Noticed, time.Since(at).Seconds())
		r.SeenBy = base.Union(r.SeenBy, seenBy(j.output()[before:], victim)...)
	}
	return nil
}

// early returns errEarly if a job ends with exit code 0 now: its ranks may have ended before it.
func early(j *job) error {
	select {
	case <-j.ended:
		if j.cmd.ProcessState.ExitCode() == 0 {
			return errEarly
		}
	case <-time.After(leaveTime):
	}
	return nil
}
