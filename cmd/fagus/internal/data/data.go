package data

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Command returns the command fagus data.
func Command() *cli.Command {
	return &cli.Command{
		Name: "data", Usage: "write small input files for the examples of fagus run",
		UsageText: "fagus data [flags] [FOLDER]\n\nfagus data                 into this folder\nfagus data inputs          into a folder, which is created\nfagus data --seed 7 seven  other numbers",
		Description: "A file that exists already with other content is not overwritten: then no file is written, and the\n" +
			"exit code is 1. Equal seeds give equal files.",
		Flags:  []cli.Flag{&cli.Uint64Flag{Name: "seed", Usage: "`SEED` that the files are drawn from"}},
		Action: writeSamples,
	}
}

func writeSamples(c *cli.Context) error {
	folder := "."
	switch c.NArg() {
	case 0:
	case 1:
		folder = c.Args().First()
	default:
		return usage.Errorf("want one folder; see 'fagus data --help'")
	}
	samples := catalog.Samples(c.Uint64("seed"))
	if err := write(folder, samples); err != nil {
		return err
	}
	t := base.NewTable(table.Row{"file", "content", "example"})
	for _, s := range samples {
		t.AppendRow(table.Row{filepath.Join(folder, s.Name), s.What, s.Use})
	}
	_, err := fmt.Fprintln(c.App.Writer, t.Render())
	return err
}

// write writes the samples into folder, all or none.
func write(folder string, samples []catalog.Sample) (err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	aside, err := os.MkdirTemp(folder, ".fagus-data-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(aside)) }()
	for _, s := range samples {
		made := filepath.Join(aside, s.Name)
		if err := s.Write(made); err != nil {
			return err
		}
		if err := compare(filepath.Join(folder, s.Name), made); err != nil {
			return err
		}
	}
	for _, s := range samples {
		if err := os.Rename(filepath.Join(aside, s.Name), filepath.Join(folder, s.Name)); err != nil {
			return err
		}
	}
	return nil
}

// compare returns an error if the file at path exists and differs from the file made.
func compare(path, made string) error {
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	content, err := os.ReadFile(made)
	if err == nil && !bytes.Equal(old, content) {
		err = fmt.Errorf("%s exists with other content: name another folder, or remove it; no file was written", path)
	}
	return err
}
