package launch

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// TestAwait: what the processes of the ranks send first decides who simulates.
func TestAwait(t *testing.T) {
	const (
		own   = runflags.Claim
		c     = "\x00\x00\x00\x00\x00\x00\x00\x00\x00 a request"
		quiet = ""
	)
	for _, tt := range []struct {
		first []string
		here  bool
		err   string
	}{
		{[]string{c, c}, true, ""},
		{[]string{c, quiet}, true, ""}, // Serve reports the rank that has ended
		{[]string{own, own, own}, false, ""},
		{[]string{own, quiet}, false, ""},
		{[]string{quiet, quiet}, false, "no rank has used the simulated network"},
		{[]string{"Fagus", quiet}, false, "no rank has used the simulated network"},
		{[]string{quiet, own}, false, "the program of rank 0 differs"},
		{[]string{c, own}, false, "the program of rank 0 differs"},
		{[]string{own, c}, false, "that of other ranks the C library"},
	} {
		var here []net.Conn
		for _, text := range tt.first {
			own, theirs := net.Pipe()
			here = append(here, own)
			go func() {
				_, _ = io.WriteString(theirs, text) // fails if nobody reads it
				_ = theirs.Close()
			}()
		}
		callers, err := await(here)
		if (callers != nil) != tt.here || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: %d callers, error %v, want %q", tt.first, len(callers), err, tt.err)
		}
		if tt.here { // nothing of the first request is lost
			if text, err := io.ReadAll(callers[0]); string(text) != tt.first[0] || err != nil {
				t.Errorf("%q: the server reads %q, %v", tt.first, text, err)
			}
		}
		hangUp(here)
	}
}
