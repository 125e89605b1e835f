package main

import "os"

// checkReadable finds out before ranks are started that a file is missing, say: so it is told once, and not by
// each rank. Pipes and the like are left to who reads them, since opening one may wait.
func checkReadable(paths []string) error {
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
