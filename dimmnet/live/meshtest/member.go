package meshtest

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
)

// Meeting is where the ranks of a test exchange their endpoints.
type Meeting struct {
	mu       sync.Mutex
	blobs    [][]byte
	arrived  int
	complete chan struct{} // closed when all ranks have arrived
}

// NewMeeting returns a meeting of nodes ranks.
func NewMeeting(nodes int) *Meeting {
	return &Meeting{blobs: make([][]byte, nodes), complete: make(chan struct{})}
}

// Gather implements Gather of a dimmnet.Member.
func (m *Meeting) Gather(ctx context.Context, rank dimmnet.Rank, own []byte) ([][]byte, error) {
	m.mu.Lock()
	m.blobs[rank] = own
	if m.arrived++; m.arrived == len(m.blobs) {
		close(m.complete)
	}
	m.mu.Unlock()
	select {
	case <-m.complete:
		return m.blobs, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Blobs waits until all ranks have called Gather, and returns the bytes of each rank, by rank.
func (m *Meeting) Blobs() [][]byte {
	<-m.complete
	return m.blobs
}

// Member is a rank of a Meeting, which behaves like a process of its own.
type Member struct {
	At   *Meeting
	Self dimmnet.Rank
	Late chan struct{}                  // Gather waits until Late is closed; nil: does not wait
	Lost chan func(dimmnet.Rank, error) // if not nil, gets the argument of OnLoss
}

// Rank returns the rank of the member.
func (m Member) Rank() dimmnet.Rank { return m.Self }

// Size returns the number of ranks of the meeting.
func (m Member) Size() int { return len(m.At.blobs) }

// Gather exchanges own at the meeting.
func (m Member) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	all, err := m.At.Gather(ctx, m.Self, own)
	if m.Late != nil {
		<-m.Late
	}
	return all, err
}

// OnLoss passes lost to the test.
func (m Member) OnLoss(lost func(dimmnet.Rank, error)) {
	if m.Lost != nil && lost != nil {
		m.Lost <- lost
	}
}

// Start runs body on the network in a goroutine. The returned channel gets the result of Run.
func Start(network dimmnet.Network, nodes int, body func(dimmnet.Host) error) chan error {
	ended := make(chan error, 1)
	go func() { ended <- network.Run(context.Background(), nodes, body) }()
	return ended
}

// Result waits up to 20 seconds for the result of a run.
func Result(t *testing.T, result chan error) error {
	t.Helper()
	select {
	case err := <-result:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("a run does not end within 20 s")
		return nil
	}
}

var errChanged = errors.New("meshtest: the memory has changed")

// IsChanged reports whether err says that Untouched found changed memory.
func IsChanged(err error) bool { return errors.Is(err, errChanged) }

// Untouched waits until a peer stores 1 to word 0. It fails if any other byte has changed.
func Untouched(h dimmnet.Host) error {
	p := h.Port()
	_, err := Await(p, 1)
	memory := make([]byte, p.Limits().LLCM)
	p.Read(memory, 0)
	changed := len(bytes.Trim(memory[dimmnet.WordBytes:], "\x00"))
	if n := p.Limits().Bulk; n > 0 {
		bulk := make([]byte, n)
		p.Read(bulk, dimmnet.Offset(p.Limits().LLCM))
		changed += len(bytes.Trim(bulk, "\x00"))
	}
	if changed > 0 {
		return errChanged
	}
	return err
}

// Touch is a body that stores 1 to word 0 of rank 0. Untouched on rank 0 waits for this Store.
func Touch(h dimmnet.Host) error {
	h.Port().Store(0, 0, 1, dimmnet.WordBytes)
	return nil
}

// Noise returns n bytes that look random and are never all zero.
func Noise(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i*7 + i>>8 + 1)
	}
	return p
}

// NewAuthority returns an authority for a job of size ranks.
func NewAuthority(t *testing.T, size int) *identity.Authority {
	t.Helper()
	a, err := identity.NewAuthority(size)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Issue returns the identity of a rank.
func Issue(t *testing.T, a *identity.Authority, rank dimmnet.Rank) *identity.Identity {
	t.Helper()
	id, err := a.Issue(rank)
	if err != nil {
		t.Fatal(err)
	}
	return id
}
