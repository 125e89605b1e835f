//go:build unix

package launch_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// TestCrowd: a job warns once of far more ranks than processors, and runs.
func TestCrowd(t *testing.T) {
	most := 8 * runtime.NumCPU()
	if text := launch.Crowded(most); text != "" {
		t.Errorf("%d ranks: %s", most, text)
	}
	if most > 128 {
		t.Skip("too many processes for a quick test")
	}
	out, errs, err := run(t, t.Context(), most+1, "echo here")
	want := fmt.Sprintf("fagus: warning: %d ranks share the %d processors of ", most+1, runtime.NumCPU())
	if err != nil || strings.Count(out, "here") != most+1 || !strings.HasPrefix(errs, want) || strings.Count(errs, "\n") != 1 {
		t.Errorf("%v, output %q, errors %q: want one line that begins with %q", err, out, errs, want)
	}
}
