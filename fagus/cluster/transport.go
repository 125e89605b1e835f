package cluster

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
)

// Transport is the network that carries a job's data between its ranks.
type Transport int

// The transports.
const (
	TCP  Transport = iota // dimmnet/live/tcp: TLS, or plain TCP without identities
	QUIC                  // dimmnet/live/quic: over UDP, always encrypted
	SHM                   // dimmnet/live/shm: shared memory on one host
	OFI                   // dimmnet/live/ofi: libfabric, not encrypted
)

// String returns the name that FAGUS_NET uses.
func (t Transport) String() string {
	if t < TCP || t > OFI {
		return fmt.Sprintf("transport %d", int(t))
	}
	return []string{"tcp", "quic", "shm", "ofi"}[t]
}

const (
	fagusNet  = "FAGUS_NET"  // name of the transport
	fagusLine = "FAGUS_LINE" // set by fagus launch if it simulates the network
)

// TransportFromEnv returns the transport that FAGUS_NET names. The default is SHM for ranks on
// one host, and TCP for ranks that may be on several hosts, where SHM is not available.
func TransportFromEnv(lookup func(string) (string, bool), place Place) (Transport, error) {
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
	if line, _ := lookup(fagusLine); line != "" {
		return 0, fmt.Errorf("cluster: fagus launch simulates the network %s, on which cluster.Run cannot run a program: call program.Main of package fagus/program instead, or launch the program with --net %v, %v or %v",
			name, SHM, TCP, QUIC)
	}
	if place.Spans() {
		return 0, fmt.Errorf("cluster: %s is %q: want %v, %v or %v for ranks that may be on several hosts", fagusNet, name, TCP, QUIC, OFI)
	}
	return 0, fmt.Errorf("cluster: %s is %q: want %v, %v, %v or %v", fagusNet, name, SHM, TCP, QUIC, OFI)
}

// Network returns the job's network over a transport. All ranks must pass the same transport.
func (h *Host) Network(over Transport) dimmnet.Network {
	switch over {
	case TCP:
		return tcp.Join(tcp.Config{Bulk: bulkBytes, Stall: h.stall, Ports: h.ports}, h)
	case QUIC:
		return quic.Join(quic.Config{Bulk: bulkBytes, Stall: h.stall, Ports: h.ports}, h)
	case OFI:
		return ofi.Join(fabric(mesh.Config{Bulk: bulkBytes, Stall: h.stall}, h.settings, h.place), h)
	}
	return shm.Join(shm.Config{Bulk: bulkBytes, Stall: h.stall}, h)
}

// fabric returns the configuration of an ofi network.
func fabric(common mesh.Config, s Settings, place Place) ofi.Config {
	number := place.LocalRank
	if number < 0 {
		number = place.Rank // fagus launch gives consecutive ranks to a host
	}
	return ofi.Config{Mesh: common, Provider: s[ofiProvider], Domain: s[ofiDomain], Place: number}
}

// unencrypted is the error of a job on several hosts that does not permit unencrypted data.
func unencrypted() error {
	return fmt.Errorf("cluster: libfabric encrypts nothing: where the fabric is closed to others (InfiniBand partitions, Slingshot VNIs, security groups), permit --net %v with --insecure or %s=1; elsewhere use --net %v or %v",
		OFI, fagusInsecure, TCP, QUIC)
}

// permitted returns m if its data may be unencrypted; otherwise a member whose network does not
// start. It matters to a program that did not name the network when it joined.
func permitted(m dimmnet.Member, insecure bool) dimmnet.Member {
	if insecure {
		return m
	}
	return refusing{m}
}

type refusing struct{ dimmnet.Member }

func (refusing) Gather(context.Context, []byte) ([][]byte, error) { return nil, unencrypted() }
