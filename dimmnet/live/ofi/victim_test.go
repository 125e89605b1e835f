//go:build ofi && linux && cgo

package ofi

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// member is a rank that gathers twice: first addresses, then the news that all know them.
type member struct {
	meshtest.Member
	known *meshtest.Meeting
}

func (m member) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	if own == nil {
		return m.known.Gather(ctx, m.Self, nil)
	}
	return m.Member.Gather(ctx, own)
}

// meetings are where the ranks of a test meet.
type meetings struct{ addresses, known *meshtest.Meeting }

func newMeetings(nodes int) meetings {
	return meetings{meshtest.NewMeeting(nodes), meshtest.NewMeeting(nodes)}
}

func (m meetings) member(rank dimmnet.Rank) member {
	return member{meshtest.Member{At: m.addresses, Self: rank}, m.known}
}

// attacked is the configuration of all ranks that tests attack. A test waits at most Stall.
func attacked(provider string) Config {
	return Config{Provider: provider, Mesh: mesh.Config{Bulk: 1 << 20, Stall: 2 * time.Second, Grace: time.Second}}
}

// start starts a rank of a run.
func (m meetings) start(provider string, rank dimmnet.Rank, body func(dimmnet.Host) error) chan error {
	self := m.member(rank)
	return meshtest.Start(Join(attacked(provider), self), self.Size(), body)
}

// attacker is an endpoint without links, by which a test sends anything to rank 0.
type attacker struct {
	*endpoint
	victim uint64
	header header // of rank 1, with the token of the run if the test knows it
	done   []completion
	sent   int      // messages that have ended
	got    []header // of the messages that have arrived
	rest   [][]byte // exposure or bytes of the stream of these messages
}

func newAttacker(t *testing.T, provider string) *attacker {
	t.Helper()
	node := ""
	if usesIP(provider) {
		node = "127.0.0.1"
	}
	e, err := open(provider, node, "", 64, sendBuffers, 2)
	if err != nil {
		t.Fatal(err)
	}
	return &attacker{endpoint: e, header: header{source: 1}}
}

// meet makes the victim's endpoint known to the attacker.
func (a *attacker) meet(t *testing.T, blob []byte) (victim address) {
	t.Helper()
	if err := json.Unmarshal(blob, &victim); err != nil {
		t.Fatal(err)
	}
	var err error
	if a.victim, err = a.insert(victim.Name); err != nil {
		t.Fatal(err)
	}
	return victim
}

// join makes the attacker rank 1 of a run of two ranks.
func (a *attacker) join(t *testing.T, m meetings, provider string) {
	t.Helper()
	cfg := attacked(provider)
	common, err := cfg.Mesh.WithDefaults(networkName, 2)
	if err != nil {
		t.Fatal(err)
	}
	own := address{Share: make([]byte, shareBytes), Provider: provider, Host: host()}
	own.Form = mesh.Form{LLCM: common.LLCM, Bulk: common.Bulk, Sums: stream.SumNone, Beats: true}
	own.Memory[0][2], own.Memory[1][2] = uint64(common.LLCM), uint64(common.Bulk)
	if own.Name, err = a.name(); err != nil {
		t.Fatal(err)
	}
	blob, err := json.Marshal(own)
	if err != nil {
		t.Fatal(err)
	}
	self := m.member(1)
	blobs, err := self.Gather(t.Context(), blob)
	if err != nil {
		t.Fatal(err)
	}
	victim := a.meet(t, blobs[0])
	token := sha256.Sum256(append(victim.Share, own.Share...))
	a.header.token = binary.LittleEndian.Uint64(token[:])
	if _, err := self.Gather(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// work lets the attacker's provider work, and records what arrives.
func (a *attacker) work(t *testing.T) {
	t.Helper()
	var err error
	if a.done, err = a.poll(a.done); err != nil && err != errAgain {
		t.Fatal(err)
	}
	for _, c := range a.done {
		if c.send >= 0 {
			a.sent++
		}
		if c.receive < 0 || c.err != nil {
			continue // a victim that has gone accepts nothing
		}
		h, _, rest, err := decode(append([]byte(nil), a.receiveBuffer(c.receive)[:c.n]...))
		if err != nil {
			t.Errorf("the victim sends %v", err)
		}
		a.got, a.rest = append(a.got, h), append(a.rest, rest)
		a.release(c.receive)
	}
}

// workFor works for some time.
func (a *attacker) workFor(t *testing.T, d time.Duration) {
	t.Helper()
	for deadline := time.Now().Add(d); time.Now().Before(deadline); time.Sleep(100 * time.Microsecond) {
		a.work(t)
	}
}

// tell sends n bytes, which begin with b. It gives up when the victim no longer accepts anything.
func (a *attacker) tell(t *testing.T, b []byte, n int) {
	t.Helper()
	copy(a.sendBuffer(0), b)
	deadline, before := time.Now().Add(5*time.Second), a.sent
	for a.send(a.victim, 0, n) != nil && time.Now().Before(deadline) {
		a.work(t)
	}
	for a.sent == before && time.Now().Before(deadline) {
		a.work(t)
	}
}

// say sends a message of rank 1.
func (a *attacker) say(t *testing.T, k kind, credits uint16, e exposure, rest []byte) {
	t.Helper()
	h := a.header
	h.kind, h.credits = k, credits
	b := encode(h, e, rest)
	a.tell(t, b, len(b))
}

// result waits for the result of a run, while the attacker works.
func (a *attacker) result(t *testing.T, run chan error) error {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		select {
		case err := <-run:
			return err
		default:
			a.work(t)
		}
	}
	t.Fatal("a run does not end within 20 s")
	return nil
}
