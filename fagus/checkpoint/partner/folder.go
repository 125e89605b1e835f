package partner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// folder is the memory of a host: it has a directory for each home, named by the home's number.
type folder string

func (f folder) path(home int) string { return filepath.Join(string(f), strconv.Itoa(home)) }

// of returns the objects of a home; fs.ErrNotExist: there is no directory. Only a server makes
// one: a rank that outlives the server would leave a directory that nobody removes.
func (f folder) of(home int) (*checkpoint.Directory, error) {
	return checkpoint.OpenExisting(f.path(home))
}

// homes returns the numbers of all homes with objects in the folder.
func (f folder) homes() (all []int, err error) {
	entries, err := os.ReadDir(string(f))
	for _, e := range entries {
		if home, err := strconv.Atoi(e.Name()); err == nil && e.IsDir() {
			all = append(all, home)
		}
	}
	return all, err
}

// list returns the objects of all homes.
func (f folder) list(ctx context.Context) (all []checkpoint.Object, err error) {
	homes, err := f.homes()
	for _, home := range homes {
		of, opened := f.of(home)
		if opened != nil {
			return nil, opened
		}
		some, listed := of.List(ctx)
		if listed != nil {
			return nil, listed
		}
		all = append(all, some...)
	}
	return unique(all), err
}

// unique returns the objects in the order of their names, each name once.
func unique(all []checkpoint.Object) []checkpoint.Object {
	slices.SortFunc(all, func(a, b checkpoint.Object) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b checkpoint.Object) bool { return a.Name == b.Name })
}

// remove removes an object from all homes.
func (f folder) remove(ctx context.Context, name string) error {
	homes, err := f.homes()
	for _, home := range homes {
		of, opened := f.of(home)
		if opened == nil {
			opened = of.Remove(ctx, name)
		}
		err = errors.Join(err, opened)
	}
	return err
}

// begin prepares the folder for an attempt: it removes the unfinished objects of ranks, and gives
// the objects of lost homes to home.
func (f folder) begin(ctx context.Context, home int, lost []int) error {
	into, err := checkpoint.OpenDirectory(f.path(home))
	if err != nil {
		return err
	}
	homes, err := f.homes()
	for _, of := range homes {
		if err == nil {
			err = f.tidy(ctx, of)
		}
		if err == nil && of != home && slices.Contains(lost, of) {
			err = f.adopt(ctx, of, into)
		}
	}
	return err
}

// tidy removes unfinished objects.
func (f folder) tidy(ctx context.Context, home int) error {
	of, err := f.of(home)
	if err != nil {
		return err
	}
	unlock, err := of.Lock(ctx)
	if err != nil {
		return err
	}
	return unlock()
}

// adopt moves the objects of a lost home. Those that exist already are manifests, which all hosts
// have.
func (f folder) adopt(ctx context.Context, lost int, into *checkpoint.Directory) error {
	from, err := f.of(lost)
	if err != nil {
		return err
	}
	all, err := from.List(ctx)
	if err != nil {
		return err
	}
	for _, o := range all {
		if err := os.Link(filepath.Join(from.String(), o.Name), filepath.Join(into.String(), o.Name)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return os.RemoveAll(from.String())
}

// checkName returns an error unless name can be the name of an object of a Store.
func checkName(name string) error {
	const most = 100
	right := name != "" && len(name) <= most && name[0] != '.' && name[0] != '-'
	for _, c := range []byte(name) {
		right = right && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.')
	}
	if !right || name == "lock" || strings.HasSuffix(name, ".unfinished") {
		return fmt.Errorf("%.100q is no name of an object", name)
	}
	return nil
}

// manifest reports whether an object is a manifest, which every host has.
func manifest(name string) bool { return strings.HasSuffix(name, ".manifest") }
