package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// Agent starts ranks on this host for a remote Hosts.Run, which sends orders to in and reads
// reports from out. It returns when all ranks have ended. If in ends, Agent ends the ranks.
func Agent(ctx context.Context, in io.Reader, out io.Writer) error {
	a := &agent{out: json.NewEncoder(out), orders: json.NewDecoder(in)}
	a.stdout = newOutflow(func(text []byte) error { return a.send(report{Out: text}) })
	a.stderr = newOutflow(func(text []byte) error { return a.send(report{Err: text}) })
	err := a.run(ctx)
	if err == nil {
		return nil
	}
	return a.send(report{Failed: failure(err), Done: true})
}

// failure describes err to the launcher.
func failure(err error) *failed {
	f := failed{Rank: -1, Code: 1, Why: err.Error(), Missing: missing(err)}
	var exit *ExitError
	if errors.As(err, &exit) {
		f.Rank, f.Code, f.Why, f.Because, f.Died = exit.Rank, exit.Code, exit.Err.Error(), exit.Because, exit.Died
	}
	return &f
}

// missing reports whether err is about a file that does not exist or may not be used.
func missing(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission)
}

type agent struct {
	mu     sync.Mutex // held while a report is written
	out    *json.Encoder
	orders *json.Decoder
	// stdout and stderr are the outputs of the ranks.
	stdout, stderr *outflow
}

func (a *agent) send(r report) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.out.Encode(r); err != nil {
		return fmt.Errorf("launch: sending to the launcher: %w", err)
	}
	return nil
}

func (a *agent) next() (order, error) {
	var o order
	if err := a.orders.Decode(&o); err != nil {
		return o, fmt.Errorf("launch: reading an order: %w", err)
	}
	return o, nil
}

func (a *agent) run(ctx context.Context) error {
	first, err := a.next()
	if err != nil {
		return err
	}
	s, keep := first.Start, first.Remember
	if !(s != nil && s.Version == agentVersion || keep != nil && keep.Version == agentVersion) {
		return fmt.Errorf("launch: the launcher does not use protocol version %d: install the same fagus on all hosts", agentVersion)
	}
	if err := a.send(report{Version: agentVersion}); err != nil {
		return err
	}
	if keep != nil {
		defer a.beat(time.Duration(keep.BeatNS))()
		return a.remember(ctx, keep)
	}
	defer a.beat(time.Duration(s.BeatNS))()
	if err := os.Chdir(string(s.Folder)); err != nil {
		return fmt.Errorf("launch: entering the working directory, which must exist on each host: %w", err)
	}
	if s.Meet {
		place, err := freeMeetingPoint(s)
		if err != nil {
			return err
		}
		if err := a.send(report{Rendezvous: place}); err != nil {
			return err
		}
	}
	var where order // the ranks of one host need no rendezvous
	if !s.Local {
		if where, err = a.next(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	signals := make(chan os.Signal)
	// The goroutine ends when the launcher closes its end, perhaps after this function returns.
	go a.follow(ctx, cancel, signals)
	job := Job{
		Size: s.Size, Argv: texts(s.Argv), Stdout: a.stdout, Stderr: a.stderr,
		PlainOut: s.PlainOut, PlainErr: s.PlainErr, ErrOnce: s.ErrOnce, Signals: signals, Grace: time.Duration(s.GraceNS), Spec: cluster.Spec{Stall: time.Duration(s.StallNS)},
		Env: append(cluster.WithoutPlace(os.Environ()), texts(s.Env)...),
	}
	// The launcher hears of each failure at once, and decides which is the first of all hosts.
	ended := outcome{report: func(err error) {
		_ = a.send(report{Failed: failure(hinted(err))}) // without a launcher the orders end, too
	}}
	place := cluster.Place{Size: s.Size, Job: s.Job, Epoch: s.Attempt, Attempt: s.Attempt, Rendezvous: where.Rendezvous}
	if err := job.runRanks(ctx, s.Ranks, place, &ended); err != nil {
		return hinted(err)
	}
	if err := context.Cause(ctx); err != nil && !ended.failed() {
		return err
	}
	return a.send(report{Done: true})
}

// hinted adds advice to an error about a missing program.
func hinted(err error) error {
	if missing(err) {
		return fmt.Errorf("%w (the program must be on each host, at the same path)", err)
	}
	return err
}

// beat shows the launcher at intervals that this process lives, until stop is called.
func (a *agent) beat(every time.Duration) (stop func()) {
	over := make(chan struct{})
	var beating sync.WaitGroup
	if every > 0 {
		beating.Go(func() {
			next := time.Tick(every)
			for {
				select {
				case <-next:
					_ = a.send(report{}) // fails if the launcher is gone
				case <-over:
					return
				}
			}
		})
	}
	return func() {
		close(over)
		beating.Wait()
	}
}

// follow forwards the launcher's signals to the ranks, and ends the ranks when the orders end.
func (a *agent) follow(ctx context.Context, cancel context.CancelCauseFunc, signals chan<- os.Signal) {
	defer cancel(nil)
	for {
		o, err := a.next()
		if err != nil {
			return
		}
		switch {
		case o.Interrupt:
			cancel(&SignalError{os.Interrupt})
			return
		case o.Kill:
			cancel(&killing{errors.New("launch: the job starts again")})
			return
		case o.Out+o.Err > 0:
			a.stdout.taken(o.Out)
			a.stderr.taken(o.Err)
			continue
		}
		select {
		case signals <- syscall.Signal(o.Signal):
		case <-ctx.Done():
			return
		}
	}
}

func freeMeetingPoint(s *start) (string, error) {
	at, ports, err := outerAddress(texts(s.Env))
	if err != nil {
		return "", err
	}
	var where string
	err = ports.ListenApart(func(port uint16) (err error) {
		where, err = freePort(netip.AddrPortFrom(at.Addr, port))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("launch: finding a free port at %s: %w", at, err)
	}
	return where, nil
}

// freePort checks a port for UDP too, which memberlist uses.
func freePort(at netip.AddrPort) (string, error) {
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(at))
	if err != nil {
		return "", err
	}
	where := l.Addr().(*net.TCPAddr).AddrPort()
	u, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(where))
	if err == nil {
		err = u.Close()
	}
	return where.String(), errors.Join(err, l.Close())
}
