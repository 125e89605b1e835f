package consistency

// Limits of DetectAuto; docs/writes.md has the figures behind them.
const (
	keepLeast  = 16 << 10  // bytes of a variable; a copy of less costs less than to know what is stale
	trackLeast = 256 << 10 // bytes of a variable that is worth two requests to the kernel
	trackRange = 64 << 10  // mean bytes of its ranges, each of which takes requests of its own
	crossover  = 0.3       // of its pages written: from here on the faults cost more than to compare all
)

// defaultKeep is how many bytes of twins a rank keeps between tenures.
const defaultKeep = 1 << 30

// detector is what a Space knows of the ways.
type detector struct {
	pages    Pages // nil if there are none, or they have failed
	keep     int   // bytes of twins that may stay when a tenure ends
	twins    int   // bytes of twins that exist
	writes   Writes
	suspects []Range // reused, as is changed
	changed  []Range
}

// Detect says by which way writes are found from now on: pages may be nil, and keepBytes
// of twins stay between tenures, of the variables that come first; 0 stands for 1 GiB.
// No tenure is under way.
func (s *Space) Detect(by Detection, pages Pages, keepBytes int) {
	if keepBytes == 0 {
		keepBytes = defaultKeep
	}
	s.detector.pages, s.detector.keep, s.detector.writes.By = pages, keepBytes, by
}

// Writes says how it was found so far.
func (s *Space) Writes() Writes { return s.detector.writes }

// way chooses for a tenure of v that begins.
func (d *detector) way(v *variable) Detection {
	by := d.writes.By
	if v.declared != nil {
		return DetectDeclared
	}
	if by == DetectAuto {
		switch {
		case v.bytes < keepLeast:
			return DetectTwin
		case v.bytes < trackLeast || v.bytes/len(v.ranges) < trackRange || v.share > crossover:
			return DetectKept
		}
		by = DetectKernel
	}
	if by == DetectKernel && d.pages == nil {
		return DetectKept
	}
	return by
}

// count records a tenure that ends.
func (d *detector) count(way Detection) {
	switch way {
	case DetectDeclared:
		d.writes.Declared++
	case DetectTwin:
		d.writes.Twin++
	case DetectKept:
		d.writes.Kept++
	case DetectKernel:
		d.writes.Kernel++
	}
}
