package consistency

import "fmt"

// Detection is a method to find the bytes that an exclusive tenure changed. A tenure is the time
// from Acquire to Release. All methods except DetectDeclared find the same bytes.
type Detection uint8

// The methods of Detection.
const (
	// DetectAuto chooses the method that is likely to cost least, except DetectDeclared.
	DetectAuto Detection = iota
	// DetectTwin copies the guarded bytes when a tenure begins, and compares all of them with
	// the copy when the tenure ends.
	DetectTwin
	// DetectKept keeps the copy after the tenure. The next tenure refreshes only the pages that
	// other ranks wrote in between.
	DetectKept
	// DetectKernel keeps the copy too, and compares only pages that the kernel reports as
	// written. Where the kernel cannot report, it works like DetectKept.
	DetectKernel
	// DetectDeclared copies and compares nothing. The ranges that a tenure declares count as
	// written. If it declares no ranges, all guarded bytes count as written.
	DetectDeclared
	detections
)

// String returns the name that FAGUS_WRITE_DETECTION uses.
func (d Detection) String() string {
	if d < detections {
		return [detections]string{"auto", "twin", "kept", "kernel", "declared"}[d]
	}
	return fmt.Sprintf("detection %d", uint8(d))
}

// ParseDetection returns the Detection whose String is name.
func ParseDetection(name string) (Detection, error) {
	for d := range detections {
		if d.String() == name {
			return d, nil
		}
	}
	return 0, fmt.Errorf("write detection %q: want %v, %v, %v, %v or %v", name, DetectAuto, DetectTwin, DetectKept, DetectKernel, DetectDeclared)
}

// MarshalText returns the name.
func (d Detection) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses the name.
func (d *Detection) UnmarshalText(name []byte) (err error) {
	*d, err = ParseDetection(string(name))
	return err
}

// Pages records which pages of regions this process writes. It reports every page that the program
// has written, and may also report pages that were not written.
type Pages interface {
	// Forget discards the record of writes to the pages of mem.
	Forget(mem []byte) error
	// Written calls f with the parts of mem on pages written since Forget, in order; lo and
	// hi are offsets from the start of mem.
	Written(mem []byte, f func(lo, hi int)) error
}

// Writes counts the exclusive tenures of a rank by the Detection that found their writes.
type Writes struct {
	By        Detection `json:"by"`       // the method selected by Detect
	Declared  uint64    `json:"declared"` // tenures that declared their writes
	Twin      uint64    `json:"twin"`
	Kept      uint64    `json:"kept"`
	Kernel    uint64    `json:"kernel"`
	TwinBytes int       `json:"twin_bytes"` // the largest total size of the twins at any time
}

// Plus returns the sum of two ranks' Writes. TwinBytes are added, as both ranks have twins at once.
func (w Writes) Plus(o Writes) Writes {
	return Writes{w.By, w.Declared + o.Declared, w.Twin + o.Twin, w.Kept + o.Kept, w.Kernel + o.Kernel, w.TwinBytes + o.TwinBytes}
}
