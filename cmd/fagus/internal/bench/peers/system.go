package peers

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// System describes how to start the ranks of a system. As JSON it says what was measured.
type System struct {
	Name  string   `json:"name"`
	Own   bool     `json:"-"`             // the system is Fagus, and not a peer
	Ranks int      `json:"ranks"`         // at least 1
	Argv  []string `json:"argv"`          // the command line; Start appends the path of the socket
	Env   []string `json:"env,omitempty"` // variables added to this process's environment
	// Launched means that Argv is a launcher, which starts all ranks. Otherwise Start starts one
	// process for each rank.
	Launched bool `json:"-"`
	// Over is the provider of libfabric that every rank must have opened, and no other. "" means
	// that any path will do.
	Over string `json:"provider,omitempty"`
	// Budget limits the time that samples of one method take, for systems that are slow: a method
	// that has used it up takes no more samples, once it has 3. 0 means no limit.
	Budget time.Duration `json:"-"`
	// Patience limits the time of the start, and the time of each answer. 0 means 2 minutes.
	Patience time.Duration `json:"-"`
}

// Running is a system that has been started. It belongs to one goroutine.
type Running struct {
	System
	ranks  []*rank
	stderr *experiment.Tail
	ended  chan error // receives the result when all processes have ended
	end    context.CancelFunc
	stop   func() bool // keeps the end of the context from closing the connections
}

type rank struct {
	conn  net.Conn
	lines *bufio.Reader
}

// Start starts a system and returns when its ranks have connected to the socket, whose path
// must not exist yet. When ctx is done, the ranks are stopped.
func Start(ctx context.Context, s System, socket string) (*Running, error) {
	s.Patience = cmp.Or(s.Patience, 2*time.Minute)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("peers: %w", err)
	}
	defer listener.Close()
	jobs, end := context.WithCancel(ctx)
	r := &Running{System: s, ranks: make([]*rank, s.Ranks), stderr: &experiment.Tail{}, ended: make(chan error, 1), end: end}
	processes := s.Ranks
	if s.Launched {
		processes = 1
	}
	job := launch.Job{
		Size:   processes,
		Argv:   append(slices.Clone(s.Argv), socket),
		Env:    append(cluster.WithoutPlace(os.Environ()), s.Env...),
		Stdout: io.Discard, Stderr: r.stderr, PlainErr: s.Launched,
	}
	go func() {
		r.ended <- job.Run(jobs)
		listener.Close() // no rank will connect any more
	}()
	if err := r.greet(ctx, listener); err != nil {
		r.hangUp()
		return nil, r.failure(ctx, err)
	}
	r.stop = context.AfterFunc(ctx, r.hangUp)
	return r, nil
}

func (r *Running) greet(ctx context.Context, listener *net.UnixListener) error {
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	deadline := time.Now().Add(r.Patience)
	if err := listener.SetDeadline(deadline); err != nil {
		return err
	}
	for range r.ranks {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		if err := r.register(conn, deadline); err != nil {
			conn.Close()
			return err
		}
	}
	return nil
}

func (r *Running) register(conn net.Conn, deadline time.Time) error {
	if err := conn.SetReadDeadline(deadline); err != nil {
		return err
	}
	lines := bufio.NewReader(conn)
	line, err := lines.ReadString('\n')
	if err != nil {
		return err
	}
	number, opened, err := parseGreeting(line)
	if err != nil || number >= r.Ranks || r.ranks[number] != nil {
		return fmt.Errorf("greeting %q: want \"rank R\" once for each of %d ranks", line, r.Ranks)
	}
	if err := checkProviders(r.Over, opened); err != nil {
		return fmt.Errorf("rank %d: %w", number, err)
	}
	r.ranks[number] = &rank{conn, lines}
	return nil
}

// send sends a command to all ranks. They perform commands in the order sent.
func (r *Running) send(ctx context.Context, c Command) error {
	if err := r.write(c); err != nil {
		return r.failure(ctx, err)
	}
	return nil
}

// write is send, but leaves the system as it is if it fails: an earlier answer may say why.
func (r *Running) write(c Command) error {
	deadline := time.Now().Add(r.Patience)
	for _, k := range r.ranks {
		if err := k.conn.SetDeadline(deadline); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(k.conn, c); err != nil {
			return err
		}
	}
	return nil
}

// receive returns the time that the oldest command without an answer, c, took at rank 0.
func (r *Running) receive(ctx context.Context, c Command) (first time.Duration, err error) {
	for i, k := range r.ranks {
		line, err := k.lines.ReadString('\n')
		var took time.Duration
		if err == nil {
			took, err = parseAnswer(strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			return 0, r.failure(ctx, fmt.Errorf("%v: rank %d: %w", c, i, err))
		}
		if i == 0 {
			first = took
		}
	}
	return first, nil
}

// grace is the time that ranks have to end by themselves.
const grace = 3 * time.Second

// Stop ends the system. It returns when all processes of the system have ended.
func (r *Running) Stop() {
	r.stop()
	r.hangUp()
	r.wait()
}

// wait waits for the processes. After grace it kills every process that still runs.
func (r *Running) wait() error {
	defer r.end()
	defer time.AfterFunc(grace, r.end).Stop()
	return <-r.ended
}

// hangUp closes the connections, which tells the ranks to end.
func (r *Running) hangUp() {
	for _, k := range r.ranks {
		if k != nil {
			k.conn.Close()
		}
	}
}

// failure ends the system and returns an error that explains why it failed. The exit status and
// the output of the processes explain more than noticed, the error of the connection.
func (r *Running) failure(ctx context.Context, noticed error) error {
	r.hangUp()
	ended := r.wait()
	r.ended <- ended // for Stop
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err := fmt.Errorf("%s: %w", r.Name, noticed)
	if exit := (*launch.ExitError)(nil); errors.As(ended, &exit) {
		err = fmt.Errorf("%s: %w (%v)", r.Name, noticed, exit.Err)
	} else if ended != nil && !errors.Is(ended, context.Canceled) {
		err = fmt.Errorf("%s: %w", r.Name, ended)
	}
	if said := r.stderr.String(); said != "" {
		err = fmt.Errorf("%w; it said:\n%s", err, said)
	}
	return &FailedError{r.Name, errors.Is(noticed, os.ErrDeadlineExceeded), err}
}

// FailedError is the error of a system that has ended, or has not answered in time.
type FailedError struct {
	System   string // its name
	TimedOut bool   // it has not answered for as long as System.Patience
	err      error
}

// Error begins with the name of the system.
func (e *FailedError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *FailedError) Unwrap() error { return e.err }
