package cluster

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
)

// Transport is the network that carries a job's data between its ranks.
type Transport int

// The transports. 0 is none of them.
const (
	TCP  Transport = iota + 1 // dimmnet/live/tcp: TLS, or plain TCP without identities
	QUIC                      // dimmnet/live/quic: over UDP, always encrypted
	SHM                       // dimmnet/live/shm: shared memory on one host
	OFI                       // dimmnet/live/ofi: libfabric, not encrypted
)

// String returns the name that FAGUS_NET uses, and "" for 0.
func (t Transport) String() string {
	if t < 0 || t > OFI {
		return fmt.Sprintf("transport %d", int(t))
	}
	return []string{"", "tcp", "quic", "shm", "ofi"}[t]
}

// transportFromEnv returns the transport that FAGUS_NET names. The default is SHM for ranks on
// one host, and TCP for ranks that may be on several hosts, where SHM is not available.
func transportFromEnv(lookup func(string) (string, bool), place Place) (Transport, error) {
	name, _ := lookup(fagusNet)
	switch {
	case name == "" && place.Spans():
		return TCP, nil
	case name == "":
		return SHM, nil
	}
	for t := TCP; t <= OFI; t++ {
		if name == t.String() && !(t == SHM && place.Spans()) {
			if t == OFI {
				return t, ofi.Supported()
			}
			return t, nil
		}
	}
	if line, _ := lookup(LineVariable); line != "" {
		return 0, fmt.Errorf("cluster: fagus launch simulates the network %s, on which cluster.Run cannot run a program: call program.Main of package fagus/program instead, or launch the program with --net %v, %v or %v",
			name, SHM, TCP, QUIC)
	}
	if place.Spans() {
		return 0, fmt.Errorf("cluster: %s is %q: want %v, %v or %v for ranks that may be on several hosts", fagusNet, name, TCP, QUIC, OFI)
	}
	return 0, fmt.Errorf("cluster: %s is %q: want %v, %v, %v or %v", fagusNet, name, SHM, TCP, QUIC, OFI)
}

// bulkBytes is the size of a rank's bulk memory. A larger transfer is sent in pieces.
const bulkBytes = 16 << 20

// Network returns the network that carries the job's data.
func (h *Host) Network() dimmnet.Network {
	if h.spec.Net == SHM || h.spec.Net == 0 {
		return shm.Join(shm.Config{Bulk: bulkBytes, Stall: h.spec.Stall}, h)
	}
	return h.spec.network(h, h.place, Interface{}, nil)
}

// network returns a network between hosts. Without an interface all ranks are on this one.
func (s *Spec) network(m dimmnet.Member, place Place, at Interface, warn func(string)) dimmnet.Network {
	cfg := mesh.Config{Warn: warn, Bulk: bulkBytes, Identity: s.Identity, Stall: s.Stall, Ports: s.Ports}
	if at != (Interface{}) {
		cfg.Listen = at.Addr.String()
	}
	switch s.Net {
	case OFI:
		number := place.LocalRank
		if number < 0 {
			number = place.Rank // fagus launch gives consecutive ranks to a host
		}
		return ofi.Join(ofi.Config{Mesh: cfg, Provider: s.Settings[ofiProvider], Domain: s.Settings[ofiDomain], Place: number}, m)
	case QUIC:
		d, err := FindDriver[networkDriver](s.Drivers, QUIC.String())
		if err != nil {
			panic(err) // CheckDrivers has found it
		}
		return d.Join(cfg, m)
	}
	return tcp.Join(cfg, m)
}
