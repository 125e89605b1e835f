package cluster

import (
	"net/netip"
	"strings"
	"testing"
)

// TestWanted: a name, an address and a range choose, and what chooses nothing says what there is.
func TestWanted(t *testing.T) {
	all := []Interface{
		{Name: "lo", Addr: netip.MustParseAddr("127.0.0.1")},
		{Name: "eth0", Addr: netip.MustParseAddr("10.1.2.3")},
		{Name: "ib0", Addr: netip.MustParseAddr("10.9.0.4")},
		{Name: "eth0", Addr: netip.MustParseAddr("fd00::3")},
	}
	for want, addr := range map[string]string{
		"eth0": "10.1.2.3", "ib0": "10.9.0.4", "10.9.0.0/16": "10.9.0.4", "10.0.0.0/8": "10.1.2.3",
		"fd00::/8": "fd00::3", "fd00::3": "fd00::3", "127.0.0.1": "127.0.0.1",
	} {
		i, err := wanted(all, want)
		if err != nil || i.Addr.String() != addr || i.Why != "FAGUS_INTERFACE="+want {
			t.Errorf("%s chooses %v, %v: want %s", want, i, err, addr)
		}
	}
	for _, want := range []string{"eth1", "10.9.0.5", "192.168.0.0/16", "10.0.0.0/99"} {
		if i, err := wanted(all, want); err == nil || !strings.Contains(err.Error(), "10.9.0.4 (ib0)") {
			t.Errorf("%s chooses %v, %v", want, i, err)
		}
	}
}

// TestChooseInterface: the loopback device, if all ranks are here or meet there.
func TestChooseInterface(t *testing.T) {
	for why, meet := range map[string][]netip.AddrPort{
		"all ranks are on this host": nil,
		"127.0.0.1 is reached by it": {netip.MustParseAddrPort("127.0.0.1:7946")},
	} {
		if i, err := ChooseInterface("", meet); err != nil || !i.Addr.IsLoopback() || i.Why != why {
			t.Errorf("%v: %v, %v", meet, i, err)
		}
	}
}

// TestMeetingPoints reads lists, and says what is wrong with others.
func TestMeetingPoints(t *testing.T) {
	got, err := MeetingPoints(t.Context(), "127.0.0.1:7946, [::1]:80")
	if err != nil || len(got) != 2 || got[0].String() != "127.0.0.1:7946" || got[1].String() != "[::1]:80" {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "host", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:70000", "127.0.0.1:80,"} {
		if got, err := MeetingPoints(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "FAGUS_RENDEZVOUS") {
			t.Errorf("%q: %v, %v", bad, got, err)
		}
	}
}
