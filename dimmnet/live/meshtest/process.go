//go:build linux

package meshtest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
)

// childVariable is set in the environment of a process that is a rank.
const childVariable = "FAGUS_MESH_TEST_CHILD"

// stall is the Config.Stall of the processes, short because tests wait for it.
const stall = 1600 * time.Millisecond

// Order tells a process what to do.
type Order struct {
	Rank, Size int // set by StartJob
	Listen     string
	Reach      []string
	Identity   []byte // encoded; nil means no identity
	Rounds     uint64 // number of rounds; 0: until the run fails
	Compute    bool   // after the first round, compute until the run fails
	Direct     int    // mesh.Config.Direct
	Ring       bool   // exchange pages only with the ranks before and after this one
	Provider   string // of libfabric
	Push       int    // bytes of a Push; 0: 64 KiB
}

// Report is a message from a process.
type Report struct {
	Gathers  bool   // the process waits for the Endpoints of all
	Endpoint []byte // the bytes that the process passes to Gather
	Runs     bool   // the first round is over
	Ended    bool   // Run has returned
	Error    string // error of the body, or of Run if Ended is set
}

// IsChild reports whether this process is a rank that StartJob has started.
func IsChild() bool { return os.Getenv(childVariable) != "" }

// Child runs the rank that the Order on its standard input describes, and returns the exit code.
func Child(join func(*Order, mesh.Config, dimmnet.Member) dimmnet.Network) (code int) {
	if err := child(join); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func child(join func(*Order, mesh.Config, dimmnet.Member) dimmnet.Network) error {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	var o Order
	if err := in.Decode(&o); err != nil {
		return err
	}
	cfg := mesh.Config{Stall: stall, Listen: o.Listen, Reach: o.Reach, Bulk: 2 * o.pushBytes(), Direct: o.Direct}
	if o.Identity != nil {
		var err error
		if cfg.Identity, err = identity.Parse(o.Identity); err != nil {
			return err
		}
	}
	err := join(&o, cfg, pipes{&o, in, out}).Run(context.Background(), o.Size, func(h dimmnet.Host) error {
		err := o.body(h, func() error { return out.Encode(Report{Runs: true}) })
		if err != nil {
			return errors.Join(err, out.Encode(Report{Error: err.Error()}))
		}
		return nil
	})
	last := Report{Ended: true}
	if err != nil {
		last.Error = err.Error()
	}
	return out.Encode(last)
}

// pipes is a dimmnet.Member. Its Gather reaches the test through standard input and output.
type pipes struct {
	*Order
	in  *json.Decoder
	out *json.Encoder
}

func (p pipes) Rank() dimmnet.Rank               { return dimmnet.Rank(p.Order.Rank) }
func (p pipes) Size() int                        { return p.Order.Size }
func (p pipes) OnLoss(func(dimmnet.Rank, error)) {}

func (p pipes) Gather(_ context.Context, own []byte) (all [][]byte, err error) {
	if err := p.out.Encode(Report{Gathers: true, Endpoint: own}); err != nil {
		return nil, err
	}
	return all, p.in.Decode(&all)
}

const (
	pageBytes = 4096
	doneAt    = 2048 // LLCM offset of the completion of a Push
	pushEvery = 8    // rounds between two Pushes
)

func (o *Order) pushBytes() int { return cmp.Or(o.Push, 64<<10) }

// peers returns the ranks with which a rank exchanges pages, including itself.
func (o *Order) peers(self dimmnet.Rank) (peers []dimmnet.Rank) {
	nodes := dimmnet.Rank(o.Size)
	if o.Ring {
		return []dimmnet.Rank{(self + nodes - 1) % nodes, self, (self + 1) % nodes}
	}
	for peer := range nodes {
		peers = append(peers, peer)
	}
	return peers
}

// body exchanges a page with each of its peers in each round, and checks each page that arrives.
func (o *Order) body(h dimmnet.Host, runs func() error) error {
	p := h.Port()
	for round := uint64(1); o.Rounds == 0 || round <= o.Rounds; round++ {
		if err := o.exchangePages(p, round); err != nil {
			return err
		}
		if round == 1 {
			if err := runs(); err != nil {
				return err
			}
		}
		for o.Compute {
			time.Sleep(20 * time.Millisecond) // leaves the processor to other tests
			if err := p.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// pageOffset returns the offset of a rank's page in a round. Successive rounds alternate between
// two offsets, because a slow rank may still read the page of the previous round.
func pageOffset(rank dimmnet.Rank, nodes int, round uint64) dimmnet.Offset {
	return dimmnet.Offset(pageBytes * (1 + int(rank) + nodes*int(round%2)))
}

func (o *Order) exchangePages(p dimmnet.Port, round uint64) error {
	self, nodes, peers, n := p.Rank(), p.Nodes(), o.peers(p.Rank()), o.pushBytes()
	word := func(rank dimmnet.Rank) []byte {
		return binary.LittleEndian.AppendUint64(nil, round<<16|uint64(rank))
	}
	page := bytes.Repeat(word(self), pageBytes/8)
	err := PostAll(p, 2*len(peers), func(i int) bool {
		if peer := peers[i/2]; i%2 == 1 {
			return p.Store(peer, dimmnet.Offset(self)*8, round, 8)
		} else {
			return p.Write(peer, pageOffset(self, nodes, round), page)
		}
	})
	if err != nil {
		return err
	}
	for _, peer := range peers {
		heard := func() bool { return p.Load(dimmnet.Offset(peer)*8) >= round }
		if err := dimmnet.Drive(p, Still{}, heard); err != nil {
			return err
		}
		p.Read(page, pageOffset(peer, nodes, round))
		if !bytes.Equal(page, bytes.Repeat(word(peer), pageBytes/8)) {
			return fmt.Errorf("round %d: the page of rank %d is damaged", round, peer)
		}
	}
	if round%pushEvery != 0 {
		return nil
	}
	bulk := dimmnet.Offset(p.Limits().LLCM)
	p.Store(self, doneAt, 0, 8)
	err = Post(p, func() bool {
		return p.Push(dimmnet.Rank((int(self)+1)%nodes), bulk, bulk+dimmnet.Offset(n), n, doneAt)
	})
	if err != nil {
		return err
	}
	return dimmnet.Drive(p, Still{}, func() bool { return p.Load(doneAt) == uint64(n) })
}

// Process is a rank that runs in a process of its own.
type Process struct {
	Rank    int
	cmd     *exec.Cmd
	in      *json.Encoder
	reports chan Report // closed when the process has ended
	stderr  bytes.Buffer
}

// StartJob starts a process for each order, and returns when all have completed their first round.
// spawn calls start, possibly in another network namespace; a nil spawn means a direct call.
func StartJob(t *testing.T, orders []Order, spawn func(rank int, start func() error) error) []*Process {
	t.Helper()
	var all []*Process
	for rank, o := range orders {
		o.Rank, o.Size = rank, len(orders)
		all = append(all, startProcess(t, o, spawn))
	}
	for gathers := true; gathers; { // some networks gather more often than others
		var endpoints [][]byte
		for _, p := range all {
			r := p.Next(t)
			if gathers = r.Gathers; !gathers && !r.Runs {
				failStart(t, all, p.Rank, r)
			}
			endpoints = append(endpoints, r.Endpoint)
		}
		for _, p := range all {
			if !gathers {
				break
			}
			if err := p.in.Encode(endpoints); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// failStart fails the test: a rank reported r instead of the end of its first round.
func failStart(t *testing.T, all []*Process, rank int, r Report) {
	t.Helper()
	for _, other := range all[rank+1:] { // the failure of a higher rank may be the cause
		select {
		case r := <-other.reports:
			t.Logf("rank %d: %+v", other.Rank, r)
		default:
		}
	}
	t.Fatalf("rank %d: %+v", rank, r)
}

func startProcess(t *testing.T, o Order, spawn func(rank int, start func() error) error) *Process {
	t.Helper()
	p := &Process{Rank: o.Rank, cmd: exec.Command(os.Args[0]), reports: make(chan Report, 8)}
	p.cmd.Env = append(os.Environ(), childVariable+"=1")
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
	if spawn == nil {
		err = p.cmd.Start()
	} else {
		err = spawn(o.Rank, p.cmd.Start)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	go func() {
		defer close(p.reports)
		for messages := json.NewDecoder(out); ; {
			var r Report
			if messages.Decode(&r) != nil {
				return
			}
			p.reports <- r
		}
	}()
	p.in = json.NewEncoder(in)
	if err := p.in.Encode(o); err != nil {
		t.Fatal(err)
	}
	return p
}

// Next waits for the next report of the process.
func (p *Process) Next(t *testing.T) Report {
	t.Helper()
	select {
	case r, ok := <-p.reports:
		if !ok {
			t.Fatalf("rank %d has ended: %s", p.Rank, p.stderr.String())
		}
		return r
	case <-time.After(30 * time.Second):
		t.Fatalf("rank %d reports nothing for 30 s", p.Rank)
		return Report{}
	}
}

// Signal sends a signal to the process.
func (p *Process) Signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Error(err)
	}
}

func (p *Process) kill() {
	_ = p.cmd.Process.Kill()
	for range p.reports { // discards the remaining reports
	}
	_ = p.cmd.Wait()
}

// WantEnd checks that all processes end without an error.
func WantEnd(t *testing.T, all []*Process) {
	t.Helper()
	for _, p := range all {
		if r := p.Next(t); !r.Ended || r.Error != "" {
			t.Errorf("rank %d: %+v, want an end without an error", p.Rank, r)
		}
	}
}

// Pauses stops each of the processes for a second, one by one, and checks that the run goes on.
func Pauses(t *testing.T, all []*Process, ranks []int) {
	t.Helper()
	for _, rank := range ranks {
		all[rank].Signal(t, syscall.SIGSTOP)
		time.Sleep(time.Second)
		all[rank].Signal(t, syscall.SIGCONT)
		time.Sleep(300 * time.Millisecond)
	}
	for _, p := range all {
		select {
		case r := <-p.reports:
			t.Errorf("rank %d: %+v, want no report", p.Rank, r)
		default:
		}
	}
}

// GivenUp stops a process for so long that the others take it for lost and end. Then the process
// goes on: it must not blame another rank.
func GivenUp(t *testing.T, all []*Process, rank int) {
	t.Helper()
	own := fmt.Sprintf("rank %d", rank)
	all[rank].Signal(t, syscall.SIGSTOP)
	for _, p := range all {
		for r := (Report{}); p.Rank != rank && !r.Ended; {
			if r = p.Next(t); !strings.Contains(r.Error, own) {
				t.Errorf("rank %d: %+v, want an error that names %s", p.Rank, r, own)
			}
		}
	}
	all[rank].Signal(t, syscall.SIGCONT)
	for r := (Report{}); !r.Ended; {
		r = all[rank].Next(t)
		t.Logf("%s: %s", own, r.Error)
		if !strings.Contains(r.Error, own+" failed") && !strings.Contains(r.Error, own+" is gone") && !strings.Contains(r.Error, own+" was stopped") {
			t.Errorf("%s: %+v, want an error that blames no other rank", own, r)
		}
	}
}
