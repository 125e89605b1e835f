package ofi

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Provider describes one way to open an endpoint on this host, as libfabric reports it.
type Provider struct {
	Name     string // as in FI_PROVIDER
	Fabric   string // for example the address of the subnet
	Domain   string // the NIC
	PCI      string // address of the NIC, as in /sys/bus/pci/devices; empty if it has none
	Inject   int    // bytes of the longest message that the provider copies at once
	Order    bool   // messages keep their order
	Format   string // of addresses, such as "FI_SOCKADDR_IN"
	Progress string // "automatic", or "manual": bytes move only while a thread polls
}

// Refusal is a provider that libfabric offers on this host, without something that this package
// needs.
type Refusal struct {
	Name  string   // as in FI_PROVIDER
	Lacks []string // for example "FI_RMA"; empty: it has each, but not all together
}

// ErrUnavailable means that this program was built without libfabric.
var ErrUnavailable = errors.New("this program was built without libfabric: install its headers (Debian: libfabric-dev), and build with -tags ofi and cgo, on Linux")

// Preferred returns the providers that Config.Provider "" tries, in order: first providers for
// NICs that write remote memory by themselves, and then TCP.
func Preferred() []string {
	return []string{"cxi", "psm3", "opx", "efa", "verbs;ofi_rxm", "tcp", "tcp;ofi_rxm"}
}

// Software returns the providers of libfabric 1.17 that need no special NIC, for tests.
func Software() []string { return []string{"tcp;ofi_rxm", "net", "shm", "udp;ofi_rxd", "sockets"} }

// Choose returns the provider with the given name if this host has it. For "" it returns the first
// of Preferred that this host has and that reports FI_ORDER_SAS: some providers ignore what they
// are asked for, and do not keep the order of messages.
func Choose(name string) (string, error) {
	if name != "" {
		if _, err := Providers(name); err == nil || errors.Is(err, ErrUnavailable) {
			return name, err
		}
	}
	all, err := Providers("")
	if err != nil {
		return "", err
	}
	for _, want := range Preferred() {
		if name == "" && slices.ContainsFunc(all, func(p Provider) bool { return p.Name == want && p.Order }) {
			return want, nil
		}
	}
	var names []string
	for _, p := range all {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	if name != "" {
		return "", fmt.Errorf("ofi: libfabric offers no endpoint of provider %q on this host that Fagus can use (fagus doctor says more): name one of %s", name, strings.Join(names, ", "))
	}
	return "", fmt.Errorf("ofi: this host has none of the providers %s: name one of %s", strings.Join(Preferred(), ", "), strings.Join(names, ", "))
}
