package top

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/metrics"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const (
	patience = 5 * time.Second // for an answer
	longest  = 64 << 20        // bytes of an answer
)

func checkAddress(addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return usage.Errorf("%s: want HOST:PORT, as --metrics has printed it", addr)
	}
	return nil
}

// ask returns the Document of one process.
func ask(ctx context.Context, addr string) (*metrics.Document, error) {
	text, err := get(ctx, addr, "/ranks", patience)
	if err != nil {
		return nil, err
	}
	var d metrics.Document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("%s answers with no document of a run: %w", addr, err)
	}
	if err := d.Check(); err != nil {
		return nil, fmt.Errorf("%s answers with a wrong document: %w", addr, err)
	}
	return &d, nil
}

// get returns what a process has at a path.
func get(ctx context.Context, addr, path string, limit time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, nil)
	if err != nil {
		return nil, usage.Wrap(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, longest))
	switch {
	case err != nil:
		return nil, err
	case answer.StatusCode == http.StatusServiceUnavailable && strings.TrimSpace(string(text)) == errEarly.Error():
		return nil, errEarly
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answers %.40q: %.100q: is it an address of --metrics?", addr, answer.Status, strings.TrimSpace(string(text)))
	}
	return text, nil
}

// merge returns the states of a, and those of b of other ranks, by rank.
func merge(a, b []meter.State) []meter.State {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y meter.State) int { return cmp.Compare(x.Rank, y.Rank) })
	return slices.CompactFunc(all, func(x, y meter.State) bool { return x.Rank == y.Rank })
}
