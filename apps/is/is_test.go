package is_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/is"
)

func TestBenchmark(t *testing.T) {
	apptest.Benchmark{Run: is.Run, Plain: is.Plain, Guarded: 3, Spoiled: []int{1, 2, 3, 4}}.Test(t)
}
