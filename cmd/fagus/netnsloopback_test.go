//go:build linux

package main

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestLoopbackDown: ranks of one host meet at its loopback device. Where that is down, the networks
// that need it say so, with the remedy, and do not ask whether a port is open.
func TestLoopbackDown(t *testing.T) {
	h := newHosts(t, 1)
	ipRun(t, "-n "+h.Hosts[0]+" link set lo down")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, net := range []string{"shm", "tcp", "quic"} {
		out, err := exec.CommandContext(ctx, "ip", "netns", "exec", h.Hosts[0], h.fagus, "run", "matmul", "--n", "64", "--nodes", "2", "--net", net).CombinedOutput()
		if net == "shm" {
			if err != nil {
				t.Errorf("shm needs no loopback device: %v: %s", err, out)
			}
			continue
		}
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(string(out), "run ip link set lo up") {
			t.Errorf("%s: %v, want exit code 3 and the remedy: %s", net, err, out)
		}
	}
	h.empty(t)
}
