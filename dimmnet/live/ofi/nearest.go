package ofi

import (
	"io/fs"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet/live/cpuset"
)

// pciDevices is the folder of PCI devices, below /sys.
const pciDevices = "bus/pci/devices/"

// nearest returns the domain for the rank with the number place on its host. all is the endpoints
// of one provider, best first and at least one; sys is the folder /sys; own is the processors of
// the rank.
//
// Only NICs of the first endpoint's fabric count: ranks on different fabrics do not reach each
// other. NICs that share a processor with own are near. Ranks take the near ones in turn, or, if
// none is near, all. Where the NICs have no PCI address, libfabric's first is taken.
func nearest(all []Provider, sys fs.FS, own cpuset.Set, place int) string {
	var nics, near []string
	for _, p := range all {
		if p.Fabric != all[0].Fabric || p.PCI == "" || slices.Contains(nics, p.Domain) {
			continue
		}
		nics = append(nics, p.Domain)
		if local, err := localTo(sys, p.PCI); err == nil && local.Overlaps(&own) {
			near = append(near, p.Domain)
		}
	}
	if len(near) > 0 {
		nics = near
	}
	if len(nics) == 0 {
		return all[0].Domain
	}
	return nics[place%len(nics)]
}

// localTo returns the processors near a PCI device.
func localTo(sys fs.FS, pci string) (cpuset.Set, error) {
	list, err := fs.ReadFile(sys, pciDevices+pci+"/local_cpulist")
	if err != nil {
		return cpuset.Set{}, err
	}
	return cpuset.Parse(string(list))
}
