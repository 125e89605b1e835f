package text

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is an open file, decompressed and without a byte order mark.
type File struct {
	io.Reader
	// Size is the number of bytes; -1 if it is not known before they are read.
	Size int64

	file *os.File
}

// Open opens the file at path. Errors do not name the path.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, WithoutPath(err)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, WithoutPath(err)
	}
	f := &File{Size: -1, file: file}
	if info.Mode().IsRegular() {
		f.Size = info.Size()
	}
	if err := f.decode(file); err != nil {
		file.Close()
		return nil, WithoutPath(err)
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

const markUTF8 = "\ufeff"

// decode makes f the content of r.
func (f *File) decode(r io.Reader) error {
	plain := bufio.NewReaderSize(r, 1<<16)
	if begin, _ := plain.Peek(2); string(begin) == "\x1f\x8b" { // plain returns the error
		z, err := gzip.NewReader(plain)
		if err != nil {
			return fmt.Errorf("a gzip file that is damaged: %w", err)
		}
		f.Size = -1
		plain = bufio.NewReaderSize(named{z}, 1<<16)
	}
	f.Reader = plain
	begin, _ := plain.Peek(262)
	if err := foreign(begin); err != nil {
		return err
	}
	if bytes.HasPrefix(begin, []byte(markUTF8)) {
		plain.Discard(len(markUTF8)) // they are in the buffer
		f.Size -= min(f.Size+1, int64(len(markUTF8)))
	}
	return nil
}

// named says in errors of a decompression what was decompressed.
type named struct{ r io.Reader }

func (n named) Read(p []byte) (int, error) {
	read, err := n.r.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("decompressing the gzip file: %w", err)
	}
	return read, err
}

// foreign returns an error if a file that begins like this is packed by another program than gzip.
func foreign(begin []byte) error {
	for _, c := range []struct{ magic, what string }{
		{"BZh", "compressed by bzip2: unpack it with bunzip2"},
		{"\xfd7zXZ\x00", "compressed by xz: unpack it with unxz"},
		{"\x28\xb5\x2f\xfd", "compressed by zstd: unpack it with unzstd"},
		{"PK\x03\x04", "an archive: unpack it with unzip, and name the file in it"},
		{"\xff\xfe", "in UTF-16: convert it with iconv -f UTF-16 -t UTF-8"},
		{"\xfe\xff", "in UTF-16: convert it with iconv -f UTF-16 -t UTF-8"},
	} {
		if bytes.HasPrefix(begin, []byte(c.magic)) {
			return errors.New("the file is " + c.what)
		}
	}
	if len(begin) == 262 && string(begin[257:]) == "ustar" {
		return errors.New("the file is an archive: unpack it with tar -xf, and name the file in it (SuiteSparse's .tar.gz hold the .mtx file in a folder)")
	}
	return nil
}

// Ext returns the extension of a name in lower case, without the extension of gzip: .mtx for
// A.MTX.gz.
func Ext(path string) string {
	ext := strings.ToLower(filepath.Ext(path))
	if ext == ".gz" {
		ext = strings.ToLower(filepath.Ext(path[:len(path)-len(ext)]))
	}
	return ext
}

// WithoutPath drops the path from an error of package os whose caller names it anyway.
func WithoutPath(err error) error {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	return err
}
