package ft_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/ft"
	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// TestBenchmark checks several numbers of nodes. On 65 nodes the last rank has no rows.
func TestBenchmark(t *testing.T) {
	longtest.Third(t)
	apptest.Benchmark{Run: ft.Run, Plain: ft.Plain, Guarded: 3, Spoiled: []int{3, 65}}.Test(t)
}
