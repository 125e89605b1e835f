//go:build ofi && linux && cgo

package cluster_test

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// TestClearData: ranks with identities send nothing in clear unless that is permitted.
func TestClearData(t *testing.T) {
	for _, permitted := range []bool{false, true} {
		all, specs := spread(t, 2)
		for rank := range specs {
			specs[rank].Net, specs[rank].Insecure = cluster.OFI, permitted
		}
		hosts, errs := joinHosts(t, all, specs)
		if permitted {
			noErrors(t, errs)
			_, errs = each(2, func(i int) (struct{}, error) {
				return struct{}{}, hosts[i].Network().Run(within(t), 2, func(dimmnet.Host) error { return nil })
			})
		}
		for rank, err := range errs {
			if permitted && err != nil || !permitted && (err == nil || !strings.Contains(err.Error(), "libfabric encrypts nothing")) {
				t.Errorf("permitted %t, rank %d: %v", permitted, rank, err)
			}
		}
		if permitted {
			closeHosts(hosts)
		}
	}
}
