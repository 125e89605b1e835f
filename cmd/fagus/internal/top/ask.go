package top

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/metrics"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const (
	patience = 5 * time.Second // for an answer
	longest  = 64 << 20        // bytes of an answer
)

// target is a process that serves metrics.
type target struct {
	name   string // for messages: HOST:PORT, or its number on this host
	socket string // the path of its socket; empty: ask at the address
}

func (t target) String() string { return t.name }

// each asks all targets at once. Of those that do not answer it returns the errors in their places.
func each[T any](targets []target, ask func(target) (T, error)) (answers []T, errs []error) {
	answers, errs = make([]T, len(targets)), make([]error, len(targets))
	var asked sync.WaitGroup
	for i, t := range targets {
		asked.Go(func() { answers[i], errs[i] = ask(t) })
	}
	asked.Wait()
	return answers, errs
}

// fetch returns what the processes say, together. One that does not answer is left out, unless none
// does.
func fetch(ctx context.Context, targets []target) (*metrics.Document, error) {
	found, errs := each(targets, func(t target) (*metrics.Document, error) { return ask(ctx, t) })
	var all *metrics.Document
	first := 0
	for i, d := range found {
		switch {
		case d == nil:
		case all == nil:
			all, first = d, i
		case d.Job != all.Job || d.Program != all.Program || d.Mode != all.Mode || d.Net != all.Net || d.Nodes != all.Nodes:
			return nil, usage.Errorf("%v is of another job than %v: %s, and %s; name the addresses of one job", targets[i], targets[first], identity(d), identity(all))
		default:
			all.Ranks = merge(all.Ranks, d.Ranks)
		}
	}
	if all == nil {
		return nil, errors.Join(errs...)
	}
	return all, nil
}

func identity(d *metrics.Document) string {
	job := ""
	if d.Job != "" {
		job = ", job " + base.Printable(d.Job)
	}
	return fmt.Sprintf("%s in %s mode on %d ranks%s", base.Printable(d.Program), base.Printable(d.Mode), d.Nodes, job)
}

// ask returns the Document of one process.
func ask(ctx context.Context, t target) (*metrics.Document, error) {
	text, err := get(ctx, t, "/ranks", patience)
	if err != nil {
		return nil, err
	}
	var d metrics.Document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("%v answers with no document of a run: %w", t, err)
	}
	if err := d.Check(); err != nil {
		return nil, fmt.Errorf("%v answers with a wrong document: %w", t, err)
	}
	return &d, nil
}

// get returns what a process has at a path.
func get(ctx context.Context, t target, path string, limit time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	host := t.name
	if t.socket != "" {
		host = "process"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+path, nil)
	if err != nil {
		return nil, usage.Wrap(err)
	}
	answer, err := metrics.Client(t.socket).Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, longest))
	if err != nil {
		return nil, err
	}
	said := strings.TrimSpace(string(text))
	switch {
	case answer.StatusCode == http.StatusServiceUnavailable && said == meter.ErrEarly.Error():
		return nil, fmt.Errorf("%v: %w", t, meter.ErrEarly)
	case answer.StatusCode == http.StatusConflict:
		return nil, fmt.Errorf("%v is being profiled already: %.100q: wait up to %v until that has ended, and try again", t, said, metrics.MostProfile)
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%v answers %.40q: %.100q: is it an address of --metrics?", t, answer.Status, said)
	}
	return text, nil
}

// merge returns the states of a, and those of b of other ranks, by rank.
func merge(a, b []meter.State) []meter.State {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y meter.State) int { return cmp.Compare(x.Rank, y.Rank) })
	return slices.CompactFunc(all, func(x, y meter.State) bool { return x.Rank == y.Rank })
}
