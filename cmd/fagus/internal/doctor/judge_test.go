package doctor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// TestJudge: each trouble of a host is one finding, and only what ends a job fails.
func TestJudge(t *testing.T) {
	const gigabyte = 1 << 30
	for want, spoil := range map[string]func(v *visit, h *host){
		"":                                func(*visit, *host) {},
		"FAIL fagus":                      func(_ *visit, h *host) { h.about.Build = "v2" },
		"FAIL fagus ":                     func(_ *visit, h *host) { h.about.Codecs = "other" },
		"FAIL folder":                     func(_ *visit, h *host) { h.about.FolderErr = "no such file" },
		"warn clock":                      func(_ *visit, h *host) { h.clock = -2 * time.Second },
		"warn clock ":                     func(_ *visit, h *host) { h.clock = 48 * time.Hour },
		"FAIL clock":                      func(_ *visit, h *host) { h.clock = -2 * time.Hour },
		"warn clock  ":                    func(v *visit, h *host) { h.clock, v.insecure = -2*time.Hour, true },
		"warn processors":                 func(v *visit, h *host) { v.ranks[1], h.listens.Ports = 17, make([]uint16, 35) },
		"FAIL ports":                      func(v *visit, h *host) { v.ranks[1], h.listens.Ports = 2, make([]uint16, 3) },
		"FAIL ports ":                     func(_ *visit, h *host) { h.listens, h.whyNot = nil, "no interface" },
		"warn memory":                     func(_ *visit, h *host) { h.about.FreeBytes = gigabyte / 8 },
		"warn limits":                     func(_ *visit, h *host) { h.about.OpenFiles = 256 },
		"FAIL limits":                     func(v *visit, h *host) { v.size, h.about.OpenFiles = 1000, 2000 },
		"FAIL limits ":                    func(v *visit, h *host) { h.about.OpenFiles = 20 },
		"warn limits ":                    func(_ *visit, h *host) { h.about.AddressBytes = gigabyte },
		"FAIL tcp":                        func(v *visit, _ *host) { v.contacts[0].TCPFailed = []failedPort{{7, "refused"}} },
		"FAIL tcp ":                       func(_ *visit, h *host) { h.stuck = "no answer" },
		"warn udp":                        func(v *visit, _ *host) { v.contacts[0].UDPFailed = []uint16{7} },
		"FAIL udp":                        func(v *visit, _ *host) { v.contacts[0].UDPFailed, v.needsUDP = []uint16{7}, true },
		"warn mtu":                        func(v *visit, _ *host) { v.contacts[0].MTU = 1400 },
		"warn mtu ":                       func(v *visit, _ *host) { v.contacts[0].MTU, v.contacts[1].MTU = 0, 1280-1 },
		"FAIL libfabric, FAIL libfabric":  func(v *visit, _ *host) { v.net = "ofi" },
		" ":                               func(v *visit, _ *host) { v.net, v.insecure = "ofi", true },
		"FAIL libfabric":                  func(v *visit, h *host) { v.net, v.insecure, h.about.FabricErr = "ofi", true, "none" },
		"FAIL libfabric, FAIL libfabric ": func(v *visit, h *host) { v.net, v.insecure, h.about.Provider = "ofi", true, "cxi" },
		"FAIL libfabric, FAIL libfabric  ": func(v *visit, h *host) {
			v.net, v.insecure, v.hosts[0].about.Provider, h.about.Provider = "ofi", true, "shm", "shm"
		},
		"warn libfabric, warn libfabric": func(v *visit, h *host) {
			v.net, v.insecure, v.hosts[0].about.Provider, h.about.Provider = "ofi", true, "tcp;ofi_rxm", "tcp;ofi_rxm"
		},
		"FAIL ssh":     func(_ *visit, h *host) { h.failed = &unreached{true, "timeout"} },
		"FAIL fagus  ": func(_ *visit, h *host) { h.failed = &unreached{false, "not found"} },
	} {
		v := &visit{build: "v1", codecs: "c", ports: "7-9", net: "tcp", ranks: []int{1, 1}, size: 2}
		for _, name := range []string{"a", "b"} {
			v.hosts = append(v.hosts, &host{
				Host:    launch.Host{Name: name},
				about:   about{Build: "v1", Codecs: "c", Processors: 2, resources: resources{MemoryBytes: 2 * gigabyte, FreeBytes: gigabyte}},
				listens: &listening{Ports: []uint16{7, 8, 9}},
			})
		}
		v.contacts = []contact{{From: "a", To: "b", RTTNS: 1, Sent: 1500, MTU: 1500}, {From: "b", To: "a", RTTNS: 1, Sent: 1500, MTU: 1500}}
		spoil(v, v.hosts[1])
		r := v.report()
		var got []string
		for _, f := range r.Findings {
			if f.Health != fine {
				got = append(got, fmt.Sprintf("%s %s", f.Health, f.Name))
			}
		}
		if want := strings.TrimSpace(want); strings.Join(got, ", ") != want || r.Well == strings.HasPrefix(want, "FAIL") {
			t.Errorf("%q, well %t: want %q", got, r.Well, want)
		}
	}
}

func TestSpans(t *testing.T) {
	if got := spans([]uint16{9, 1, 2, 3, 7, 65535}); got != "1-3, 7, 9, 65535" {
		t.Error(got)
	}
}
