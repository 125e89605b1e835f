package cg_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/cg"
	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

func TestBenchmark(t *testing.T) {
	longtest.Third(t)
	apptest.Benchmark{Run: cg.Run, Plain: cg.Plain, Guarded: 2, Rounds: true, Spoiled: []int{1, 2, 3, 4}}.Test(t)
}
