package cluster

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/quic"
	"github.com/fagus-dsm/fagus/dimmnet/shm"
	"github.com/fagus-dsm/fagus/dimmnet/tcp"
)

// Transport is what carries the data of a job between its ranks.
type Transport int

// The transports.
const (
	TCP  Transport = iota // dimmnet/tcp: TLS over TCP, or TCP alone where no rank has an identity
	QUIC                  // dimmnet/quic: over UDP, always encrypted
	SHM                   // dimmnet/shm: the memory of one host
)

// String is the name as FAGUS_NET has it.
func (t Transport) String() string {
	if t < TCP || t > SHM {
		return fmt.Sprintf("transport %d", int(t))
	}
	return []string{"tcp", "quic", "shm"}[t]
}

// TransportFromEnv is what FAGUS_NET says; without it SHM for the ranks of one host, and TCP for those that may be on
// several, which have no SHM.
func TransportFromEnv(lookup func(string) (string, bool), place Place) (Transport, error) {
	name, _ := lookup("FAGUS_NET")
	switch {
	case name == "" && place.Spans():
		return TCP, nil
	case name == "":
		return SHM, nil
	}
	for t := TCP; t <= SHM; t++ {
		if name == t.String() && !(t == SHM && place.Spans()) {
			return t, nil
		}
	}
	if place.Spans() {
		return 0, fmt.Errorf("cluster: FAGUS_NET is %q: ranks that may be on several hosts have %v and %v", name, TCP, QUIC)
	}
	return 0, fmt.Errorf("cluster: FAGUS_NET is %q: want %v, %v or %v", name, SHM, TCP, QUIC)
}

// loopbackBulk is the bulk memory of a rank on sockets of one host, in bytes: large data are
// pushed there in pieces, straight into place.
const loopbackBulk = 16 << 20

// Network is the network of the job's ranks, all on this host, over a transport, the same at all ranks.
func (h *Host) Network(over Transport) dimmnet.Network {
	switch over {
	case TCP:
		return tcp.Join(tcp.Config{Bulk: loopbackBulk}, h)
	case QUIC:
		return quic.Join(quic.Config{Bulk: loopbackBulk}, h)
	}
	return shm.Join(shm.Config{}, h)
}
