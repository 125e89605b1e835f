//go:build linux

package shm_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPort(t *testing.T) {
	porttest.Run(t, func() dimmnet.Network { return shm.New(shm.Config{}) })
}

// TestPortBulk runs the suite with bulk memory.
func TestPortBulk(t *testing.T) {
	porttest.Run(t, func() dimmnet.Network { return shm.New(shm.Config{LLCM: 24001, Bulk: 70001}) })
}
