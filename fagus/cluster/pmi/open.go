package pmi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
)

var (
	// ErrNone is the error of Open if the launcher offers no connection.
	ErrNone = errors.New("pmi: the launcher has passed no connection to its key-value store: PMI_FD is not set: start the program with the mpiexec of MPICH, flux run, srun --mpi=pmi2, or, built with -tags pmix, the mpirun of Open MPI or srun --mpi=pmix")
	// ErrUnavailable is the error of Open if the launcher offers PMIx, and this program is built
	// without libpmix.
	ErrUnavailable = errors.New("pmi: the launcher offers its key-value store by PMIx, and this program is built without it: build it with -tags pmix, where libpmix and its headers are (Debian: libpmix-dev)")
)

// environment is what the launcher says in environment variables.
type environment struct {
	fd         int
	rank, size int
	job        string // PMI_JOBID; empty if it is not set
}

const maxDescriptor = 1 << 20

func parse(lookup func(string) (string, bool)) (e environment, err error) {
	number := func(name string, least, most int) (n int) {
		text, _ := lookup(name)
		n, e := strconv.Atoi(text)
		if err == nil && (e != nil || n < least || n > most) {
			err = fmt.Errorf("pmi: reading the launcher's variables: %s=%.40q: want a number from %d to %d", name, text, least, most)
		}
		return n
	}
	e.fd = number("PMI_FD", 3, maxDescriptor)
	e.size = number("PMI_SIZE", 1, dimmnet.MaxNodes)
	e.rank = number("PMI_RANK", 0, max(e.size-1, 0))
	e.job, _ = lookup("PMI_JOBID")
	if err == nil && (len(e.job) > maxName || strings.ContainsFunc(e.job, func(r rune) bool { return r <= ' ' || r == ';' || r == '=' })) {
		err = fmt.Errorf("pmi: reading the launcher's variables: PMI_JOBID=%.40q: want at most %d bytes without spaces, ; and =", e.job, maxName)
	}
	return e, err
}

// Open connects to the store of the launcher that started this process. lookup is os.LookupEnv or
// a replacement; Open reads PMI_FD, PMI_RANK, PMI_SIZE and PMI_JOBID or, if PMI_FD is not set,
// PMIX_NAMESPACE. It returns ErrNone if neither is set, and ErrUnavailable if the launcher offers
// PMIx only, and this program is built without libpmix. It gives up when ctx is done, or when the
// launcher does not answer for a minute.
//
// The descriptor in PMI_FD remains open, and programs that the process starts do not inherit it.
func Open(ctx context.Context, lookup func(string) (string, bool)) (*Client, error) {
	if fd, _ := lookup("PMI_FD"); fd != "" {
		return openWire(ctx, lookup)
	}
	if name, _ := lookup("PMIX_NAMESPACE"); name == "" {
		return nil, ErrNone
	}
	lib, err := newLibrary()
	if err != nil {
		return nil, err
	}
	return openPMIx(ctx, lib)
}

// Offered reports whether Open has a launcher's store to connect to, and can.
func Offered(lookup func(string) (string, bool)) bool {
	fd, _ := lookup("PMI_FD")
	name, _ := lookup("PMIX_NAMESPACE")
	return fd != "" || name != "" && HasPMIx()
}

// HasPMIx reports whether this program is built with libpmix.
func HasPMIx() bool {
	_, err := newLibrary()
	return err == nil
}

func openWire(ctx context.Context, lookup func(string) (string, bool)) (*Client, error) {
	env, err := parse(lookup)
	if err != nil {
		return nil, err
	}
	own, err := duplicate(env.fd)
	if err != nil {
		return nil, fmt.Errorf("pmi: connecting to the launcher by PMI_FD=%d: %w: the process must be the one that the launcher started, and can connect once", env.fd, err)
	}
	c := &Client{rank: env.rank, size: env.size, job: env.job}
	w := &wire{conn: newConn(os.NewFile(uintptr(own), "PMI_FD"), c.launcherGone), rank: env.rank}
	c.server = w
	stop := c.giveUp(ctx)
	name, err := w.begin(env)
	if !stop() && err == nil {
		err = fmt.Errorf("pmi: connecting to the launcher: %w", dimmnet.ContextErr(ctx))
	}
	if err != nil {
		_ = w.close() // the first error says more
		return nil, err
	}
	c.job = cmp.Or(name, c.job)
	return c, nil
}

// initVersion returns the version in an answer to the first request, or 0 if m is none.
func initVersion(m message) int {
	if m.cmd != "response_to_init" {
		return 0
	}
	n, _ := m.number("pmi_version", 2) // 0 is no version
	return n
}

// begin introduces the process to the launcher. It returns the name of the store, if it has one.
func (w *wire) begin(env environment) (name string, err error) {
	want := "cmd=init pmi_version=1 pmi_subversion=1\n"
	if env.job != "" {
		want = "cmd=init pmi_version=2 pmi_subversion=0\n"
	}
	m, err := w.ask(exchange{doing: "connecting to the launcher", request: []byte(want), answer: "response_to_init", within: answerTime})
	if err != nil {
		return "", err
	}
	switch version := initVersion(m); {
	case version == 1:
		return w.beginLines()
	case version == 2 && env.job != "":
		return "", w.beginFrames(env)
	}
	version, _ := m.get("pmi_version")
	return "", fmt.Errorf("pmi: connecting to the launcher: it answers version %.20q to %q: want 1, or 2 where PMI_JOBID is set", version, want)
}

// beginLines asks for what a client of PMI-1 has to know. It returns the name of the store.
func (w *wire) beginLines() (name string, err error) {
	const doing = "asking for the launcher's limits"
	m, err := w.ask(w.store.exchange(doing, answerTime, verb{line: "get_maxes", answer: "maxes"}))
	if err != nil {
		return "", err
	}
	keyMax, bad := m.number("keylen_max", 1<<20)
	valueMax, err := m.number("vallen_max", 1<<30)
	if err = cmp.Or(bad, err); err != nil {
		return "", fmt.Errorf("pmi: %s: %w", doing, err)
	}
	if m, err = w.ask(w.store.exchange("asking for the name of the launcher's store", answerTime, verb{line: "get_my_kvsname", answer: "my_kvsname"})); err != nil {
		return "", err
	}
	name, _ = m.get("kvsname")
	if name == "" || len(name) > maxName {
		return "", fmt.Errorf("pmi: asking for the name of the launcher's store: it answers %.40q of %d bytes: want 1 to %d", name, len(name), maxName)
	}
	w.store.name = name
	if err := w.store.setLimits(keyMax, valueMax); err != nil {
		return "", fmt.Errorf("pmi: %s: %w", doing, err)
	}
	return name, nil
}

// beginFrames makes the second introduction, which PMI-2 requires.
func (w *wire) beginFrames(env environment) error {
	const doing = "joining the launcher's job"
	w.store = store{frames: true, value: frameValue}
	m, err := w.ask(w.store.exchange(doing, answerTime, verb{frame: "fullinit"},
		pair{"pmijobid", env.job}, pair{"pmirank", strconv.Itoa(env.rank)}, pair{"threaded", "FALSE"}))
	if err != nil {
		return err
	}
	rank, bad := m.number("rank", dimmnet.MaxNodes)
	size, err := m.number("size", dimmnet.MaxNodes)
	if err = cmp.Or(bad, err); err != nil {
		return fmt.Errorf("pmi: %s: %w", doing, err)
	}
	if rank != env.rank || size != env.size {
		return fmt.Errorf("pmi: %s: it says rank %d of %d, but its variables PMI_RANK=%d and PMI_SIZE=%d: unset those of another launcher", doing, rank, size, env.rank, env.size)
	}
	return nil
}
