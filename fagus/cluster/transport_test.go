package cluster

import (
	"strings"
	"testing"
)

// TestTransportFromEnv checks all values of FAGUS_NET and the default.
func TestTransportFromEnv(t *testing.T) {
	for _, c := range []struct {
		name, rendezvous string
		want             Transport
		wrong            bool
	}{
		{"", "", SHM, false}, {"", "a:1", TCP, false}, {"tcp", "", TCP, false}, {"quic", "a:1", QUIC, false}, {"shm", "", SHM, false},
		{"shm", "a:1", 0, true}, {"ib", "", 0, true}, {"ib", "a:1", 0, true},
	} {
		lookup := func(name string) (string, bool) { return c.name, name == "FAGUS_NET" }
		got, err := transportFromEnv(lookup, Place{Rendezvous: c.rendezvous})
		if got != c.want || (err != nil) != c.wrong {
			t.Errorf("FAGUS_NET=%q with rendezvous %q selects %v, %v", c.name, c.rendezvous, got, err)
		}
	}
}

// TestSimulatedTransport: under a launcher that simulates the network, the error says what can run.
func TestSimulatedTransport(t *testing.T) {
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"FAGUS_NET": "dimmnet1", "FAGUS_LINE": "fd:3"}[name]
		return v, ok
	}
	_, err := transportFromEnv(lookup, Place{Size: 2})
	if err == nil || !strings.Contains(err.Error(), "call program.Main of package fagus/program instead, or launch the program with --net shm, tcp or quic") {
		t.Errorf("error %v", err)
	}
}
