package cluster

import "testing"

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
		got, err := TransportFromEnv(lookup, Place{Rendezvous: c.rendezvous})
		if got != c.want || (err != nil) != c.wrong {
			t.Errorf("FAGUS_NET=%q with rendezvous %q selects %v, %v", c.name, c.rendezvous, got, err)
		}
	}
}
