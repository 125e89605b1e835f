package pmi

import (
	"fmt"
	"strconv"
)

// message is a request to the launcher or its answer.
type message struct {
	cmd   string
	pairs []pair
}

type pair struct{ key, value string }

func (m message) get(key string) (value string, found bool) {
	for _, p := range m.pairs {
		if p.key == key {
			return p.value, true
		}
	}
	return "", false
}

// number returns a value that is a number from 0 to most.
func (m message) number(key string, most int) (int, error) {
	text, _ := m.get(key)
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("the launcher answers %s=%.40q in %.40q: want a number from 0 to %d", key, text, m.cmd, most)
	}
	return n, nil
}

// refusal returns an error if m is not the answer cmd, or reports a failure. An answer without rc
// reports success.
func (m message) refusal(cmd string) error {
	if m.cmd != cmd {
		return fmt.Errorf("the launcher answers %.80q: want %q", m.cmd, cmd)
	}
	rc, found := m.get("rc")
	if !found || rc == "0" {
		return nil
	}
	reason, found := m.get("errmsg")
	if !found {
		reason, _ = m.get("msg")
	}
	return fmt.Errorf("the launcher refuses: code %.20q, reason %.200q", rc, reason)
}
