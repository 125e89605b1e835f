package sim

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/frametest"
)

// TestDamagedRecords: every record that is cut off a damaged payload lies within the memory.
func TestDamagedRecords(t *testing.T) {
	const memory = 4096
	good := appendRecord(appendRecord(nil, 8, []byte{1, 2}), 4090, []byte{3, 4, 5})
	for damaged := range frametest.Every(good) {
		for rest := damaged; len(rest) > 0; {
			off, b, behind, err := cutRecord(rest, memory)
			if err != nil {
				break
			}
			if len(b) == 0 || int(off)+len(b) > memory || len(behind) >= len(rest) {
				t.Fatalf("%x: cutRecord returned %d bytes for offset %d, and left %d of %d bytes", damaged, len(b), off, len(behind), len(rest))
			}
			rest = behind
		}
	}
}
