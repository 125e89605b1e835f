package pagerank_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/pagerank"
	"github.com/fagus-dsm/fagus/fagus"
)

func config(g *pagerank.Graph) pagerank.Config {
	return pagerank.Config{Graph: g, Damping: 0.85, Tolerance: 1e-10, Iterations: 200, Top: 5}
}

func generated(t *testing.T, pages, links int) *pagerank.Graph {
	t.Helper()
	g, err := pagerank.Generate(pages, links, 7)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestEverywhere checks that runs pass, with the bits of the program without Fagus.
func TestEverywhere(t *testing.T) {
	cfg := config(generated(t, 300, 1500))
	cfg.Damping, cfg.Tolerance = 0.5, 1e-8 // few iterations
	want := pagerank.Plain(cfg, apptest.Timer)
	apptest.Everywhere(t, func(on fagus.Config) { apptest.Same(t, pagerank.Run, on, cfg, want) })
}

// TestClosedForm ranks a graph in which pages 1 and 2 link to 30, which has no links. With rank x
// of pages 1 and 2 and rank y of page 30: x = (0.15 + 0.85y)/3 and y = x + 2*0.85x, so x = 1/4.7
// and y = 2.7/4.7.
func TestClosedForm(t *testing.T) {
	g, err := pagerank.Decode(strings.NewReader("# a comment\r\n1\t30\n\n 2 30 \n"))
	if err != nil {
		t.Fatal(err)
	}
	// One of the nodes has no page.
	r := apptest.First(t, pagerank.Run, fagus.Config{Nodes: 4}, config(g))
	want := []string{"page 30: 0.5744680", "page 1: 0.212765957", "page 2: 0.212765957"}
	for i, line := range want {
		if r.Excess() > 1 || !strings.HasPrefix(r.Lines[i], line) {
			t.Errorf("line %q, checks %v: want %q", r.Lines[i], r.Checks, line)
		}
	}
}

// TestSpoiled checks that verification finds a wrong rank, and too few iterations.
func TestSpoiled(t *testing.T) {
	wrong, few := config(generated(t, 50, 300)), config(generated(t, 50, 300))
	wrong.Spoil, few.Iterations = true, 3
	for what, cfg := range map[string]pagerank.Config{"spoiled": wrong, "3 iterations": few} {
		if r := apptest.First(t, pagerank.Run, fagus.Config{Nodes: 3}, cfg); r.Excess() <= 1 {
			t.Errorf("%s: verification passes: %v", what, r.Checks)
		}
		if r := pagerank.Plain(cfg, apptest.Timer); r.Excess() <= 1 {
			t.Errorf("%s, without Fagus: verification passes: %v", what, r.Checks)
		}
	}
}

// TestMistakes checks that invalid configurations are rejected.
func TestMistakes(t *testing.T) {
	for what, change := range map[string]func(*pagerank.Config){
		"no graph": func(c *pagerank.Config) { c.Graph = nil },
		"no page":  func(c *pagerank.Config) { c.Graph = &pagerank.Graph{} },
		"no such page": func(c *pagerank.Config) {
			c.Graph = &pagerank.Graph{Pages: 1, Links: []pagerank.Link{{From: 0, To: 1}}}
		},
		"full damping":  func(c *pagerank.Config) { c.Damping = 1 },
		"no tolerance":  func(c *pagerank.Config) { c.Tolerance = 0 },
		"no iterations": func(c *pagerank.Config) { c.Iterations = 0 },
	} {
		bad := config(generated(t, 5, 9))
		change(&bad)
		if bad.Validate() == nil {
			t.Errorf("%s: Validate returns no error", what)
		}
	}
	if _, err := pagerank.Generate(0, 1, 0); err == nil {
		t.Error("graph without pages: no error")
	}
}

// TestFileForms reads one graph from files in the forms that edge lists have.
func TestFileForms(t *testing.T) {
	for _, text := range []string{
		"1 2\n2 1\n", "1\t2\r\n2\t1", "# c\n1 2 # first\n\n 2  1\n# end", "% c\n1,2\n2, 1 % last\n", "01 +2\n2 1\n",
	} {
		g, err := pagerank.Decode(strings.NewReader(text))
		if err != nil || len(g.Links) != 2 || g.Pages != 2 || g.Name(0) != 1 || g.Links[1] != (pagerank.Link{From: 1, To: 0}) {
			t.Errorf("%q: %+v, %v", text, g, err)
		}
	}
}

// TestFileMistakes checks that errors in files name the line.
func TestFileMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "no link in 0 lines",
		"# nothing\n":                         "no link in 1 lines",
		"1 2\n3\n":                            "line 2",
		"1 2 3\n":                             "line 1",
		"1 2\n\n-1 2\n":                       "line 3",
		"1 2\n1 x\n":                          "line 2",
		"1 9223372036854775808\n":             "line 1",
		"1 2\n#" + strings.Repeat("x", 1<<17): "line 2: longer",
	} {
		if _, err := pagerank.Decode(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("edge list %.20q: error %v, want %s", text, err, want)
		}
	}
}

// FuzzDecode checks that any input is a valid graph or an error.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("# from to\n0 1\n1 0\n"))
	f.Add([]byte("5\t5\r\n7 9223372036854775807"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := pagerank.Decode(strings.NewReader(string(text)))
		if err != nil {
			return
		}
		if err := g.Validate(); err != nil || !slices.IsSorted(g.Names) {
			t.Errorf("Validate: %v, names %d: want a valid graph with sorted names", err, g.Names)
		}
	})
}
