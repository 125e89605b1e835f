package fagus

import (
	"context"
	"fmt"
)

// agree returns an error if ranks in other processes run with a different configuration: their
// engines would not understand each other.
func agree(ctx context.Context, cfg *Config) error {
	j, ok := joined(cfg.Net)
	if !ok {
		return nil
	}
	own, _ := j.Job()
	text := cfg.shared()
	all, err := gatherBytes(ctx, j, []byte(text))
	if err != nil {
		return fmt.Errorf("fagus: comparing the configurations of all ranks: %w", err)
	}
	for r, other := range all {
		if string(other) != text {
			return fmt.Errorf("fagus: rank %d runs in %s, but rank %d in %.200s: start all ranks with the same configuration", own, text, r, other)
		}
	}
	return nil
}

// shared describes what must be equal on all ranks.
func (c *Config) shared() string {
	text := fmt.Sprintf("%v mode with transfer %v, lists %v and placement %v", c.Mode, c.Transfer, c.Lists, c.Placement)
	for _, option := range []struct {
		on   bool
		name string
	}{{c.Helpers, "Helpers"}, {c.Notices, "Notices"}, {c.Direct, "Direct"}, {c.Check != CheckOff, "Check"}, {c.History != nil, "History"}, {c.Record != nil, "Record"}, {c.Checkpoints != nil, "Checkpoints"}} {
		if option.on {
			text += ", " + option.name
		}
	}
	return text
}
