package stream

import (
	"errors"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestLongReason checks that the first bytes of a long reason reach the peers, and that the rank
// that fails returns the whole reason.
func TestLongReason(t *testing.T) {
	boom := errors.New("boom " + strings.Repeat("x", 3000))
	var shown error
	err := pipework{sums: SumAll}.Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 0 {
			return boom
		}
		shown = dimmnet.Drive(p, still{}, func() bool { return false })
		return nil
	})
	if !errors.Is(err, boom) {
		t.Errorf("Run returned %v, want the whole reason", err)
	}
	var f *dimmnet.Failed
	if !errors.As(shown, &f) || f.Rank != 0 || f.Why != boom.Error()[:failureBytes] {
		t.Errorf("rank 1 fails with %v, want the first %d bytes of the reason of rank 0", shown, failureBytes)
	}
}
