package nstream_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/nstream"
)

func TestKernel(t *testing.T) {
	apptest.Kernel[nstream.Config]{
		Run: nstream.Run, Plain: nstream.Plain, Delayed: 1, Configs: []nstream.Config{{Length: 1}, {Length: 3}, {Length: 1001}},
		Invalid: map[string]nstream.Config{"no vectors": {}},
	}.Test(t)
}
