package travel

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
)

// mostFrames is how many pictures a page has at most.
const mostFrames = 60

//go:embed show.html.tmpl
var pageText string

// page is a page with pictures of an array, one for each of some points.
type page struct {
	Array, Run, Kind string
	Least, Most      string
	Frames           []frame
}

type frame struct {
	Label string
	Data  template.URL
}

// writePage writes a page with a slider through the calls in which all ranks meet, up to a point.
// All pictures have the same colors.
func (r *run) writePage(ctx context.Context, w io.Writer, of *array, columns int, at point) error {
	var colors scale
	err := r.frames(ctx, of, at, func(m *memory, _ string) error {
		colors.add(m)
		return nil
	})
	if err != nil {
		return err
	}
	p := page{Array: base.Printable(of.Name), Run: r.side().String(), Kind: base.Printable(of.Kind), Least: fmt.Sprint(colors.least), Most: fmt.Sprint(colors.most)}
	err = r.frames(ctx, of, at, func(m *memory, label string) error {
		var b bytes.Buffer
		if err := m.picture(&b, columns, colors); err != nil {
			return err
		}
		data := "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
		p.Frames = append(p.Frames, frame{label, template.URL(data)})
		return nil
	})
	if err != nil {
		return err
	}
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// frames calls f with the array at some calls in which all ranks meet, evenly spread, and last at
// the point.
func (r *run) frames(ctx context.Context, of *array, at point, f func(m *memory, label string) error) error {
	c, m, err := r.only(of, at)
	if err != nil {
		return err
	}
	defer c.close()
	stride := (len(r.meetings) + mostFrames - 1) / mostFrames
	for {
		met, err := c.advance(ctx)
		if err != nil {
			return err
		}
		if !met || c.meeting == len(r.meetings) {
			break
		}
		if c.meeting%stride == 0 {
			of := r.meetings[c.meeting-1]
			if err := f(m, fmt.Sprintf("%v, step %d", of, of.step)); err != nil {
				return err
			}
		}
	}
	if err := c.finish(ctx); err != nil {
		return err
	}
	return f(m, at.text)
}
