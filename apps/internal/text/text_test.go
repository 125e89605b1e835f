package text

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// TestOpen opens files in their usual forms, and packed files that it must refuse.
func TestOpen(t *testing.T) {
	tar := strings.Repeat("x", 257) + "ustar\x0000" + strings.Repeat("y", 300)
	for _, c := range []struct{ name, content, want string }{
		{"plain", "a\nb", "a\nb 3"},
		{"empty", "", " 0"},
		{"one byte", "\x1f", "\x1f 1"},
		{"mark", markUTF8 + "a", "a 1"},
		{"gzip", packed("a\nb"), "a\nb -1"},
		{"mark in gzip", packed(markUTF8 + "a"), "a -1"},
		{"two members", packed("a") + packed("b"), "ab -1"},
		{"large gzip", packed(strings.Repeat("z", 1<<18)), strings.Repeat("z", 1<<18) + " -1"},
		{"cut gzip", packed(strings.Repeat("a", 1000))[:20], "error: decompressing the gzip file: unexpected EOF"},
		{"damaged head", "\x1f\x8b\x00\x00\x00", "error: a gzip file that is damaged"},
		{"no gzip", packed("a") + "rest", "error: decompressing the gzip file: "},
		{"bzip2", "BZh91AY", "error: the file is compressed by bzip2: unpack it with bunzip2"},
		{"xz", "\xfd7zXZ\x00\x00", "error: the file is compressed by xz"},
		{"zstd", "\x28\xb5\x2f\xfd", "error: the file is compressed by zstd"},
		{"zip", "PK\x03\x04", "error: the file is an archive: unpack it with unzip"},
		{"utf-16", "\xff\xfea\x00", "error: the file is in UTF-16: convert it with iconv"},
		{"utf-16, big", "\xfe\xff\x00a", "error: the file is in UTF-16: convert it with iconv"},
		{"tar", tar, "error: the file is an archive: unpack it with tar -xf"},
		{"tar.gz", packed(tar), "error: the file is an archive: unpack it with tar -xf"},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		got := ""
		f, err := Open(path)
		if err == nil {
			var all []byte
			all, err = io.ReadAll(f)
			got = fmt.Sprintf("%s %d", all, f.Size)
			f.Close()
		}
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want && !(err != nil && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: %.100q, want %.100q", c.name, got, c.want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); err == nil || strings.Contains(err.Error(), "none") {
		t.Errorf("a missing file: %v, want an error without the path", err)
	}
}

func TestExt(t *testing.T) {
	for path, want := range map[string]string{"a.mtx": ".mtx", "A.MTX": ".mtx", "b/a.mtx.gz": ".mtx", "a.npy.GZ": ".npy", "a.tar.gz": ".tar", "a.gz": "", "a": "", ".gz": ""} {
		if got := Ext(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// fieldsOf returns the fields of all lines, and the error, in one text.
func fieldsOf(text string) (all string) {
	lines := NewLines(strings.NewReader(text), "#%", ",;")
	for {
		fields, err := lines.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			return all + "error: " + err.Error()
		}
		all += fmt.Sprintf("%d:%s ", lines.Line(), strings.Join(fields, "|"))
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"1 2":                              "1:1|2 ",
		"1 2\n":                            "1:1|2 ",
		"1\t2\r\n3,4\r\n\r\n5;6":           "1:1|2 2:3|4 4:5|6 ",
		"  1 ,  2  \n":                     "1:1|2 ",
		"# a\n\n  % b\n1 2 # first\n3 4%x": "4:1|2 5:3|4 ",
		"#\n#":                             "",
		"1\n" + strings.Repeat("x", 1<<17): "1:1 error: line 2: longer than 65536 bytes",
	} {
		if got := fieldsOf(text); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
	// The longest line, and one that is too long by a byte, with each end that a line may have.
	for _, end := range []string{"", "\n", "\r\n", "\n2\n", "\r\n2\n"} {
		longest := strings.Repeat("x", maxLine)
		if got, _, _ := strings.Cut(fieldsOf(longest+end), " "); got != "1:"+longest {
			t.Errorf("a line of %d bytes before %q: %.40q, want its field", maxLine, end, got)
		}
		if got, want := fieldsOf(longest+"x"+end), "error: line 1: longer than 65536 bytes"; got != want {
			t.Errorf("a line of %d bytes before %q: %.60q, want %q", maxLine+1, end, got, want)
		}
	}
	lines := NewLines(strings.NewReader("1\n2\n"), "#", "")
	for line, want := range []string{"line 1: it", "line 1: it", "line 2: it"} {
		if got := lines.Errorf("it").Error(); got != want {
			t.Errorf("after %d lines the error is %q, want %q", line, got, want)
		}
		_, _ = lines.Text()
	}
}

// FuzzLines: fields have neither blanks nor comments, and comments and line ends change nothing.
func FuzzLines(f *testing.F) {
	for _, text := range []string{"1 2 # x\r\n\n,3;4", "%\n%%", "\xff\xfe\n", "\ufeff1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := fieldsOf(text)
		if !strings.Contains(text, "\r") && len(text) < maxLine/2 {
			if got := fieldsOf(strings.ReplaceAll(text, "\n", " # comment\r\n")); got != want {
				t.Fatalf("%q: %q, with comments %q", text, want, got)
			}
		}
	})
}
