package travel

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/npy"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// mostShown is how many elements are printed.
const mostShown = 1024

func show(c *cli.Context) error {
	if c.NArg() != 2 {
		return usage.Errorf("want a record and an array, such as rec A; see 'fagus show --help'")
	}
	at, err := parsePoint(c.String("at"))
	if err != nil {
		return err
	}
	columns, err := readColumns(c)
	if err != nil {
		return err
	}
	out := c.String("out")
	if err := base.CheckWritable(c, "out", checkName); err != nil {
		return err
	}
	r, err := openRun(c.Context, c.Args().First())
	if err != nil {
		return err
	}
	of, err := r.array(c.Args().Get(1))
	if err != nil {
		return err
	}
	if err := r.showable(of, out, columns); err != nil {
		return err
	}
	var notes strings.Builder
	printNotes(&notes, r.notes)
	io.WriteString(c.App.ErrWriter, notes.String())
	if extension(out) == ".html" {
		return outfile.Replace(out, func(w io.Writer) error { return r.writePage(c.Context, w, of, columns, at) })
	}
	all, m, err := r.only(of, at)
	if err != nil {
		return err
	}
	defer all.close()
	if err := all.finish(c.Context); err != nil {
		return err
	}
	if out == "" {
		_, err := io.WriteString(c.App.Writer, m.all(columns))
		return err
	}
	return outfile.Replace(out, func(w io.Writer) error {
		if extension(out) == ".npy" {
			return m.write(w, columns)
		}
		var colors scale
		colors.add(m)
		return m.picture(w, columns, colors)
	})
}

// only returns the contents of one array before the run.
func (r *run) only(of *array, until point) (*contents, *memory, error) {
	wanted := func(a *array) bool { return a == of }
	if err := fits(r.need(true, wanted), r.Dir); err != nil {
		return nil, nil, err
	}
	c, err := r.newContents(until, true, wanted)
	if err != nil {
		return nil, nil, err
	}
	return c, c.memory(of.Name), nil
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// isPicture reports whether the extension of a file is that of pictures.
func isPicture(path string) bool { return extension(path) == ".png" || extension(path) == ".html" }

// checkName returns an error if the name of a file does not say its format.
func checkName(path string) error {
	if extension(path) == ".npy" || isPicture(path) {
		return nil
	}
	return fmt.Errorf("%s: extension %q: want .npy (NumPy), .png (a picture) or .html (pictures)", path, filepath.Ext(path))
}

// showable returns an error if an array cannot be shown so.
func (r *run) showable(of *array, out string, columns int) error {
	switch {
	case !r.Values:
		return usage.Errorf("%s has no values: record the run with --record-values; fagus why and fagus diff work without", r.Dir)
	case columns > 0 && of.length()%columns != 0:
		return usage.Errorf("--%s %d: array %s has %d elements, which are no whole rows", columnsFlagName, columns, base.Printable(of.Name), of.length())
	case out == "" && of.length() > mostShown:
		return usage.Errorf("array %s has %d elements, and up to %d are printed: write it to a file by --out FILE.npy or, with --%s, FILE.png", base.Printable(of.Name), of.length(), mostShown, columnsFlagName)
	case out != "" && of.numbers == nil:
		return usage.Errorf("array %s: %s: want numbers, bool, or arrays of them", base.Printable(of.Name), base.Printable(of.Kind))
	case isPicture(out) && (columns == 0 || len(of.numbers.Dims) > 0):
		return usage.Errorf("%s: a picture is of numbers in rows: give the length of a row by --%s", out, columnsFlagName)
	case isPicture(out) && (columns > mostPixels || of.length()/columns > mostPixels):
		return usage.Errorf("%s: a picture has at most %d rows and columns: use .npy", out, mostPixels)
	}
	return nil
}

// all returns the elements as text.
func (m *memory) all(columns int) string {
	if columns == 0 {
		columns = 8
	}
	var b strings.Builder
	for i := range m.length() {
		b.WriteString(m.value(i))
		if (i+1)%columns == 0 || i == m.length()-1 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// write writes the array in the format of NumPy.
func (m *memory) write(w io.Writer, columns int) error {
	n := m.numbers
	shape := []int{m.length()}
	if columns > 0 {
		shape = []int{m.length() / columns, columns}
	}
	kind := npy.Type{Kind: n.Name[0], Bytes: n.Number.Bytes} // names begin as NumPy's
	b := bufio.NewWriter(w)                                  // Flush returns errors
	b.Write(npy.Header{Type: kind, Shape: append(shape, n.Dims...)}.Append(nil))
	b.Write(m.bytes)
	return b.Flush()
}
