package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
)

const fagusProvider = "FAGUS_PROVIDER"

// fabrics is what libfabric says of this host.
type fabrics struct {
	version   string
	usable    []ofi.Provider // best first
	usableErr error
	refused   []ofi.Refusal
	chosen    string // the provider of --net ofi
	chosenErr error
}

// examineFabrics reports what libfabric offers to --net ofi.
func examineFabrics(lookup func(string) (string, bool)) []finding {
	if err := ofi.Supported(); err != nil {
		return []finding{good("libfabric", "none, and only --net ofi needs it: %v", err)}
	}
	f := fabrics{version: ofi.Version()}
	f.usable, f.usableErr = ofi.Providers("")
	f.refused, _ = ofi.Refused() // an error means that there is nothing, which usableErr reports
	want, _ := lookup(fagusProvider)
	f.chosen, f.chosenErr = ofi.Choose(want)
	return f.judge()
}

func (f *fabrics) judge() []finding {
	const name, choose = "libfabric", "--provider or FAGUS_PROVIDER names another provider"
	if f.usableErr != nil {
		return []finding{note(name, fmt.Sprintf("version %s: %v", f.version, f.usableErr), "--net ofi does not work on this host; --net tcp does")}
	}
	all := []finding{good(name, "version %s; --net ofi uses %s, and %s", f.version, f.chosen, choose)}
	if f.chosenErr != nil {
		all[0] = note(name, fmt.Sprintf("version %s: %v", f.version, f.chosenErr), choose)
	}
	var names []string
	for _, p := range f.usable {
		if slices.Contains(names, p.Name) {
			continue
		}
		names = append(names, p.Name)
		all = append(all, f.provider(p))
	}
	for _, r := range f.refused {
		lacks := strings.Join(r.Lacks, ", ")
		if lacks == "" {
			lacks = "something of what Fagus needs together"
		}
		text := fmt.Sprintf("%s is not used: it lacks %s", r.Name, lacks)
		layered := func(name string) bool { return strings.HasPrefix(name, r.Name+";") }
		if i := slices.IndexFunc(names, layered); i >= 0 {
			all = append(all, good("provider", "%s, which %s has", text, names[i]))
		} else {
			all = append(all, note("provider", text, fmt.Sprintf("FI_LOG_LEVEL=info fi_info -p '%s' -v says more", r.Name)))
		}
	}
	return all
}

// provider describes all endpoints of a provider; p is the first.
func (f *fabrics) provider(p ofi.Provider) finding {
	var domains, formats []string
	order := true
	for _, q := range f.usable {
		if q.Name != p.Name {
			continue
		}
		nic := q.Domain
		if q.PCI != "" {
			nic += " at " + q.PCI
		}
		domains, formats = base.Union(domains, nic), base.Union(formats, q.Format)
		order = order && q.Order
	}
	text := fmt.Sprintf("%s (%s): %s; addresses %s; progress %s; injects %d bytes", p.Name, purpose(p.Name),
		strings.Join(domains, ", "), strings.Join(formats, ", "), p.Progress, p.Inject)
	if !order {
		return note("provider", text+"; does not say that messages keep their order", "name it by --provider only if its manual promises FI_ORDER_SAS")
	}
	return good("provider", "%s", text)
}

const overTCP = "TCP, on any network"

// purpose says what a provider is for.
func purpose(name string) string {
	switch name {
	case "cxi":
		return "HPE Slingshot"
	case "psm3":
		return "Intel Ethernet, RoCE and Omni-Path"
	case "psm2":
		return "Omni-Path"
	case "opx":
		return "Cornelis Omni-Path"
	case "efa":
		return "Amazon EC2"
	case "verbs;ofi_rxm", "verbs;ofi_rxd":
		return "InfiniBand, RoCE, iWARP"
	case "tcp", "tcp;ofi_rxm", "net", "net;ofi_rxm":
		return overTCP
	case "shm":
		return "ranks of one host"
	case "udp;ofi_rxd":
		return "UDP, for tests"
	case "sockets":
		return "TCP, deprecated, for tests"
	}
	return "not known to Fagus"
}
