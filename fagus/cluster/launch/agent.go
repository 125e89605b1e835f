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
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// Agent starts ranks on this host for a Hosts that runs elsewhere. in and out are its
// connection to it. It returns when all ranks have ended, as they do when in ends.
func Agent(ctx context.Context, in io.Reader, out io.Writer) error {
	a := &agent{out: json.NewEncoder(out), orders: json.NewDecoder(in)}
	err := a.run(ctx)
	if err == nil {
		return nil
	}
	said := failed{Rank: -1, Code: 1, Why: err.Error(), Missing: missing(err)}
	var exit *ExitError
	if errors.As(err, &exit) {
		said.Rank, said.Code, said.Why = exit.Rank, exit.Code, exit.Err.Error()
	}
	return a.tell(report{Failed: &said, Done: true})
}

// missing says whether err is of a file that is not there, or that may not be used.
func missing(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission)
}

// agent is what starts ranks on a host.
type agent struct {
	mu     sync.Mutex // of what is told
	out    *json.Encoder
	orders *json.Decoder
}

func (a *agent) tell(r report) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.out.Encode(r); err != nil {
		return fmt.Errorf("launch: telling the launcher: %w", err)
	}
	return nil
}

func (a *agent) next() (order, error) {
	var o order
	if err := a.orders.Decode(&o); err != nil {
		return o, fmt.Errorf("launch: orders: %w", err)
	}
	return o, nil
}

func (a *agent) run(ctx context.Context) error {
	first, err := a.next()
	if err != nil {
		return err
	}
	s := first.Start
	if s == nil || s.Version != agentVersion {
		return fmt.Errorf("launch: the launcher does not speak version %d: use the same fagus on all hosts", agentVersion)
	}
	if err := os.Chdir(s.Folder); err != nil {
		return fmt.Errorf("launch: the working directory must be on each host: %w", err)
	}
	if s.Meet {
		place, err := freeMeetingPoint(s)
		if err != nil {
			return err
		}
		if err := a.tell(report{Rendezvous: place}); err != nil {
			return err
		}
	}
	env := append(cluster.WithoutPlace(os.Environ()), s.Env...)
	if !s.Local {
		where, err := a.next()
		if err != nil {
			return err
		}
		env = append(env, "FAGUS_RENDEZVOUS="+where.Rendezvous)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signals := make(chan os.Signal)
	go a.follow(ctx, cancel, signals) // until the launcher closes its end, which may be after this one's
	job := Job{
		Size: s.Size, Argv: s.Argv, Stdout: teller{a, false}, Stderr: teller{a, true},
		PlainOut: s.PlainOut, PlainErr: s.PlainErr, Signals: signals, Grace: time.Duration(s.GraceNS),
		Env: env,
	}
	if err := job.runRanks(ctx, s.Ranks, s.Job); err != nil {
		if missing(err) {
			err = fmt.Errorf("%w (the program must be on each host, at the same path)", err)
		}
		return err
	}
	return a.tell(report{Done: true})
}

// follow follows the orders that come later. Their end ends the ranks.
func (a *agent) follow(ctx context.Context, cancel context.CancelFunc, signals chan<- os.Signal) {
	defer cancel()
	for {
		o, err := a.next()
		if err != nil {
			return
		}
		select {
		case signals <- syscall.Signal(o.Signal):
		case <-ctx.Done():
			return
		}
	}
}

// teller is what ranks write to.
type teller struct {
	agent *agent
	err   bool
}

// Write tells the launcher.
func (t teller) Write(p []byte) (int, error) {
	r := report{Out: p}
	if t.err {
		r = report{Err: p}
	}
	if err := t.agent.tell(r); err != nil {
		return 0, err
	}
	return len(p), nil
}

// freeMeetingPoint is an address of this host, and a port that nobody uses now.
func freeMeetingPoint(s *start) (string, error) {
	want := os.Getenv("FAGUS_INTERFACE")
	for _, v := range s.Env {
		if value, ok := strings.CutPrefix(v, "FAGUS_INTERFACE="); ok {
			want = value
		}
	}
	var near netip.Addr // that ssh has reached this host by
	if words := strings.Fields(os.Getenv("SSH_CONNECTION")); len(words) == 4 {
		near, _ = netip.ParseAddr(words[2])
	}
	at, err := cluster.OuterInterface(want, near)
	if err != nil {
		return "", err
	}
	const tries = 10 // memberlist wants the port for UDP, too
	for range tries {
		var where string
		if where, err = freePort(at.Addr); err == nil {
			return where, nil
		}
	}
	return "", fmt.Errorf("launch: a port at %s: %w", at, err)
}

func freePort(at netip.Addr) (string, error) {
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(at, 0)))
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
