//go:build linux

package tcp

import (
	"net"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// victim is rank 0 of a run that a test attacks.
type victim struct {
	address string
	key     []byte     // the run's key
	result  chan error // the result of the victim's Run
	others  []chan error
	late    chan struct{} // the other ranks connect when late is closed
}

// start starts a rank of a meeting.
func start(m meshtest.Member, cfg Config, body func(dimmnet.Host) error) chan error {
	cfg.Bulk = 1 << 16
	return meshtest.Start(Join(cfg, m), m.Size(), body)
}

// newVictim returns rank 0 of a run of two ranks. The test acts as rank 1.
func newVictim(t *testing.T, body func(dimmnet.Host) error) *victim {
	t.Helper()
	cfg, err := Config{Bulk: 1 << 16}.WithDefaults(networkName, 2)
	if err != nil {
		t.Fatal(err)
	}
	m := meshtest.NewMeeting(2)
	v := &victim{result: start(meshtest.Member{At: m}, Config{}, body)}
	own := mesh.NewEndpoint(&cfg, stream.SumAll, []string{"127.0.0.1:1"})
	if _, err := own.Exchange(t.Context(), networkName, meshtest.Member{At: m, Self: 1}); err != nil {
		t.Fatal(err)
	}
	v.learn(t, m.Blobs())
	return v
}

// newBesieged returns rank 0 of a run with these configurations, by rank. The other ranks wait
// until late is closed.
func newBesieged(t *testing.T, cfgs []Config) *victim {
	t.Helper()
	m := meshtest.NewMeeting(len(cfgs))
	v := &victim{result: start(meshtest.Member{At: m}, cfgs[0], meshtest.Untouched), late: make(chan struct{})}
	for rank := 1; rank < len(cfgs); rank++ {
		other := meshtest.Member{At: m, Self: dimmnet.Rank(rank), Late: v.late}
		v.others = append(v.others, start(other, cfgs[rank], func(h dimmnet.Host) error {
			if h.Port().Rank() == 1 {
				return meshtest.Touch(h)
			}
			return nil
		}))
	}
	v.learn(t, m.Blobs())
	return v
}

// learn learns the secrets of the run from the endpoints that the ranks have exchanged.
func (v *victim) learn(t *testing.T, blobs [][]byte) {
	t.Helper()
	own, err := mesh.Decode(blobs[0])
	if err != nil {
		t.Fatal(err)
	}
	peers, err := mesh.NewPeers(networkName, blobs, own, meshtest.Member{At: meshtest.NewMeeting(len(blobs))})
	if err != nil {
		t.Fatal(err)
	}
	v.address, v.key = peers.Endpoints[0].Addresses[0], peers.Key
}

// succeed lets the other ranks connect, and checks that the run ends without an error.
func (v *victim) succeed(t *testing.T) {
	t.Helper()
	close(v.late)
	for rank, result := range append([]chan error{v.result}, v.others...) {
		if err := meshtest.Result(t, result); err != nil {
			t.Errorf("rank %d: Run returned %v, want no error", rank, err)
		}
	}
}

// dial connects to the victim.
func (v *victim) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", v.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// join connects to the victim as rank 1 of the run.
func (v *victim) join(t *testing.T) net.Conn {
	t.Helper()
	conn := v.dial(t)
	if err := dialHandshake(conn, v.key, 1, 0); err != nil {
		t.Fatal(err)
	}
	return conn
}
