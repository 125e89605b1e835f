//go:build ofi && linux && cgo

package ofi

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// Supported returns nil if this program can use the network: built with libfabric, on Linux.
func Supported() error { return nil }

// Flags of libfabric's interface that Provider explains.
const (
	orderSends   = 1 << 8 // FI_ORDER_SAS
	manualNumber = 2      // FI_PROGRESS_MANUAL
)

func newProvider(c *C.fagus_ofi_info) Provider {
	p := Provider{
		Name: C.GoString(&c.provider[0]), Fabric: C.GoString(&c.fabric[0]), Domain: C.GoString(&c.domain[0]), PCI: C.GoString(&c.pci[0]),
		Inject: int(c.inject), Order: c.message_order&orderSends != 0, Progress: "automatic",
		Format: C.GoString(&c.format[0]),
	}
	if c.data_progress == manualNumber {
		p.Progress = "manual"
	}
	return p
}

// mostListed bounds the endpoints that are listed: a host has fewer.
const mostListed = 256

// Providers returns what this host offers, best first: all, or those with the given name.
func Providers(name string) ([]Provider, error) { return list(name, "") }

func list(name, node string) ([]Provider, error) {
	all, err := ask(name, node, C.FAGUS_OFI_ALL)
	if err != nil {
		return nil, fmt.Errorf("ofi: libfabric offers no endpoint (FI_EP_RDM, FI_MSG, FI_RMA, FI_ORDER_SAS) of provider %q at %q: %w; fi_info lists what there is", name, node, err)
	}
	return all, nil
}

// ask returns the endpoints that have a part of what this package needs.
func ask(name, node string, asks C.int) (all []Provider, err error) {
	p, at := C.CString(name), C.CString(node)
	defer C.free(unsafe.Pointer(p))
	defer C.free(unsafe.Pointer(at))
	infos := make([]C.fagus_ofi_info, mostListed)
	n := C.fagus_ofi_list(p, at, asks, &infos[0], mostListed)
	if n < 0 {
		return nil, errors.New(C.GoString(C.fagus_ofi_error(n)))
	}
	for i := range infos[:n] {
		all = append(all, newProvider(&infos[i]))
	}
	return all, nil
}
