//go:build linux

package tcp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
	"github.com/fagus-dsm/fagus/dimmnet/tcp"
)

// childRank is set in a process that is a rank.
const childRank = "FAGUS_TCP_TEST_RANK"

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
	Listen     string
	Reach      []string
	Identity   []byte // none: nothing is encrypted
	Rounds     uint64 // of an exchange; 0 is for ever
	Compute    bool   // after the first round, for ever
}

// said is what a process says.
type said struct {
	Card  []byte
	Runs  bool   // the first round is over
	Ended bool   // its Run has returned
	Error string // of its body, as soon as that has seen it
}

// child is a rank that is a process.
func child() error {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	var o order
	if err := in.Decode(&o); err != nil {
		return err
	}
	cfg := tcp.Config{Listen: o.Listen, Reach: o.Reach, Bulk: 2 * pushBytes}
	if o.Identity != nil {
		var err error
		if cfg.Identity, err = identity.Parse(o.Identity); err != nil {
			return err
		}
	}
	err := tcp.Join(cfg, pipes{&o, in, out}).Run(context.Background(), o.Size, func(h dimmnet.Host) error {
		err := o.body(h, func() error { return out.Encode(said{Runs: true}) })
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

const (
	pageBytes = 4096
	pushBytes = 64 << 10
	doneAt    = 2048 // of a Push, in the LLCM
	pushEvery = 8    // rounds
)

// body exchanges a page with every other rank in each round, and checks what has come.
func (o *order) body(h dimmnet.Host, runs func() error) error {
	p := h.Port()
	for round := uint64(1); o.Rounds == 0 || round <= o.Rounds; round++ {
		if err := exchangePages(p, round); err != nil {
			return err
		}
		if round == 1 {
			if err := runs(); err != nil {
				return err
			}
		}
		for o.Compute {
			time.Sleep(20 * time.Millisecond) // with no processor: other tests want it
			if err := p.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// place is where a rank puts its page in a round: another than in the round before, which
// is perhaps still looked at.
func place(rank dimmnet.Rank, nodes int, round uint64) dimmnet.Offset {
	return dimmnet.Offset(pageBytes * (1 + int(rank) + nodes*int(round%2)))
}

func exchangePages(p dimmnet.Port, round uint64) error {
	self, nodes := p.Rank(), p.Nodes()
	word := func(rank dimmnet.Rank) []byte {
		return binary.LittleEndian.AppendUint64(nil, round<<16|uint64(rank))
	}
	page := bytes.Repeat(word(self), pageBytes/8)
	err := postAll(p, 2*nodes, func(i int) bool {
		if peer := dimmnet.Rank(i / 2); i%2 == 1 {
			return p.Store(peer, dimmnet.Offset(self)*8, round, 8)
		} else {
			return p.Write(peer, place(self, nodes, round), page)
		}
	})
	if err != nil {
		return err
	}
	for peer := range dimmnet.Rank(nodes) {
		heard := func() bool { return p.Load(dimmnet.Offset(peer)*8) >= round }
		if err := dimmnet.Drive(p, still{}, heard); err != nil {
			return err
		}
		p.Read(page, place(peer, nodes, round))
		if !bytes.Equal(page, bytes.Repeat(word(peer), pageBytes/8)) {
			return fmt.Errorf("round %d: the page of rank %d is another", round, peer)
		}
	}
	if round%pushEvery != 0 {
		return nil
	}
	bulk := dimmnet.Offset(p.Limits().LLCM)
	p.Store(self, doneAt, 0, 8)
	err = postAll(p, 1, func(int) bool {
		return p.Push(dimmnet.Rank((int(self)+1)%nodes), bulk, bulk+pushBytes, pushBytes, doneAt)
	})
	if err != nil {
		return err
	}
	return dimmnet.Drive(p, still{}, func() bool { return p.Load(doneAt) == pushBytes })
}

// process is a rank as the test sees it.
type process struct {
	rank   int
	cmd    *exec.Cmd
	in     *json.Encoder
	said   chan said // closed when it has ended
	stderr bytes.Buffer
}

// startJob starts orders as processes, each in the network namespace of its host if it
// has one, and returns when all are in their second round.
func startJob(t *testing.T, orders []order, host func(rank int) *namespace) []*process {
	t.Helper()
	var all []*process
	for rank, o := range orders {
		p := &process{rank: rank, cmd: exec.Command(os.Args[0]), said: make(chan said, 8)}
		p.cmd.Env = append(os.Environ(), childRank+"=1")
		p.cmd.Stderr = &p.stderr
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		in, err := p.cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := host(rank).do(p.cmd.Start); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.kill)
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
		p.in = json.NewEncoder(in)
		if err := p.in.Encode(o); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	var cards [][]byte
	for _, p := range all {
		cards = append(cards, p.next(t).Card)
	}
	for _, p := range all {
		if err := p.in.Encode(cards); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range all {
		s := p.next(t)
		if s.Runs {
			continue
		}
		for _, other := range all[p.rank+1:] { // whose fault it may be
			select {
			case s := <-other.said:
				t.Logf("rank %d: %+v", other.rank, s)
			default:
			}
		}
		t.Fatalf("rank %d: %+v", p.rank, s)
	}
	return all
}

// next is what a process says next.
func (p *process) next(t *testing.T) said {
	t.Helper()
	select {
	case s, ok := <-p.said:
		if !ok {
			t.Fatalf("rank %d has ended: %s", p.rank, p.stderr.String())
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

// kill ends a process, if it has not ended.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	for range p.said { // what it said, to its end
	}
	_ = p.cmd.Wait()
}

// identities are those of the ranks of a job, or none for one that is not encrypted.
func identities(t *testing.T, size int, encrypt bool) [][]byte {
	t.Helper()
	all := make([][]byte, size)
	if !encrypt {
		return all
	}
	authority, err := identity.NewAuthority(size)
	if err != nil {
		t.Fatal(err)
	}
	for rank := range all {
		id, err := authority.Issue(dimmnet.Rank(rank))
		if err != nil {
			t.Fatal(err)
		}
		all[rank] = id.Encode()
	}
	return all
}

// here is the host of all ranks of a job on this one.
func here(int) *namespace { return nil }

// TestStops has sixteen ranks on the processors that there are, of which one after the
// other is stopped for a second: none is taken for dead.
func TestStops(t *testing.T) {
	const size = 16
	ids := identities(t, size, true)
	var orders []order
	for rank := range size {
		orders = append(orders, order{Rank: rank, Size: size, Identity: ids[rank]})
	}
	all := startJob(t, orders, here)
	for i := range 2 * *rounds {
		p := all[i*5%size]
		p.signal(t, syscall.SIGSTOP)
		time.Sleep(time.Second)
		p.signal(t, syscall.SIGCONT)
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
