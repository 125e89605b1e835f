package travel

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// FuzzCommands: whatever the file of a rank contains, the commands return.
func FuzzCommands(f *testing.F) {
	s := newScribe(f, 1, 5000)
	s.write(0, 1, 1, 0, 10)
	s.meet(rollcall.Fence, 2)
	s.write(0, 3, 2, 4999, 30)
	s.meet(rollcall.End, 4)
	whole, err := os.ReadFile(filepath.Join(s.close().Dir, "rank0.record"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Fuzz(func(t *testing.T, file []byte) {
		mend(file)
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "rank0.record"), file, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := openRun(t.Context(), dir)
		if err != nil || r.Nodes > 4 {
			return
		}
		for i := range r.arrays {
			a := &r.arrays[i]
			if a.Bytes > 1<<24 {
				return // it would take the memory that it says
			}
			s, err := r.why(t.Context(), place{a, 0}, point{1 << 63, 1 << 62, "end"}, 2)
			if err != nil {
				t.Fatal(err)
			}
			_ = s.text()
		}
		if d, err := compareRuns(t.Context(), [2]*run{r, r}, nil, 0); err == nil && !d.Equal {
			t.Errorf("a run differs from itself: %+v", d.First)
		}
	})
}

// mend makes the checksums of a file right, so that what is behind them is tested.
func mend(b []byte) {
	for at := 12; at+8 < len(b); {
		length := int(binary.LittleEndian.Uint32(b[at:]))
		if length > len(b)-at-8 {
			return
		}
		payload := b[at+8:][:length]
		binary.LittleEndian.PutUint32(b[at+4:], crc32.Checksum(payload, crc32.MakeTable(crc32.Castagnoli)))
		at += 8 + length
	}
}
