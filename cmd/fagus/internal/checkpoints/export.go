package checkpoints

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/elements"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/npy"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const (
	// mostMatrix limits the elements of an .mtx file, which are in memory: its order is by column.
	mostMatrix = 1 << 28
	// mostUnsaved limits the bytes that are written although they were never saved. A damaged or
	// hostile manifest could name any number of them.
	mostUnsaved = 1 << 30
)

// exported is an array that is written to a file.
type exported struct {
	*checkpoint.Snapshot
	elements.Elements
	ctx        context.Context
	array      int
	length     int // bytes of the array
	matrix     bool
	rows, cols int // of a matrix
}

func export(c *cli.Context) error {
	ch, err := argument(c)
	if err != nil {
		return err
	}
	out := c.String("out")
	if out == "" {
		return usage.Errorf("--out: want the file to write, .npy or .mtx")
	}
	if err := base.CheckWritable(c, "out", checkName); err != nil {
		return err
	}
	o, err := ch.open(c)
	if err != nil {
		return err
	}
	defer o.Close()
	x, err := newExported(o, c.String("array"), c.String("shape"))
	if err != nil {
		return err
	}
	x.ctx = c.Context
	write := x.writeNPY
	if strings.EqualFold(filepath.Ext(out), ".mtx") {
		write = x.writeMTX
		if err := x.column(); err != nil {
			return err
		}
	}
	err = outfile.Replace(out, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<20)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", out, err)
	}
	_, err = fmt.Fprintf(c.App.Writer, "array %s of %v: %s of %s in %s\n", base.Printable(o.Arrays()[x.array].Name), ch, strings.Join(base.Map(x.shape(), strconv.Itoa), " x "), x.Name, out)
	return err
}

// checkName returns an error if the name of a file does not say its format.
func checkName(path string) error {
	switch ext := filepath.Ext(path); strings.ToLower(ext) {
	case ".npy", ".mtx":
		return nil
	default:
		return fmt.Errorf("%s: extension %q: want .npy (NumPy) or .mtx (Matrix Market)", path, ext)
	}
}

// elementsOf returns what the elements of an array are. The error says why they are no numbers.
func elementsOf(a fagus.SavedArray) (elements.Elements, error) {
	if a.Each() {
		return elements.Elements{}, errors.New("they are bytes that each rank has made for KeepEach: want numbers, bool, or arrays of them")
	}
	return elements.Of(a.Kind, a.Element, a.Bytes)
}

// newExported returns the array with a name, in a shape: "" or RxC.
func newExported(o *checkpoint.Snapshot, name, shape string) (*exported, error) {
	x := &exported{Snapshot: o, array: -1}
	var names []string
	for i, a := range o.Arrays() {
		if a.Name == name {
			x.array = i
		}
		names = append(names, base.Printable(a.Name))
	}
	if x.array < 0 {
		have := base.Short(strings.Join(names, ", "), 200)
		if name == "" {
			return nil, usage.Errorf("--array: want the name of an array: %s", have)
		}
		return nil, usage.Errorf("--array %q: the checkpoint has %s", name, have)
	}
	a := o.Arrays()[x.array]
	var err error
	if x.Elements, err = elementsOf(a); err != nil {
		return nil, usage.Errorf("the elements of array %s cannot be exported: %w", base.Printable(name), err)
	}
	x.length = a.Bytes
	saved := 0
	for piece := range o.Pieces(x.array) {
		saved += piece.Bytes
	}
	if unsaved := a.Bytes - saved; unsaved > mostUnsaved {
		return nil, fmt.Errorf("of the %d bytes of array %s, %d were never saved: that is too much to write as zeros", a.Bytes, base.Printable(name), unsaved)
	}
	return x, x.shapeAs(shape)
}

var shapeText = regexp.MustCompile(`^([0-9]+)[xX]([0-9]+)$`)

// shapeAs makes the array a matrix of RxC elements; "" changes nothing.
func (x *exported) shapeAs(shape string) error {
	if shape == "" {
		return nil
	}
	m := shapeText.FindStringSubmatch(shape)
	if m == nil {
		return usage.Errorf("--shape %q: want rows and columns, such as 64x32", shape)
	}
	rows, errRows := strconv.Atoi(m[1])
	cols, errCols := strconv.Atoi(m[2])
	if total := x.Count * x.Inside; errRows != nil || errCols != nil || rows < 1 || cols < 1 || rows > total || cols != total/rows || total%rows != 0 {
		return usage.Errorf("--shape %s: the array has %d numbers: want rows and columns whose product is that", shape, total)
	}
	x.matrix, x.rows, x.cols = true, rows, cols
	return nil
}

// column makes an array without a shape a matrix with a row for each element.
func (x *exported) column() error {
	if !x.matrix {
		x.matrix, x.rows, x.cols = true, x.Count, x.Inside
	}
	if x.length/x.Number.Bytes > mostMatrix {
		return usage.Errorf("an .mtx file has at most %d elements, and the array has %d: use .npy", mostMatrix, x.length/x.Number.Bytes)
	}
	return nil
}

// shape returns the dimensions of the array in the file.
func (x *exported) shape() []int {
	if x.matrix {
		return []int{x.rows, x.cols}
	}
	return append([]int{x.Count}, x.Dims...)
}

// writeNPY writes an array in C order.
func (x *exported) writeNPY(w *bufio.Writer) error {
	kind := npy.Type{Kind: x.Name[0], Bytes: x.Number.Bytes}      // names begin as NumPy's
	w.Write(npy.Header{Type: kind, Shape: x.shape()}.Append(nil)) // Flush returns errors
	buffer := make([]byte, min(x.length, 1<<20))
	for from := 0; from < x.length; from += len(buffer) {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		some := buffer[:min(len(buffer), x.length-from)]
		if err := x.Read(x.array, from, some); err != nil {
			return err
		}
		w.Write(some)
	}
	return nil
}

// writeMTX writes an array file, column by column.
func (x *exported) writeMTX(w *bufio.Writer) error {
	all := make([]byte, x.length)
	if err := x.Read(x.array, 0, all); err != nil {
		return err
	}
	fmt.Fprintf(w, "%%%%MatrixMarket matrix array %s general\n%d %d\n", x.Field, x.rows, x.cols)
	for j := range x.cols {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		for i := range x.rows {
			v := all[(i*x.cols+j)*x.Number.Bytes:][:x.Number.Bytes]
			if x.Field == "complex" {
				half := elements.Number{Name: "float" + strconv.Itoa(4*x.Number.Bytes), Bytes: x.Number.Bytes / 2}
				fmt.Fprintf(w, "%s %s\n", half.Text(v), half.Text(v[half.Bytes:]))
			} else {
				w.WriteString(x.Text(v) + "\n")
			}
		}
	}
	return nil
}
