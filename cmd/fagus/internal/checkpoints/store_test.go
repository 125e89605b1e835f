package checkpoints

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// kept is the driver of stores that a function opens.
type kept struct{ runflags.StoreOpener }

func (kept) Driver() string        { return "kept" }
func (kept) CheckURL(string) error { return nil }
func (k kept) OpenStore(ctx context.Context, url string) (checkpoint.Store, error) {
	return k.StoreOpener(ctx, url)
}

// runWith runs a command line of a program that opens URLs of one kind.
func runWith(t *testing.T, open runflags.StoreOpener, args ...string) (out string, err error) {
	t.Helper()
	var b strings.Builder
	app := &cli.App{Writer: &b, ErrWriter: &b, Commands: []*cli.Command{Command()}, ExitErrHandler: func(*cli.Context, error) {},
		Metadata: map[string]any{runflags.DriversKey: []cluster.Driver{kept{open}}}}
	err = app.RunContext(t.Context(), append([]string{"fagus", "checkpoint"}, args...))
	return b.String(), err
}

// TestStores: every command takes a URL where it takes a directory, and asks the store for it.
func TestStores(t *testing.T) {
	j := newJob(t)
	for _, state := range []string{"1", "2"} {
		o := j.save(t, state, whole("float64", 8, make([]byte, 64)))
		o.Close()
	}
	const url = "kept://bucket/prefix"
	open := func(_ context.Context, at string) (checkpoint.Store, error) {
		if at != url && at != url+"?endpoint=http://host:9000" {
			return nil, errors.New("opened: " + at)
		}
		return checkpoint.OpenExisting(j.dir)
	}
	file := filepath.Join(t.TempDir(), "a.npy")
	for _, c := range []struct{ args, want string }{
		{"ls " + url, "stored"},
		{"ls " + url + "?endpoint=http://host:9000", "stored"},
		{"ls --json " + url, `"number": 2`},
		{"verify " + url, "2  ok: "},
		{"verify " + url + " 1", "1  ok: "},
		{"export --array a0 --out " + file + " " + url, "array a0 of " + url + ":2: 8 of float64"},
		{"diff " + url + ":1 " + url + ":1?endpoint=http://host:9000", "the checkpoints are equal"},
		{"diff " + url + ":2 " + url + "?endpoint=http://host:9000", "the checkpoints are equal"},
	} {
		if out, err := runWith(t, open, strings.Fields(c.args)...); err != nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %q, %v: want %q", c.args, out, err, c.want)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	for _, args := range []string{"ls other://x", "verify other://x", "export --array a --out " + file + " other://x", "diff other://x:1 other://x:2"} {
		_, err := runWith(t, open, strings.Fields(args)...)
		if err == nil || !usage.Is(err) || !strings.Contains(err.Error(), "no stores of the kind other") {
			t.Errorf("%s: error %v", args, err)
		}
	}
}
