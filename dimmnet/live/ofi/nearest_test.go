package ofi

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/fagus-dsm/fagus/dimmnet/live/cpuset"
)

// TestNearest: on a host of two sockets with two NICs each, processors 0-15 and 16-31.
func TestNearest(t *testing.T) {
	sys := fstest.MapFS{}
	for pci, cpus := range map[string]string{
		"0000:21:00.0": "0-15\n", "0000:22:00.0": "0-15\n", "0000:a1:00.0": "16-31\n", "0000:a2:00.0": "16-31\n",
		"0000:0b:00.0": "what\n", "0000:0e:00.0": "\n",
	} {
		sys["bus/pci/devices/"+pci+"/local_cpulist"] = &fstest.MapFile{Data: []byte(cpus)}
	}
	nic := func(domain, pci string) Provider {
		return Provider{Name: "cxi", Fabric: "cxi", Domain: domain, PCI: pci}
	}
	four := []Provider{nic("cxi0", "0000:21:00.0"), nic("cxi1", "0000:22:00.0"), nic("cxi2", "0000:a1:00.0"), nic("cxi3", "0000:a2:00.0")}
	other := nic("cxi4", "0000:a1:00.0")
	other.Fabric = "storage"
	for _, c := range []struct {
		what string
		all  []Provider
		own  string
		want []string // of ranks 0, 1, ... of the host
	}{
		{"not bound", four, "0-31", []string{"cxi0", "cxi1", "cxi2", "cxi3", "cxi0"}},
		{"bound to the first socket", four, "0-7", []string{"cxi0", "cxi1", "cxi0"}},
		{"bound to one processor of the second", four, "31", []string{"cxi2", "cxi3", "cxi2"}},
		{"bound to processors that no NIC is near", four, "32-40", []string{"cxi0", "cxi1", "cxi2", "cxi3", "cxi0"}},
		{"one NIC", four[2:3], "0", []string{"cxi2", "cxi2"}},
		{"several endpoints of each NIC", []Provider{four[0], four[0], four[1], four[0]}, "0-31", []string{"cxi0", "cxi1", "cxi0"}},
		{"another fabric", []Provider{four[0], other}, "16-31", []string{"cxi0", "cxi0"}},
		{"without PCI addresses", []Provider{nic("eth0", ""), nic("lo", "")}, "0-31", []string{"eth0", "eth0"}},
		{"one of two has a PCI address", []Provider{nic("lo", ""), four[3]}, "0", []string{"cxi3", "cxi3"}},
		{"unknown to /sys", []Provider{nic("a", "0000:01:00.0"), nic("b", "0000:02:00.0")}, "0", []string{"a", "b", "a"}},
		{"strange files", []Provider{nic("a", "0000:0b:00.0"), nic("b", "0000:0e:00.0"), four[3]}, "20", []string{"cxi3", "cxi3"}},
	} {
		own, err := cpuset.Parse(c.own)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for place := range c.want {
			got = append(got, nearest(c.all, sys, own, place))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}
