package cluster

import (
	"errors"
	"io/fs"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// TestWanted checks that a name, an address and a range select an interface, and that the error
// for any other value lists the interfaces.
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
		i, err := findInterface(all, want)
		if err != nil || i.Addr.String() != addr || i.Why != "FAGUS_INTERFACE="+want {
			t.Errorf("%s selects %v, %v: want %s", want, i, err, addr)
		}
	}
	for _, want := range []string{"eth1", "10.9.0.5", "192.168.0.0/16", "10.0.0.0/99"} {
		if i, err := findInterface(all, want); err == nil || !strings.Contains(err.Error(), "10.9.0.4 (ib0)") {
			t.Errorf("%s selects %v, %v: want an error that lists the interfaces", want, i, err)
		}
	}
}

// TestChooseInterface checks that the loopback device is chosen if all ranks are on this host or
// meet there.
func TestChooseInterface(t *testing.T) {
	for why, meet := range map[string][]netip.AddrPort{
		"all ranks are on this host": nil,
		"127.0.0.1 is reached by it": {netip.MustParseAddrPort("127.0.0.1:7946")},
	} {
		if i, err := ChooseInterface("", meet); err != nil || !i.Addr.IsLoopback() || i.Why != why {
			t.Errorf("ChooseInterface for meeting points %v returns %v, %v", meet, i, err)
		}
	}
}

// TestMeetingPoints parses valid and invalid lists of meeting points.
func TestMeetingPoints(t *testing.T) {
	got, err := MeetingPoints(t.Context(), "127.0.0.1:7946, [::1]:80")
	if err != nil || len(got) != 2 || got[0].String() != "127.0.0.1:7946" || got[1].String() != "[::1]:80" {
		t.Errorf("MeetingPoints returns %v, %v", got, err)
	}
	for _, bad := range []string{"", "host", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:70000", "127.0.0.1:80,"} {
		if got, err := MeetingPoints(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "FAGUS_RENDEZVOUS") {
			t.Errorf("MeetingPoints(%q) returns %v, %v: want an error", bad, got, err)
		}
	}
}

// TestLoopbackName checks which meeting points are suspicious.
func TestLoopbackName(t *testing.T) {
	debian, remote := netip.MustParseAddrPort("127.0.1.1:80"), netip.MustParseAddrPort("10.0.0.1:80")
	for _, c := range []struct {
		rendezvous string
		at         netip.AddrPort
		want       string
	}{
		{"node0:80", debian, "node0:80"},
		{"node0:80", remote, ""},
		{"localhost:80", netip.MustParseAddrPort("127.0.0.1:80"), ""},
		{"127.0.1.1:80", debian, ""},
		{"node0:80,node1:80", debian, ""},
	} {
		if got, at := loopbackName(c.rendezvous, []netip.AddrPort{c.at}); got != c.want || got != "" && at != c.at.Addr() {
			t.Errorf("%s at %v: %q, %v; want %q", c.rendezvous, c.at, got, at, c.want)
		}
	}
}

// TestNoInterface checks that an interface which is missing is a matter of the host's environment.
func TestNoInterface(t *testing.T) {
	for _, want := range []string{"nosuch", "198.51.100.77", "198.51.100.64/28"} {
		if _, err := ChooseInterface(want, nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "FAGUS_INTERFACE="+want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestOnBusyHost checks that the limit of joining grows with the time that a process has waited for
// a processor, up to a limit, and that the variable sets it.
func TestOnBusyHost(t *testing.T) {
	const s = time.Second
	for waited, want := range map[time.Duration]time.Duration{0: 10 * s, s: 30 * s, time.Hour: 310 * s} {
		if got := onBusyHost(10*s, waited); got != want {
			t.Errorf("after %v: %v, want %v", waited, got, want)
		}
	}
	for text, want := range map[string]time.Duration{"": 0, "90s": 90 * s, "0s": -1, "-1s": -1, "x": -1, "25h": -1} {
		var spec Spec
		err := spec.Complete(vars{"FAGUS_JOIN_TIMEOUT": text}.lookup, Place{})
		if (err != nil) != (want < 0) || err == nil && spec.Timeout != want {
			t.Errorf("FAGUS_JOIN_TIMEOUT=%s: %v, %v", text, spec.Timeout, err)
		}
	}
}
