//go:build linux

package cluster_test

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

var _ shm.Member = (*cluster.Host)(nil)

// childBody is the environment variable that makes this test binary a rank and names its job.
const childBody = "CLUSTER_TEST_BODY"

func TestMain(m *testing.M) {
	if body := os.Getenv(childBody); body != "" {
		os.Exit(child(body))
	}
	_ = flag.Set("test.parallel", "8") // the parallel tests mostly wait
	// A memberlist allocates 64 KiB for each packet that it reads. With dozens of them in this
	// process, collecting that would take most of the time, and probes would end too late.
	debug.SetGCPercent(1000)
	goleak.VerifyTestMain(m)
}
