package stencil_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/stencil"
)

func TestKernel(t *testing.T) {
	apptest.Kernel[stencil.Config]{
		Run: stencil.Run, Plain: stencil.Plain, Rounds: true, Delayed: 1, Configs: []stencil.Config{{N: 5, Radius: 2}, {N: 37, Radius: 2}, {N: 20, Radius: 3}, {N: 4, Radius: 1}},
		Invalid: map[string]stencil.Config{"a small grid": {N: 4, Radius: 2}, "no radius": {N: 4}},
	}.Test(t)
}
