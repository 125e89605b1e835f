package quic

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPort(t *testing.T) {
	t.Parallel() // it waits for deadlocks to time out, most of the time
	porttest.Run(t, func() dimmnet.Network { return New(Config{}) })
}

// TestPortBulk has bulk memory, and other sizes.
func TestPortBulk(t *testing.T) {
	t.Parallel()
	porttest.Run(t, func() dimmnet.Network { return New(Config{LLCM: 24001, Bulk: 70001}) })
}
