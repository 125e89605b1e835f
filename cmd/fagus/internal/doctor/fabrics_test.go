package doctor

import (
	"errors"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
)

// TestFabrics: a line for each provider, and the reason why one is not used.
func TestFabrics(t *testing.T) {
	f := fabrics{
		version: "1.17", chosen: "cxi",
		usable: []ofi.Provider{
			{Name: "cxi", Domain: "cxi0", PCI: "0000:21:00.0", Format: "FI_ADDR_CXI", Progress: "manual", Inject: 192, Order: true},
			{Name: "cxi", Domain: "cxi1", PCI: "0000:a1:00.0", Format: "FI_ADDR_CXI", Progress: "manual", Inject: 192, Order: true},
			{Name: "tcp;ofi_rxm", Domain: "eth0", Format: "FI_SOCKADDR_IN", Progress: "manual", Inject: 64, Order: true},
			{Name: "tcp;ofi_rxm", Domain: "eth0", Format: "FI_SOCKADDR_IN6", Progress: "manual", Inject: 64, Order: true},
			{Name: "opx", Domain: "hfi1_0", Format: "FI_ADDR_OPX", Progress: "automatic", Inject: 16},
		},
		refused: []ofi.Refusal{{Name: "tcp", Lacks: []string{"FI_EP_RDM"}}, {Name: "usnic", Lacks: []string{"FI_RMA", "FI_ORDER_SAS"}}, {Name: "x"}},
	}
	want := []string{
		"ok libfabric version 1.17; --net ofi uses cxi, and --provider or FAGUS_PROVIDER names another provider",
		"ok provider cxi (HPE Slingshot): cxi0 at 0000:21:00.0, cxi1 at 0000:a1:00.0; addresses FI_ADDR_CXI; progress manual; injects 192 bytes",
		"ok provider tcp;ofi_rxm (TCP, on any network): eth0; addresses FI_SOCKADDR_IN, FI_SOCKADDR_IN6; progress manual; injects 64 bytes",
		"note provider opx (Cornelis Omni-Path): hfi1_0; addresses FI_ADDR_OPX; progress automatic; injects 16 bytes; does not say that messages keep their order",
		"ok provider tcp is not used: it lacks FI_EP_RDM, which tcp;ofi_rxm has",
		"note provider usnic is not used: it lacks FI_RMA, FI_ORDER_SAS",
		"note provider x is not used: it lacks something of what Fagus needs together",
	}
	var got []string
	for _, f := range f.judge() {
		got = append(got, string(f.Health)+" "+f.Name+" "+f.Value)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	f.chosenErr = errors.New("no provider")
	if first := f.judge()[0]; first.Health != slower || first.Advice == "" {
		t.Errorf("%+v", first)
	}
	f.usableErr = errors.New("nothing")
	if all := f.judge(); len(all) != 1 || all[0].Health != slower {
		t.Errorf("%+v", all)
	}
}
