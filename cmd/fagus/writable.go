package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/urfave/cli/v2"
)

// checkWritable finds out before a long run that the file of a flag cannot be
// written after it.
func checkWritable(c *cli.Context, flag string, checkName func(string) error) error {
	if !c.IsSet(flag) {
		return nil
	}
	path := c.String(flag)
	if err := checkName(path); err != nil {
		return usagef("--%s: %w", flag, err)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return usagef("--%s %s: not a regular file", flag, path)
	}
	return checkFolder(filepath.Dir(path))
}

// checkFolder finds out whether files can be made in dir.
func checkFolder(dir string) error {
	f, err := os.CreateTemp(dir, ".fagus-*")
	if err != nil {
		var errno syscall.Errno
		errors.As(err, &errno)
		return fmt.Errorf("cannot write to folder %s: %w", dir, errno)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
