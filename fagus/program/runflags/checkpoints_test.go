package runflags

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// TestCopied: a rank copies as much as the flag permits, and nothing where the same checkpoints are
// to be made in every run.
func TestCopied(t *testing.T) {
	environment(t)
	for _, c := range []struct {
		args  string
		bytes int64
	}{
		{"--net inproc --checkpoint ck", 1 << 30},
		{"--net inproc --checkpoint ck --checkpoint-copy 5000", 5000 << 20},
		{"--net inproc --checkpoint ck --checkpoint-copy 0", 0},
		{"--net inproc --checkpoint ck --checkpoint-every 0s", 0},
		{"--checkpoint ck --checkpoint-copy 5000", 0},
	} {
		cfg, err := parse(t, strings.Fields(c.args)...)
		if got := cfg.Checkpoints.copied(cfg.Network.Simulated); err != nil || got != c.bytes {
			t.Errorf("%s: %d bytes, error %v; want %d", c.args, got, err, c.bytes)
		}
	}
	for _, wrong := range []string{"-1", "1048577"} {
		if _, err := parse(t, "--checkpoint", "ck", "--checkpoint-copy", wrong); !usage.Is(err) || !strings.Contains(err.Error(), "want 0 to 1048576 MiB") {
			t.Errorf("%s: error %v", wrong, err)
		}
	}
}
