package base

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Absent is the text of an fs.ErrNotExist, which has an exit code of its own.
type Absent string

// Error returns the text.
func (e Absent) Error() string { return string(e) }

// Is makes it an fs.ErrNotExist.
func (Absent) Is(target error) bool { return target == fs.ErrNotExist }

// CheckWritable returns an error if the file that a flag names cannot be written. Commands call
// it before a long run. checkName returns an error if the file's name is unsuitable.
func CheckWritable(c *cli.Context, flag string, checkName func(string) error) error {
	if !c.IsSet(flag) {
		return nil
	}
	path := c.String(flag)
	if err := checkName(path); err != nil {
		return usage.Errorf("--%s: %w", flag, err)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return usage.Errorf("--%s %s: not a regular file", flag, path)
	}
	return outfile.CheckFolder(filepath.Dir(path))
}

// CheckReadable returns an error if one of the files cannot be opened. It skips pipes and
// devices, because opening a pipe or device may block.
func CheckReadable(paths []string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// SaveJSON writes document as indented JSON to a file, whole or not at all.
func SaveJSON(path string, document any) error {
	return outfile.Replace(path, func(w io.Writer) error { return PrintJSON(w, document) })
}
