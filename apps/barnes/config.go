package barnes

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// Config describes a run.
type Config struct {
	Bodies int
	Steps  int     // number of time steps of 1/40 each
	Theta  float64 // largest width/distance of a cell that counts as one body; 0: no cell does
	Seed   uint64  // selects the initial bodies
	// Progress counts steps at rank 0. Spoil makes the last acceleration of one body wrong.
	verify.Options
}

// Limits of the configuration. Fewer bodies would be so heavy that the time step is too long when
// two bodies meet. A cell wider than 1/sqrt(3) of its distance may contain the attracted body
// itself (J. K. Salmon and M. S. Warren, J. Comput. Phys. 111 (1994) 136).
const (
	minBodies = 100
	maxBodies = 1 << 20
	maxSteps  = 1 << 16
	maxTheta  = 0.57
)

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	switch {
	case c.Bodies < minBodies || c.Bodies > maxBodies:
		return fmt.Errorf("barnes: %d bodies: want %d to %d", c.Bodies, minBodies, maxBodies)
	case c.Steps < 1 || c.Steps > maxSteps:
		return fmt.Errorf("barnes: %d steps: want 1 to %d", c.Steps, maxSteps)
	case !(c.Theta >= 0 && c.Theta <= maxTheta): // written so that NaN fails
		return fmt.Errorf("barnes: theta %g: want 0 to %g", c.Theta, maxTheta)
	}
	return nil
}
