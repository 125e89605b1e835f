package fagus

import (
	"fmt"
	"os"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/pagewatch"
)

// WriteDetection is a method that finds the bytes that a rank has written in a tenure; see
// docs/internals/writes.md. The method does not affect the results of a program. Ranges that
// Request.Writing declares or Node.Wrote reports count as written with every method.
type WriteDetection = consistency.Detection

// The methods of write detection.
const (
	// DetectAuto selects the method that probably costs least. In virtual time it is DetectTwin.
	DetectAuto = consistency.DetectAuto
	// DetectTwin copies the guarded data in Acquire, and compares data and copy in Release.
	DetectTwin = consistency.DetectTwin
	// DetectKept is like DetectTwin, but keeps the copy for the next Acquire.
	DetectKept = consistency.DetectKept
	// DetectKernel compares only the pages that the kernel reports as written.
	DetectKernel = consistency.DetectKernel
	// DetectDeclared compares nothing. Without Request.Writing or Request.Reporting, all bytes
	// that the variable guards count as written.
	DetectDeclared = consistency.DetectDeclared
)

// Writes counts the exclusive tenures of a rank by the method of write detection that it used.
type Writes = consistency.Writes

const detectionVariable = "FAGUS_WRITE_DETECTION"

// resolveDetection sets c.WriteDetection from the environment variable, if set, and checks it.
func (c *Config) resolveDetection() error {
	if name := os.Getenv(detectionVariable); name != "" {
		by, err := consistency.ParseDetection(name)
		if err != nil {
			return fmt.Errorf("fagus: %s: %w", detectionVariable, err)
		}
		c.WriteDetection = by
	}
	if c.WriteDetection > DetectDeclared {
		return fmt.Errorf("fagus: Config.WriteDetection is %d: want %v, %v, %v, %v or %v",
			c.WriteDetection, DetectAuto, DetectTwin, DetectKept, DetectKernel, DetectDeclared)
	}
	if c.WriteDetection == DetectKernel && c.Check != CheckOff {
		return fmt.Errorf("fagus: write detection %v: Config.Check maps arrays twice, but the kernel reports writes through one mapping only: use %v",
			DetectKernel, DetectAuto)
	}
	return nil
}

// startDetection configures the write detection of space. It returns the Watch that space uses, or
// nil if space uses none. Pages that other ranks read directly are not watched: when the kernel
// evicts such a page from the page table, it forgets that the page was written.
func startDetection(space *consistency.Space, cfg Config, views bool) (*pagewatch.Watch, error) {
	by := cfg.WriteDetection
	if by == DetectAuto && (cfg.Net.Clock() == dimmnet.Virtual || cfg.Check != CheckOff) {
		by = DetectTwin // needs no kernel; its real time does not matter here
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

func closeWatch(w *pagewatch.Watch) {
	if w != nil {
		_ = w.Close() // an error would not matter: both descriptors were only read
	}
}
