package checkpoints

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// choice is a checkpoint, or all, of a directory or of a store at a URL.
type choice struct {
	dir    string
	number uint64
	given  bool // otherwise there is no number
}

// argument reads the arguments DIR [NUMBER].
func argument(c *cli.Context) (choice, error) {
	ch := choice{dir: c.Args().First()}
	if c.NArg() < 1 || c.NArg() > 2 || ch.dir == "" {
		return ch, usage.Errorf("want a directory, and the number of a checkpoint in it or none; see '%s --help'", c.Command.HelpName)
	}
	if c.NArg() == 2 {
		number, err := strconv.ParseUint(c.Args().Get(1), 10, 64)
		if err != nil {
			return ch, usage.Errorf("%q: want the number of a checkpoint", c.Args().Get(1))
		}
		ch.number, ch.given = number, true
	}
	return ch, nil
}

// parseChoice reads DIR[:NUMBER]. A directory whose name ends like that comes first. In a URL the
// number is at the end of the path: s3://BUCKET/PREFIX:NUMBER?OPTIONS.
func parseChoice(text string) choice {
	path, url := text, strings.Contains(text, "://")
	if url {
		path, _, _ = strings.Cut(text, "?")
	}
	if i := strings.LastIndexByte(path, ':'); i > max(0, strings.Index(path, "://")) {
		number, err := strconv.ParseUint(path[i+1:], 10, 64)
		if _, is := os.Stat(text); err == nil && (url || is != nil) {
			return choice{path[:i] + text[len(path):], number, true}
		}
	}
	return choice{dir: text}
}

func (ch choice) String() string {
	if !ch.given {
		return base.Printable(ch.dir)
	}
	return fmt.Sprintf("%s:%d", base.Printable(ch.dir), ch.number)
}

// find returns the store, and the numbers of the checkpoints: of all, or of the given one. There is
// at least one.
func (ch choice) find(c *cli.Context) (checkpoint.Store, []uint64, error) {
	store, err := runflags.ExistingStore(cmdline.Line(c), ch.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, base.Absent(fmt.Sprintf("there is no directory %s: name the one that --checkpoint of the run named", base.Printable(ch.dir)))
	}
	if err != nil {
		return nil, nil, err
	}
	all, err := checkpoint.Numbers(c.Context, store)
	switch {
	case err != nil:
		return nil, nil, err
	case len(all) == 0:
		return nil, nil, base.Absent(fmt.Sprintf("%s has no checkpoint: none was finished there; name what --checkpoint of the run named", base.Printable(ch.dir)))
	case !ch.given:
		return store, all, nil
	case !slices.Contains(all, ch.number):
		return nil, nil, usage.Errorf("%s has no checkpoint %d: it has %s", base.Printable(ch.dir), ch.number, numbersText(all))
	}
	return store, []uint64{ch.number}, nil
}

// open opens the given checkpoint, or the newest, and sets ch to it.
func (ch *choice) open(c *cli.Context) (*checkpoint.Snapshot, error) {
	store, numbers, err := ch.find(c)
	if err != nil {
		return nil, err
	}
	ch.number, ch.given = numbers[len(numbers)-1], true
	o, err := checkpoint.Open(c.Context, store, ch.number)
	if err != nil {
		return nil, fmt.Errorf("%w; 'fagus checkpoint verify %s' tells which checkpoints are whole", err, base.Printable(ch.dir))
	}
	return o, nil
}

// reason returns the text of an error about a checkpoint, without the checkpoint's name.
func reason(err error, store checkpoint.Store, number uint64) string {
	text := strings.TrimPrefix(err.Error(), fmt.Sprintf("checkpoint %d in %v: ", number, store))
	return strings.TrimPrefix(text, "checkpoint: ")
}

// numbersText returns numbers as text: all of a few, and of many the first and the last.
func numbersText(all []uint64) string {
	if len(all) > 6 {
		return fmt.Sprintf("%d of %d to %d", len(all), all[0], all[len(all)-1])
	}
	return strings.Join(base.Map(all, func(n uint64) string { return strconv.FormatUint(n, 10) }), ", ")
}

// bytesText returns a number of bytes with a unit.
func bytesText(n int64) string {
	if n < 1<<10 {
		return strconv.FormatInt(n, 10) + " B"
	}
	units, value := "KMGTPE", float64(n)
	i := -1
	for ; value >= 1023.95; i++ {
		value /= 1 << 10
	}
	return fmt.Sprintf("%.1f %ciB", value, units[i])
}
