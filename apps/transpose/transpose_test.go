package transpose_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/transpose"
)

func TestKernel(t *testing.T) {
	apptest.Kernel[transpose.Config]{
		Run: transpose.Run, Plain: transpose.Plain, Delayed: 1, Configs: []transpose.Config{{N: 1}, {N: 3}, {N: 37}, {N: 130}},
		Invalid: map[string]transpose.Config{"no matrix": {}},
	}.Test(t)
}
