package cluster

import (
	"encoding/binary"
	"math"
	"net"
	"strings"
	"testing"
)

// TestStreamBody announces bodies that are too long for a message.
func TestStreamBody(t *testing.T) {
	for _, n := range []uint32{maxBody + 1, math.MaxUint32 - headerBytes, math.MaxUint32} {
		here, there := net.Pipe()
		go func() {
			header := make([]byte, headerBytes)
			header[0] = byte(kindBlob)
			binary.LittleEndian.PutUint32(header[headerBytes-4:], n)
			_, _ = there.Write(header)
			_ = there.Close()
		}()
		s := &stream{Conn: here}
		if _, err := s.receive(); err == nil || !strings.Contains(err.Error(), "a body of") {
			t.Errorf("a header for %d bytes: %v", n, err)
		}
		if err := here.Close(); err != nil {
			t.Error(err)
		}
	}
}
