//go:build linux

package quic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/quic"
)

// childRank is set in a process that is a rank.
const childRank = "FAGUS_QUIC_TEST_RANK"

func TestMain(m *testing.M) {
	if os.Getenv(childRank) != "" {
		if err := child(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// order is what a process is told to do.
type order struct {
	Rank, Size int
	Computes   bool // after the first round, for ever
	Rounds     int  // 0 is for ever
}

// said is what a process says.
type said struct {
	Card  []byte
	Runs  bool   // the first round is over
	Ended bool   // its Run has returned
	Error string // of its body, as soon as that has seen it
}

// child is a rank that is a process: it meets the others again and again.
func child() error {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	var o order
	if err := in.Decode(&o); err != nil {
		return err
	}
	err := quic.Join(quic.Config{}, pipes{&o, in, out}).Run(context.Background(), o.Size, func(h dimmnet.Host) error {
		err := o.body(h.Port(), func() error { return out.Encode(said{Runs: true}) })
		if err != nil {
			return errors.Join(err, out.Encode(said{Error: err.Error()}))
		}
		return nil
	})
	last := said{Ended: true}
	if err != nil {
		last.Error = err.Error()
	}
	return out.Encode(last)
}

func (o *order) body(p dimmnet.Port, runs func() error) error {
	for round := 1; o.Rounds == 0 || round <= o.Rounds; round++ {
		if err := meet(p, uint64(round)); err != nil {
			return err
		}
		if round == 1 {
			if err := runs(); err != nil {
				return err
			}
		}
		for o.Computes {
			time.Sleep(20 * time.Millisecond) // with no processor: other tests want it
			if err := p.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// pipes is a Member whose owner is the test.
type pipes struct {
	*order
	in  *json.Decoder
	out *json.Encoder
}

func (p pipes) Rank() dimmnet.Rank               { return dimmnet.Rank(p.order.Rank) }
func (p pipes) Size() int                        { return p.order.Size }
func (p pipes) OnLoss(func(dimmnet.Rank, error)) {}

func (p pipes) Gather(_ context.Context, own []byte) (all [][]byte, err error) {
	if err := p.out.Encode(said{Card: own}); err != nil {
		return nil, err
	}
	return all, p.in.Decode(&all)
}

// process is a rank as the test sees it.
type process struct {
	rank int
	cmd  *exec.Cmd
	said chan said // closed when it has ended
}

// startJob starts ranks as processes, and returns when all are in their second round.
func startJob(t *testing.T, orders ...order) []*process {
	t.Helper()
	var all []*process
	var tell []*json.Encoder
	for rank, o := range orders {
		o.Rank, o.Size = rank, len(orders)
		p := &process{rank: rank, cmd: exec.Command(os.Args[0]), said: make(chan said, 8)}
		p.cmd.Env = append(os.Environ(), childRank+"=1")
		p.cmd.Stderr = os.Stderr
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		in, err := p.cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() {
			defer close(p.said)
			for words := json.NewDecoder(out); ; {
				var s said
				if words.Decode(&s) != nil {
					return
				}
				p.said <- s
			}
		}()
		t.Cleanup(func() {
			_ = p.cmd.Process.Kill()
			for range p.said { // to its end
			}
			_ = p.cmd.Wait()
		})
		all, tell = append(all, p), append(tell, json.NewEncoder(in))
		if err := tell[rank].Encode(o); err != nil {
			t.Fatal(err)
		}
	}
	var cards [][]byte
	for _, p := range all {
		cards = append(cards, p.next(t).Card)
	}
	for _, to := range tell {
		if err := to.Encode(cards); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range all {
		if s := p.next(t); !s.Runs {
			t.Fatalf("rank %d: %+v", p.rank, s)
		}
	}
	return all
}

// next is what a process says next.
func (p *process) next(t *testing.T) said {
	t.Helper()
	select {
	case s, ok := <-p.said:
		if !ok {
			t.Fatalf("rank %d has ended", p.rank)
		}
		return s
	case <-time.After(30 * time.Second):
		t.Fatalf("rank %d says nothing", p.rank)
		return said{}
	}
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Error(err)
	}
}

// TestProcesses: all come to the end, and know it.
func TestProcesses(t *testing.T) {
	for _, p := range startJob(t, order{Rounds: 200}, order{Rounds: 200}, order{Rounds: 200}) {
		if s := p.next(t); !s.Ended || s.Error != "" {
			t.Errorf("rank %d: %+v", p.rank, s)
		}
	}
}

// TestLost: a process that is stopped for good, or killed, is named by all others, whatever
// they do.
func TestLost(t *testing.T) {
	for _, how := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		t.Run(how.String(), func(t *testing.T) {
			t.Parallel()
			all := startJob(t, order{}, order{}, order{Computes: true})
			began := time.Now()
			all[1].signal(t, how)
			for _, p := range []*process{all[0], all[2]} {
				if s := p.next(t); !strings.Contains(s.Error, "rank 1") {
					t.Errorf("rank %d: %+v", p.rank, s)
				}
			}
			t.Logf("told after %v", time.Since(began).Round(time.Millisecond))
		})
	}
}

// TestStops has eight ranks on the processors that there are, of which one after the other
// is stopped for a second: none is taken for dead.
func TestStops(t *testing.T) {
	t.Parallel()
	all := startJob(t, order{}, order{}, order{}, order{Computes: true}, order{}, order{}, order{}, order{})
	for _, rank := range []int{0, 3, 5, 7} {
		all[rank].signal(t, syscall.SIGSTOP)
		time.Sleep(time.Second)
		all[rank].signal(t, syscall.SIGCONT)
		time.Sleep(300 * time.Millisecond)
	}
	for _, p := range all {
		select {
		case s := <-p.said:
			t.Errorf("rank %d: %+v", p.rank, s)
		default:
		}
	}
}
