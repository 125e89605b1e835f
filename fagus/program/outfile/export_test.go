package outfile

// Nameless reports whether files in a folder may have no name.
func Nameless(folder string) bool {
	f := nameless(folder)
	return f != nil && f.Close() == nil
}
