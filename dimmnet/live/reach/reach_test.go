package reach

import (
	"net"
	"net/netip"
	"slices"
	"testing"
)

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		hosts []string
		at    string
		want  []string
	}{
		{nil, "127.0.0.1:7", []string{"127.0.0.1:7"}},
		{nil, "[::1]:7", []string{"[::1]:7"}},
		{[]string{"a", "::2"}, "0.0.0.0:9", []string{"a:9", "[::2]:9"}},
	} {
		got, err := Addresses(c.hosts, netip.MustParseAddrPort(c.at))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q at %s: %q, %v, want %q", c.hosts, c.at, got, err, c.want)
		}
	}
}

// TestAllInterfaces checks that a rank on all interfaces advertises only addresses that other
// hosts can use.
func TestAllInterfaces(t *testing.T) {
	all, err := Addresses(nil, netip.MustParseAddrPort("0.0.0.0:7"))
	if err != nil {
		t.Skip(err) // a host without a network
	}
	for _, address := range all {
		at, err := netip.ParseAddrPort(address)
		if err != nil || at.Port() != 7 || at.Addr().IsLoopback() || at.Addr().IsUnspecified() {
			t.Errorf("advertised address %q: %v", address, err)
			continue
		}
		if here, err := Here(net.IP(at.Addr().AsSlice())); !here || err != nil {
			t.Errorf("Here(%v) = %t, %v", at, here, err)
		}
	}
}

func TestHere(t *testing.T) {
	for ip, want := range map[string]bool{"127.0.0.1": true, "127.9.9.9": true, "::1": true, "192.0.2.1": false} {
		if here, err := Here(net.ParseIP(ip)); here != want || err != nil {
			t.Errorf("Here(%s) = %t, %v, want %t", ip, here, err, want)
		}
	}
}
