package report

import (
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/trace/analysis"
)

// Command returns the command fagus report.
func Command() *cli.Command {
	return &cli.Command{
		Name: "report", Usage: "say why a run was slow, and what changes of the program would save, from its trace",
		UsageText: `fagus report [flags] TRACE

fagus run sor --nodes 4 --trace sor.trace     records what every rank does
fagus report sor.trace                        says where the time has gone
fagus report sor.trace --html sor.html        as a page, with pictures and tables
fagus report sor.trace --json | jq .advice`,
		ArgsUsage: "TRACE",
		Description: "The text says where the time of all ranks went, what the critical path of the run is, and what\n" +
			"would save most: each saving is predicted by a model that makes the calls of the trace again, with one\n" +
			"thing changed. The page also has the timeline, the communication matrix, variables and source lines.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: htmlName, Category: base.OutputCategory, Usage: "write one page that loads no other file to `FILE`"},
			base.JSONFlag(schema),
		},
		Action: report,
	}
}

const htmlName = "html"

func report(c *cli.Context) error {
	if c.NArg() != 1 {
		return usage.Errorf("want one file that --trace has written; see 'fagus report --help'")
	}
	page := c.String(htmlName)
	if c.IsSet(htmlName) {
		if page == "" {
			return usage.Errorf("--html \"\": want the name of a file")
		}
		if err := outfile.CheckFolder(filepath.Dir(page)); err != nil {
			return err
		}
	}
	path := c.Args().First()
	t, err := read(path)
	if err != nil {
		return err
	}
	if of, err := os.Stat(path); err == nil {
		if other, err := os.Stat(page); err == nil && os.SameFile(of, other) {
			return usage.Errorf("--html %s is the trace: name another file", page)
		}
	}
	r := analysis.Of(t)
	if page != "" {
		if err := outfile.Replace(page, func(w io.Writer) error { return writePage(w, r) }); err != nil {
			return err
		}
	}
	return base.PrintText(c, newDocument(r), func() string { return text(r) })
}
