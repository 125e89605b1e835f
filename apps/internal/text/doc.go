// Package text opens the files that programs read, and splits texts into lines and fields.
//
//	f, err := text.Open("links.txt.gz")
//	...
//	lines := text.NewLines(f, "#%", ",")
//	for {
//		fields, err := lines.Next()
//		...
//	}
//
// A file may be compressed by gzip, whatever its name, and may begin with the byte order mark of
// UTF-8. Other compressions, archives and UTF-16 are errors that name the remedy. Lines may end
// with CR LF.
package text
