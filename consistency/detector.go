package consistency

// Limits of DetectAuto; docs/internals/writes.md has the figures behind them.
const (
	keepLeast  = 16 << 10  // bytes of a variable; a smaller twin is cheap to copy again
	trackLeast = 256 << 10 // bytes of a variable; comparing fewer is cheaper than 2 system calls
	trackRange = 64 << 10  // mean bytes per range, because every range needs system calls
	crossover  = 0.3       // share of pages written; above, faults cost more than comparing
)

// defaultKeep is the number of bytes of twins that a rank keeps between tenures.
const defaultKeep = 1 << 30

type detector struct {
	pages    Pages // nil if the kernel reports no pages, or after a failure
	keep     int   // the limit, in bytes, of the twins that stay when a tenure ends
	twins    int   // the present bytes of all twins
	writes   Writes
	copied   int     // bytes copied to twins since the last TwinWork
	compared int     // bytes compared with twins since then
	suspects []Range // reused
	changed  []Range // reused
	pieces   []Piece // reused
}

// Detect selects how the Space finds writes from now on. pages may be nil. Between tenures, twins
// of up to keepBytes in total stay; 0 means 1 GiB. The first variables that need a twin keep it.
// Detect must not be called during a tenure.
func (s *Space) Detect(by Detection, pages Pages, keepBytes int) {
	if keepBytes == 0 {
		keepBytes = defaultKeep
	}
	s.detector.pages, s.detector.keep, s.detector.writes.By = pages, keepBytes, by
}

// Writes returns the counts so far.
func (s *Space) Writes() Writes { return s.detector.writes }

// TwinWork returns the numbers of bytes copied to twins, and compared with them, since its last
// call.
func (s *Space) TwinWork() (copied, compared int) {
	d := &s.detector
	copied, compared = d.copied, d.compared
	d.copied, d.compared = 0, 0
	return copied, compared
}

func (d *detector) choose(v *copyState) Detection {
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

func (d *detector) count(by Detection) {
	switch by {
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
