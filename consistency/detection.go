package consistency

import "fmt"

// Detection is a way to find what the holder of an exclusive variable has written. All
// but DetectDeclared find the same bytes.
type Detection uint8

// The ways.
const (
	// DetectAuto is, of the three below, the one that is likely to cost least.
	DetectAuto Detection = iota
	// DetectTwin copies what a variable guards when a tenure begins, and compares all of it
	// when it ends.
	DetectTwin
	// DetectKept keeps the copy after the tenure: the next one refreshes only
	// what other ranks have written.
	DetectKept
	// DetectKernel keeps it too, and compares only the pages of which the kernel says that
	// they were written. A tenure for which it says nothing is one of DetectKept.
	DetectKernel
	// DetectDeclared copies and compares nothing: what a tenure declares counts as written,
	// and if it declares nothing all that its variable guards.
	DetectDeclared
	detections
)

// String is the name as FAGUS_WRITE_DETECTION has it.
func (d Detection) String() string {
	if d < detections {
		return [detections]string{"auto", "twin", "kept", "kernel", "declared"}[d]
	}
	return fmt.Sprintf("detection %d", uint8(d))
}

// ParseDetection finds the way that String calls name.
func ParseDetection(name string) (Detection, error) {
	for d := range detections {
		if d.String() == name {
			return d, nil
		}
	}
	return 0, fmt.Errorf("write detection %q: want %v, %v, %v, %v or %v", name, DetectAuto, DetectTwin, DetectKept, DetectKernel, DetectDeclared)
}

// MarshalText is the name.
func (d Detection) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText is ParseDetection.
func (d *Detection) UnmarshalText(name []byte) (err error) {
	*d, err = ParseDetection(string(name))
	return err
}

// Pages knows which pages of regions this process has written. It sees every write of the
// program to the memory that the regions were made of; it may say too much.
type Pages interface {
	// Forget lets only what is written from now on to the pages of mem count.
	Forget(mem []byte) error
	// Written calls f with the parts of mem that lie on pages written since, by position, in
	// order, counted from the start of mem.
	Written(mem []byte, f func(lo, hi int)) error
}

// Writes says how this rank found what it had written.
type Writes struct {
	By        Detection `json:"by"`       // what was in force
	Declared  uint64    `json:"declared"` // exclusive tenures that declared it, with DetectDeclared all
	Twin      uint64    `json:"twin"`     // those of DetectTwin
	Kept      uint64    `json:"kept"`
	Kernel    uint64    `json:"kernel"`
	TwinBytes int       `json:"twin_bytes"` // the most that twins had at one time
}

// Plus adds up what two ranks did; twins of different ranks exist at the same time.
func (w Writes) Plus(o Writes) Writes {
	return Writes{w.By, w.Declared + o.Declared, w.Twin + o.Twin, w.Kept + o.Kept, w.Kernel + o.Kernel, w.TwinBytes + o.TwinBytes}
}
