package cluster

import (
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"
)

// wrongKey returns memberlist's texts about processes with another key: it has no error values.
func wrongKey() []string {
	return []string{
		"no installed keys could decrypt the message",
		"remote state is encrypted and encryption is not configured",
		"encryption is configured but remote state is not encrypted",
	}
}

// overheard passes memberlist's log on, and notes the hosts of processes with another key.
type overheard struct {
	g   *gossip
	log *slog.Logger
}

func (o *overheard) Write(line []byte) (int, error) {
	text := strings.TrimSpace(string(line))
	o.log.Debug(text)
	if slices.ContainsFunc(wrongKey(), func(words string) bool { return strings.Contains(text, words) }) {
		_, from, _ := strings.Cut(text, "from=")
		if host, _, err := net.SplitHostPort(from); err == nil {
			o.g.note(host)
		}
	}
	return len(line), nil
}

const maxAliens = 20 // addresses of hosts that an error names

func (g *gossip) note(host string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.alien) < maxAliens {
		g.alien[host] = true
	}
}

// refusals returns the end of an error text: the hosts of processes with another key.
func (g *gossip) refusals() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.alien) == 0 {
		return ""
	}
	hosts := slices.Sorted(maps.Keys(g.alien))
	return fmt.Sprintf(" (processes with another key, from %s, were refused: does %s name the identities of one job on all ranks?)", strings.Join(hosts, ", "), fagusIdentity)
}
