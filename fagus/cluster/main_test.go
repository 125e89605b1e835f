//go:build linux

package cluster_test

import (
	"flag"
	"os"
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
	goleak.VerifyTestMain(m)
}
