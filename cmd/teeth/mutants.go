package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// core returns the packages to change, each with the packages to test: first the package itself.
func core() map[string][]string {
	return map[string][]string{
		"syncvar":     {"syncvar", "fagus/threaded", "phase", "fagus"},
		"consistency": {"consistency", "phase", "fagus/threaded", "fagus"},
		"ringbuf":     {"ringbuf", "phase", "fagus/threaded", "fagus"},
		"phase":       {"phase", "fagus"},
	}
}

// live returns the packages of the live networks and of their jobs, likewise. The launcher is not
// among them: it kills groups of processes, with a random change perhaps the wrong ones.
func live() map[string][]string {
	ports := []string{"dimmnet/live/shm", "dimmnet/live/inproc"}
	streams := []string{"dimmnet/live/stream", "dimmnet/live/tcp", "dimmnet/live/quic"}
	return map[string][]string{
		"dimmnet/live/memory": append([]string{"dimmnet/live/memory"}, ports...),
		"dimmnet/live/local":  append(ports, streams...), // it has no tests of its own
		"dimmnet/live/inproc": {"dimmnet/live/inproc", "fagus"},
		"dimmnet/live/shm":    {"dimmnet/live/shm", "fagus/cluster"},
		"dimmnet/live/stream": streams,
		"dimmnet/live/tcp":    {"dimmnet/live/tcp", "fagus/cluster"},
		"dimmnet/live/quic":   {"dimmnet/live/quic", "fagus/cluster"},
		"dimmnet/live/mesh":   {"dimmnet/live/mesh", "dimmnet/live/tcp", "dimmnet/live/quic"},
		"fagus/cluster":       {"fagus/cluster", "fagus/cluster/launch"},
		"fagus/cluster/pmi":   {"fagus/cluster/pmi", "fagus/cluster"},
	}
}

// changed returns the packages of both.
func changed() map[string][]string {
	all := core()
	maps.Copy(all, live())
	return all
}

type mutant struct {
	File    string  `json:"file"`
	Line    int     `json:"line"`
	Change  string  `json:"change"`
	Outcome outcome `json:"outcome"`
	By      string  `json:"by,omitempty"` // the package whose tests failed
}

func sample(root string, packages []string, count int, seed uint64) (picked []change, err error) {
	var all []change
	for _, pkg := range packages {
		list, err := changesOf(root, pkg)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if count > 0 && count < len(all) {
		all = all[:count]
	}
	return all, nil
}

func (b *bench) tryAll(ctx context.Context, changes []change, progress io.Writer) (list []mutant, err error) {
	for i := range changes {
		c := &changes[i]
		pkg := c.file[:strings.LastIndexByte(c.file, '/')]
		o, by, err := b.try(ctx, c, changed()[pkg])
		if err != nil {
			return nil, err
		}
		if _, err := fmt.Fprintf(progress, "%d of %d: %s:%d %s: %s %s\n", i+1, len(changes), c.file, c.line, c.what, o, by); err != nil {
			return nil, err
		}
		list = append(list, mutant{c.file, c.line, c.what, o, by})
	}
	return list, nil
}

func rate(list []mutant) float64 {
	built, dead := 0, 0
	for _, m := range list {
		if m.Outcome != unbuilt {
			built++
		}
		if m.Outcome == killed {
			dead++
		}
	}
	if built == 0 {
		return 0
	}
	return 100 * float64(dead) / float64(built)
}

func mutantsTable(list []mutant, markdown bool) string {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"package", "tried", "killed", "survived", "do not compile", "killed %"})
	byPackage := make(map[string][]mutant)
	for _, m := range list {
		pkg := m.File[:strings.LastIndexByte(m.File, '/')]
		byPackage[pkg] = append(byPackage[pkg], m)
	}
	row := func(name string, list []mutant) table.Row {
		counts := make(map[outcome]int)
		for _, m := range list {
			counts[m.Outcome]++
		}
		return table.Row{name, counts[killed] + counts[survived], counts[killed], counts[survived], counts[unbuilt], fmt.Sprintf("%.1f", rate(list))}
	}
	names := make([]string, 0, len(byPackage))
	for name := range byPackage {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.AppendRow(row(name, byPackage[name]))
	}
	t.AppendFooter(row("all", list))
	text := render(t, markdown)
	for _, m := range list {
		if m.Outcome == survived {
			text += fmt.Sprintf("survived: %s:%d %s\n", m.File, m.Line, m.Change)
		}
	}
	return text
}
