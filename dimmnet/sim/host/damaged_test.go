package host

import (
	"bytes"
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

// FuzzRecord cuts records off an arbitrary payload.
func FuzzRecord(f *testing.F) {
	f.Add(appendRecord(appendRecord(nil, 8, []byte{1, 2}), 4000, []byte{3}))
	f.Add(appendRecord(nil, 8, nil))
	f.Add(appendRecord(nil, 4090, make([]byte, 7)))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 1, 0, 1})
	f.Fuzz(func(t *testing.T, payload []byte) {
		const memory = 4096
		var again []byte
		for rest := payload; len(rest) > 0; {
			off, b, behind, err := cutRecord(rest, memory)
			if err != nil {
				return
			}
			if len(b) == 0 || int(off)+len(b) > memory {
				t.Fatalf("cutRecord returned %d bytes for offset %d, outside the memory", len(b), off)
			}
			again, rest = appendRecord(again, off, b), behind
		}
		if !bytes.Equal(again, payload) {
			t.Errorf("the records of %x join to %x", payload, again)
		}
	})
}
