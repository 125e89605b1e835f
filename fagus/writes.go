package fagus

import (
	"fmt"
	"os"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/pagewatch"
)

// WriteDetection is a way to find what the holder of an exclusive variable has written:
// see docs/writes.md. A program has the same results with all of them. What a request
// declares by Writing is believed, whatever the way.
type WriteDetection = consistency.Detection

// The ways.
const (
	DetectAuto     = consistency.DetectAuto     // what costs least; in virtual time DetectTwin
	DetectTwin     = consistency.DetectTwin     // copy at Acquire, compare at Release
	DetectKept     = consistency.DetectKept     // keep the copy for the next Acquire
	DetectKernel   = consistency.DetectKernel   // compare only the pages that the kernel says were written
	DetectDeclared = consistency.DetectDeclared // what is not declared by Writing counts as written as a whole
)

// Writes says how a rank found what it had written.
type Writes = consistency.Writes

const detectionVariable = "FAGUS_WRITE_DETECTION"

// detection completes c.WriteDetection by the environment, and checks it.
func (c *Config) detection() error {
	if name := os.Getenv(detectionVariable); name != "" {
		by, err := consistency.ParseDetection(name)
		if err != nil {
			return fmt.Errorf("fagus: %s: %w", detectionVariable, err)
		}
		c.WriteDetection = by
	}
	if c.WriteDetection > DetectDeclared {
		return fmt.Errorf("fagus: %v: want %v, %v, %v, %v or %v", c.WriteDetection, DetectAuto, DetectTwin, DetectKept, DetectKernel, DetectDeclared)
	}
	if c.WriteDetection == DetectKernel && c.Check != CheckOff {
		return fmt.Errorf("fagus: Config.Check maps arrays twice, and write detection %v sees no write through a second mapping: use another, or %v", DetectKernel, DetectAuto)
	}
	return nil
}

// detect tells space how writes are found, and returns what watches its pages; nil if
// nothing does. Those that other ranks view are not watched: a page of shared memory that
// the kernel takes out of the page table loses its mark.
func detect(space *consistency.Space, cfg Config, views bool) (*pagewatch.Watch, error) {
	by := cfg.WriteDetection
	if by == DetectAuto && (cfg.Net.Clock() == dimmnet.Virtual || cfg.Check != CheckOff) {
		by = DetectTwin // finding takes no time that counts
	}
	if by != DetectAuto && by != DetectKernel || views || space.IsOneCopy() {
		space.Detect(by, nil, cfg.TwinBytes)
		return nil, nil
	}
	watch := pagewatch.New()
	if by == DetectKernel {
		if err := watch.Open(); err != nil {
			return nil, fmt.Errorf("fagus: write detection %v: %w", DetectKernel, err)
		}
	}
	space.Detect(by, watch, cfg.TwinBytes)
	return watch, nil
}

// closeWatch gives up what nobody asks any more.
func closeWatch(w *pagewatch.Watch) {
	if w != nil {
		_ = w.Close() // two descriptors that nothing was written to
	}
}
