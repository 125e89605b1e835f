package cluster

import (
	"errors"
	"testing"
)

// TestWithoutPlace: whatever the launcher, what is left says no place, and the rest stays.
func TestWithoutPlace(t *testing.T) {
	for name, env := range map[string]vars{"openmpi": openMPI(), "hydra": hydra(), "slurm": slurm(), "flux": flux(), "pals": pals(), "kubernetes": kubernetes()} {
		environ := []string{"HOME=/root", "=C:=odd"}
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
			if s == "HOME=/root" || s == "=C:=odd" {
				kept++
			}
		}
		if _, err := FromEnv(left.lookup); !errors.Is(err, ErrNoJob) || kept != 2 {
			t.Errorf("%s: %v are left, of the rest %d: %v", name, left, kept, err)
		}
	}
}
