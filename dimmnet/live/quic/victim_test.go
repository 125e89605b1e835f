package quic

import (
	"net"
	"testing"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
)

// start starts a rank of a meeting.
func start(m meshtest.Member, cfg Config, body func(dimmnet.Host) error) chan error {
	return meshtest.Start(Join(cfg, m), m.Size(), body)
}

// victim is rank 0 of two ranks with identities. A test attacks it.
type victim struct {
	at        *meshtest.Meeting
	authority *identity.Authority
	result    chan error // the result of the victim's Run
}

func newVictim(t *testing.T, body func(dimmnet.Host) error) *victim {
	t.Helper()
	return newVictimWith(t, nil, body)
}

func newVictimWith(t *testing.T, lost chan func(dimmnet.Rank, error), body func(dimmnet.Host) error) *victim {
	t.Helper()
	v := &victim{at: meshtest.NewMeeting(2), authority: meshtest.NewAuthority(t, 2)}
	v.result = start(meshtest.Member{At: v.at, Lost: lost}, Config{Identity: meshtest.Issue(t, v.authority, 0)}, body)
	return v
}

// other returns the configuration of rank 1.
func (v *victim) other(t *testing.T) Config {
	t.Helper()
	return Config{Identity: meshtest.Issue(t, v.authority, 1)}
}

// join connects to the victim as rank 1, and returns the connections.
func (v *victim) join(t *testing.T) *joined {
	t.Helper()
	cfg, err := v.other(t).WithDefaults(networkName, 2)
	if err != nil {
		t.Fatal(err)
	}
	j, err := connect(t.Context(), &cfg, meshtest.Member{At: v.at, Self: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.close)
	return j
}

// endpoint waits until the ranks have exchanged endpoints, and returns rank 0's.
func (v *victim) endpoint(t *testing.T) *mesh.Endpoint {
	t.Helper()
	e, err := mesh.Decode(v.at.Blobs()[0])
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// newTransport returns a socket for an attacker.
func newTransport(t *testing.T) *quicgo.Transport {
	t.Helper()
	socket, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	transport := &quicgo.Transport{Conn: socket}
	t.Cleanup(func() {
		_ = transport.Close()
		_ = socket.Close()
	})
	return transport
}
