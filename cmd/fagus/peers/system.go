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

	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// Ranks is how many a system has.
const Ranks = 2

// System is a way to start two ranks.
type System struct {
	Name string
	Own  bool     // not a peer
	Argv []string // to which the path of the socket is appended
	Env  []string // beside the environment
	// Processes is how many are started so; 0 means one, which starts the ranks.
	Processes int
	// Patience bounds the start, and each answer. 0 means 2 minutes.
	Patience time.Duration
}

// Running is a system that has been started. It belongs to one goroutine.
type Running struct {
	System
	ranks  [Ranks]*rank
	stderr *tail
	ended  chan error // one, when all its processes have ended
	end    context.CancelFunc
	stop   func() bool // no longer hangs up when the context is done
}

type rank struct {
	conn  net.Conn
	lines *bufio.Reader
}

// Start starts a system, and returns when its ranks have come to the socket, whose path must be
// free. When ctx is done they are ended.
func Start(ctx context.Context, s System, socket string) (*Running, error) {
	s.Patience = cmp.Or(s.Patience, 2*time.Minute)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("peers: %w", err)
	}
	defer listener.Close()
	jobs, end := context.WithCancel(ctx)
	r := &Running{System: s, stderr: &tail{}, ended: make(chan error, 1), end: end}
	job := launch.Job{
		Size:   max(1, s.Processes),
		Argv:   append(slices.Clone(s.Argv), socket),
		Env:    append(cluster.WithoutPlace(os.Environ()), s.Env...),
		Stdout: io.Discard, Stderr: r.stderr, PlainErr: s.Processes == 0,
	}
	go func() {
		r.ended <- job.Run(jobs)
		listener.Close() // nobody will come any more
	}()
	if err := r.greet(ctx, listener); err != nil {
		r.hangUp()
		return nil, r.failure(ctx, err)
	}
	r.stop = context.AfterFunc(ctx, r.hangUp)
	return r, nil
}

// greet waits for the ranks.
func (r *Running) greet(ctx context.Context, listener *net.UnixListener) error {
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	deadline := time.Now().Add(r.Patience)
	if err := listener.SetDeadline(deadline); err != nil {
		return err
	}
	for range Ranks {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		if err := r.seat(conn, deadline); err != nil {
			conn.Close()
			return err
		}
	}
	return nil
}

// seat hears which rank has come.
func (r *Running) seat(conn net.Conn, deadline time.Time) error {
	if err := conn.SetReadDeadline(deadline); err != nil {
		return err
	}
	lines := bufio.NewReader(conn)
	line, err := lines.ReadString('\n')
	if err != nil {
		return err
	}
	var number int
	if _, err := fmt.Sscanf(line, "rank %d\n", &number); err != nil || number < 0 || number >= Ranks || r.ranks[number] != nil {
		return fmt.Errorf("greeting %q: want each of %d ranks once", line, Ranks)
	}
	r.ranks[number] = &rank{conn, lines}
	return nil
}

// Batch lets both ranks do what c says, and returns what it took at rank 0.
func (r *Running) Batch(ctx context.Context, c Command) (time.Duration, error) {
	deadline := time.Now().Add(r.Patience)
	for _, k := range r.ranks {
		if err := k.conn.SetDeadline(deadline); err != nil {
			return 0, r.failure(ctx, err)
		}
		if _, err := fmt.Fprintln(k.conn, c); err != nil {
			return 0, r.failure(ctx, err)
		}
	}
	var took [Ranks]time.Duration
	for i, k := range r.ranks {
		line, err := k.lines.ReadString('\n')
		if err == nil {
			took[i], err = parseAnswer(strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			return 0, r.failure(ctx, fmt.Errorf("%v: rank %d: %w", c, i, err))
		}
	}
	return took[0], nil
}

// grace is how long ranks may take to end by themselves.
const grace = 3 * time.Second

// Stop lets the system end, and returns when none of its processes is left.
func (r *Running) Stop() {
	r.stop()
	r.hangUp()
	r.wait()
}

// wait ends processes that have not ended in time.
func (r *Running) wait() error {
	defer r.end()
	defer time.AfterFunc(grace, r.end).Stop()
	return <-r.ended
}

func (r *Running) hangUp() {
	for _, k := range r.ranks {
		if k != nil {
			k.conn.Close()
		}
	}
}

// failure ends the system, and says why it has failed: what its processes said counts for more
// than what was noticed here.
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
	return err
}
