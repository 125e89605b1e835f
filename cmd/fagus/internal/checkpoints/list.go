package checkpoints

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const listSchema = "fagus.checkpoints/v1"

// listing is the document of fagus checkpoint ls. docs/reference/json.md describes it.
type listing struct {
	Schema      string    `json:"schema"`
	Directory   string    `json:"directory"`
	Checkpoints []summary `json:"checkpoints"`
}

// summary describes a checkpoint. Of a damaged one only some fields are known.
type summary struct {
	Number  uint64          `json:"number"`
	Made    *time.Time      `json:"made,omitempty"`
	Program string          `json:"program,omitempty"`
	Ranks   int             `json:"ranks,omitempty"`
	State   json.RawMessage `json:"state,omitempty"`
	Arrays  []array         `json:"arrays,omitempty"`
	Data    int64           `json:"data_bytes"`    // of arrays
	Stored  int64           `json:"stored_bytes"`  // of the parts of this checkpoint
	Earlier int64           `json:"earlier_bytes"` // of data, in parts of earlier checkpoints
	Damaged string          `json:"damaged,omitempty"`
}

type array struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Bytes int    `json:"bytes"`
	Saved int64  `json:"saved_bytes"` // the others were never saved
}

func list(c *cli.Context) error {
	if c.NArg() != 1 {
		return usage.Errorf("want one directory or URL; see 'fagus checkpoint ls --help'")
	}
	store, numbers, err := choice{dir: c.Args().First()}.find(c)
	if err != nil {
		return err
	}
	l := listing{Schema: listSchema, Directory: store.String(), Checkpoints: []summary{}}
	for _, number := range numbers {
		s, err := summarize(c.Context, store, number)
		if err != nil {
			return err
		}
		if s != nil {
			l.Checkpoints = append(l.Checkpoints, *s)
		}
	}
	return base.PrintText(c, l, l.text)
}

// summarize describes a checkpoint. It returns nil if the job that makes checkpoints has removed it
// meanwhile.
func summarize(ctx context.Context, store checkpoint.Store, number uint64) (*summary, error) {
	s := &summary{Number: number}
	m, err := checkpoint.ReadManifest(ctx, store, number)
	if err == nil {
		s.Made, s.Program, s.Ranks, s.State = &m.Made, m.Program, m.Nodes, m.State
		var o *checkpoint.Snapshot
		if o, err = checkpoint.Open(ctx, store, number); err == nil {
			defer o.Close()
			s.measure(o)
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && removed(ctx, store, number):
		return nil, nil
	case err != nil:
		s.Damaged = reason(err, store, number)
	}
	return s, nil
}

// removed reports whether a checkpoint has no manifest any more. A Keeper removes that first.
func removed(ctx context.Context, store checkpoint.Store, number uint64) bool {
	_, err := checkpoint.ReadManifest(ctx, store, number)
	return errors.Is(err, fs.ErrNotExist)
}

// measure adds up the bytes of a checkpoint.
func (s *summary) measure(o *checkpoint.Snapshot) {
	for _, p := range o.Manifest.Parts {
		s.Stored += p.Bytes
	}
	for i, a := range o.Arrays() {
		saved := int64(0)
		for piece := range o.Pieces(i) {
			saved += int64(piece.Bytes)
			if !o.Own(piece.Part) {
				s.Earlier += int64(piece.Bytes)
			}
		}
		s.Data += saved
		if a.Each() {
			a.Bytes = int(saved)
		}
		s.Arrays = append(s.Arrays, array{a.Name, a.Kind, a.Bytes, saved})
	}
}

func (l *listing) text() string {
	t := base.NewTable(table.Row{"number", "made", "program", "ranks", "state", "arrays", "data", "stored", "earlier", ""}, 1, 4, 6, 7, 8, 9)
	damaged := ""
	for _, s := range l.Checkpoints {
		if s.Damaged == "" {
			t.AppendRow(table.Row{s.Number, madeText(*s.Made), s.madeBy(), s.Ranks, base.Short(string(s.State), 30), len(s.Arrays), bytesText(s.Data), bytesText(s.Stored), bytesText(s.Earlier), ""})
			continue
		}
		row := table.Row{s.Number, "", "", "", "", "", "", "", "", "damaged"}
		if s.Made != nil {
			row[1], row[2], row[3], row[4] = madeText(*s.Made), s.madeBy(), s.Ranks, base.Short(string(s.State), 30)
		}
		t.AppendRow(row)
		damaged += fmt.Sprintf("%d is damaged: %s\n", s.Number, s.Damaged)
	}
	return t.Render() + "\n" + damaged
}

// madeBy returns the name of the program that has made the checkpoint, if it is known.
func (s *summary) madeBy() string {
	if s.Program == "" {
		return ""
	}
	return base.Short(s.Program, 30)
}

// madeText returns a time in the zone of this machine.
func madeText(t time.Time) string { return t.Local().Format(time.DateTime) }
