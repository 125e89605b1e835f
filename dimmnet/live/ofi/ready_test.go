//go:build ofi && linux && cgo

package ofi

import (
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestReadyInTurn checks that each ready link has its turn where more are ready than fit.
func TestReadyInTurn(t *testing.T) {
	f := &fabric{links: make([]*link, 8)}
	for i := range f.links[1:] {
		f.links[1+i] = &link{f: f, ended: true}
	}
	var got []dimmnet.Rank
	for range 4 {
		got = append(got, f.ready(make([]dimmnet.Rank, 0, 3))...)
	}
	if want := []dimmnet.Rank{1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("ready links: %v, want %v", got, want)
	}
}
