package pagerank

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/apps/internal/text"
)

// MaxLinks limits the links of a graph, and MaxPages its pages.
const (
	MaxLinks = 1 << 27
	MaxPages = 1 << 26
)

// Link leads from one page to another. Pages are numbered from 0.
type Link struct{ From, To int32 }

// Graph is a set of pages and their links.
type Graph struct {
	// Names has the numbers of the pages in the file, in ascending order. If it is nil pages are
	// named by their own numbers.
	Names []int64
	Pages int
	Links []Link // in the order of the file
}

// Name returns the number of a page in the file.
func (g *Graph) Name(page int) int64 {
	if g.Names == nil {
		return int64(page)
	}
	return g.Names[page]
}

// Validate reports an error if g is too large or inconsistent.
func (g *Graph) Validate() error {
	switch {
	case g.Pages < 1 || g.Pages > MaxPages:
		return fmt.Errorf("pagerank: %d pages: want 1 to %d", g.Pages, MaxPages)
	case len(g.Links) > MaxLinks:
		return fmt.Errorf("pagerank: %d links: want at most %d", len(g.Links), MaxLinks)
	case g.Names != nil && len(g.Names) != g.Pages:
		return fmt.Errorf("pagerank: %d names for %d pages: want one per page", len(g.Names), g.Pages)
	}
	for i, l := range g.Links {
		if l.From < 0 || l.To < 0 || int(max(l.From, l.To)) >= g.Pages {
			return fmt.Errorf("pagerank: link %d from page %d to page %d: the graph has %d pages", i, l.From, l.To, g.Pages)
		}
	}
	return nil
}

// CheckSize returns an error if a graph cannot have so many pages or links.
func CheckSize(pages, links int) error {
	if pages < 1 || pages > MaxPages || links < 0 || links > MaxLinks {
		return fmt.Errorf("pagerank: graph of %d links and %d pages: want 0 to %d links, and 1 to %d pages", links, pages, MaxLinks, MaxPages)
	}
	return nil
}

// Generate returns a random graph in which few pages attract most links, and some have no
// outgoing links. It returns the error of CheckSize.
func Generate(pages, links int, seed uint64) (*Graph, error) {
	if err := CheckSize(pages, links); err != nil {
		return nil, err
	}
	g := &Graph{Pages: pages, Links: make([]Link, links)}
	random := rand.New(rand.NewPCG(seed, 0))
	shuffled := random.Perm(pages) // spreads the pages that attract many links over all blocks
	for i := range g.Links {
		u, v := random.Float64(), random.Float64()
		g.Links[i] = Link{int32(shuffled[int(float64(pages)*v*v)]), int32(shuffled[int(float64(pages)*u*u*u)])}
	}
	return g, nil
}

// Read reads the edge list in the file at path. Errors name the path.
func Read(path string) (*Graph, error) {
	f, err := text.Open(path)
	if err != nil {
		return nil, fmt.Errorf("pagerank: read %s: %w", path, err)
	}
	defer f.Close()
	g, err := Decode(f)
	if err != nil {
		return nil, fmt.Errorf("pagerank: read %s: %w", path, err)
	}
	return g, nil
}

// Decode reads an edge list up to the end of r: two numbers a line, with blanks or a comma between,
// and comments after # or %. Errors name the line.
func Decode(r io.Reader) (*Graph, error) {
	var ends []int64 // of links: from, to, from, to, ...
	lines := text.NewLines(r, "#%", ",")
	for {
		fields, err := lines.Next()
		switch {
		case err == io.EOF && len(ends) == 0:
			return nil, fmt.Errorf("no link in %d lines", lines.Line())
		case err == io.EOF:
			return number(ends)
		case err != nil:
			return nil, err
		case len(fields) != 2:
			return nil, lines.Errorf("%.40q has %d fields: want 2, from and to", strings.Join(fields, " "), len(fields))
		case len(ends) == 2*MaxLinks:
			return nil, lines.Errorf("more than %d links", MaxLinks)
		}
		for _, field := range fields {
			end, err := strconv.ParseInt(field, 10, 64)
			if err != nil || end < 0 {
				return nil, lines.Errorf("page %.40q: want a number from 0 to 2^63-1", field)
			}
			ends = append(ends, end)
		}
	}
}

// number numbers pages from 0 in the order of their names. ends lists two names per link.
func number(ends []int64) (*Graph, error) {
	names := slices.Clone(ends)
	slices.Sort(names)
	names = slices.Clip(slices.Compact(names))
	if len(names) > MaxPages {
		return nil, fmt.Errorf("%d pages: want at most %d", len(names), MaxPages)
	}
	g := &Graph{Names: names, Pages: len(names), Links: make([]Link, len(ends)/2)}
	for i := range g.Links {
		from, _ := slices.BinarySearch(names, ends[2*i])
		to, _ := slices.BinarySearch(names, ends[2*i+1])
		g.Links[i] = Link{int32(from), int32(to)}
	}
	return g, nil
}
