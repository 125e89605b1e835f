package cluster

import (
	"errors"
	"strings"
	"testing"
)

// TestWithoutPlace checks for each launcher that WithoutPlace removes the variables of a place,
// and that unrelated variables remain.
func TestWithoutPlace(t *testing.T) {
	for name, env := range map[string]vars{"openmpi": openMPI(), "hydra": hydra(), "slurm": slurm(), "flux": flux(), "pals": pals(), "kubernetes": kubernetes()} {
		environ := []string{"HOME=/root", "=C:=odd", "FAGUS_LINE=fd:3", "FAGUS_INHERIT=00000000"}
		for k, v := range env {
			environ = append(environ, k+"="+v)
		}
		left := make(vars)
		kept := 0
		for _, s := range WithoutPlace(environ) {
			for k, v := range env {
				if s == k+"="+v {
					left[k] = v
				}
			}
			if strings.HasPrefix(s, "FAGUS_") {
				t.Errorf("%s: %s remains", name, s)
			}
			if s == "HOME=/root" || s == "=C:=odd" {
				kept++
			}
		}
		if _, err := FromEnv(left.lookup); !errors.Is(err, ErrNoJob) || kept != 2 {
			t.Errorf("%s: place variables %v remain, and %d unrelated ones: %v", name, left, kept, err)
		}
	}
}
