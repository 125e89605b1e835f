package base

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// PrintJSON prints document as indented JSON.
func PrintJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// PrintText prints the document as JSON if --json is set, and what text returns otherwise.
func PrintText(c *cli.Context, document any, text func() string) error {
	if c.Bool("json") {
		return PrintJSON(c.App.Writer, document)
	}
	_, err := io.WriteString(c.App.Writer, text())
	return err
}

// Printf prints the document as JSON if --json is set, and the formatted text otherwise.
func Printf(c *cli.Context, document any, format string, args ...any) error {
	return PrintText(c, document, func() string { return fmt.Sprintf(format, args...) })
}

// NewTable returns an empty table. Columns listed in right, counted from 1, are right-aligned.
func NewTable(header table.Row, right ...int) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options.DrawBorder = false
	t.Style().Options.SeparateColumns = false
	t.Style().Format.Header = text.FormatDefault
	t.Style().Format.Footer = text.FormatDefault
	var configs []table.ColumnConfig
	for _, n := range right {
		configs = append(configs, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	return t
}

// Count returns "1 call", "2 calls" and so on.
func Count[T int | uint64](n T, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Nanoseconds returns ns nanoseconds as a Time, whose String method adds a unit.
func Nanoseconds(ns int64) dimmnet.Time { return dimmnet.Time(ns) * dimmnet.Nanosecond }

// Printable returns a text from a file, quoted if it has other than printable characters.
func Printable(text string) string {
	if text == "" || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// Short returns at most most characters of a printable text.
func Short(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	return Printable(text)
}
