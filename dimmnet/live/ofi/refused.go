//go:build ofi && linux && cgo

package ofi

// #include "shim.h"
import "C"

import (
	"fmt"
	"slices"
)

// Version returns the version of libfabric, such as "1.17".
func Version() string {
	v := uint32(C.fagus_ofi_version())
	return fmt.Sprintf("%d.%d", v>>16, v&0xffff)
}

// Refused returns the providers of this host that this package cannot use, and what they lack.
func Refused() ([]Refusal, error) {
	all, err := ask("", "", 0)
	if err != nil {
		return nil, fmt.Errorf("ofi: libfabric offers nothing: %w", err)
	}
	usable, _ := ask("", "", C.FAGUS_OFI_ALL) // an error means none
	var refused []Refusal
	for _, p := range all {
		same := func(q Provider) bool { return q.Name == p.Name }
		if !slices.ContainsFunc(usable, same) && !slices.ContainsFunc(refused, func(r Refusal) bool { return r.Name == p.Name }) {
			refused = append(refused, Refusal{Name: p.Name})
		}
	}
	if len(refused) == 0 {
		return nil, nil
	}
	// A provider that is offered for one need alone meets this need.
	for _, need := range []struct {
		asks C.int
		name string
	}{
		{C.FAGUS_OFI_TYPE, "FI_EP_RDM"}, {C.FAGUS_OFI_MESSAGES, "FI_MSG"}, {C.FAGUS_OFI_READS, "FI_RMA"},
		{C.FAGUS_OFI_ORDER, "FI_ORDER_SAS"}, {C.FAGUS_OFI_THREADS, "FI_THREAD_DOMAIN"},
		{C.FAGUS_OFI_PROGRESS, "FI_PROGRESS_MANUAL"}, {C.FAGUS_OFI_RESOURCES, "FI_RM_ENABLED"},
		{C.FAGUS_OFI_MODES, "modes without FI_MSG_PREFIX, FI_RX_CQ_DATA, FI_MR_RAW, FI_MR_RMA_EVENT"},
	} {
		meet, _ := ask("", "", need.asks) // an error means none
		for i := range refused {
			r := &refused[i]
			if !slices.ContainsFunc(meet, func(p Provider) bool { return p.Name == r.Name }) {
				r.Lacks = append(r.Lacks, need.name)
			}
		}
	}
	return refused, nil
}
