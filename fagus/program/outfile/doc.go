// Package outfile writes output files. A file is replaced as a whole or not at all. A program can
// check before it starts to compute that its output file can be written.
//
//	if err := outfile.CheckFolder(filepath.Dir(path)); err != nil {
//		return err
//	}
//	...
//	err := outfile.Replace(path, func(w io.Writer) error { ... })
package outfile
