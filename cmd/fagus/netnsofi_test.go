//go:build linux

package main

import (
	"bytes"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// TestHostsOFI: ranks of several hosts that libfabric connects, with all threads and modes of one
// program. A host of the usual sort has no other network than IP.
func TestHostsOFI(t *testing.T) {
	if err := ofi.Supported(); err != nil {
		t.Skip(err)
	}
	for _, provider := range []string{"net", "tcp;ofi_rxm"}[:longtest.Cases(2, 1)] {
		t.Run(provider, func(t *testing.T) {
			h := newHosts(t, 4)
			for _, words := range [][]string{
				{"launch", "-n", "4", "--net", "ofi", "--provider", provider, "--insecure", "--hosts", "--", h.fagus, "run", "matmul", "--n", "128"},
				{"run", "matmul", "--net", "ofi", "--provider", provider, "--n", "128", "--nodes", "8", "--mode", "threaded", "--insecure", "--hosts"},
			} {
				out, err := h.command(t, words...).CombinedOutput()
				if err != nil || !bytes.Contains(out, []byte("verified: ")) || !bytes.Contains(out, []byte("mode, ofi")) {
					t.Errorf("%v: %v: %s", words, err, out)
				}
				h.empty(t)
			}
			out, err := h.command(t, "run", "matmul", "--net", "ofi", "--provider", provider, "--nodes", "4", "--hosts").CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte("--insecure")) {
				t.Errorf("plain data between hosts: %v, %s: want that --insecure permits it", err, out)
			}
		})
	}
}
