//go:build linux

package tcp_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/tcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPort(t *testing.T) {
	porttest.Run(t, func() dimmnet.Network { return tcp.New(tcp.Config{}) })
}

// TestPortBulk has bulk memory, and other sizes.
func TestPortBulk(t *testing.T) {
	porttest.Run(t, func() dimmnet.Network { return tcp.New(tcp.Config{LLCM: 24001, Bulk: 70001, Unsummed: true}) })
}
