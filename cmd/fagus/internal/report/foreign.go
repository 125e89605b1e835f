package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/fagus/trace/tracefile"
)

// read reads the trace in a file. If the file is of another kind, the error says what reads it.
func read(path string) (*trace.Trace, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if recording.Holds(path) {
			return nil, isRecord(path)
		}
		return nil, usage.Errorf("%s is a directory: want one file that --trace has written", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t, err := tracefile.Read(file)
	if errors.Is(err, tracefile.ErrForeign) {
		if other := otherKind(path, file); other != nil {
			return nil, other
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func isRecord(dir string) error {
	return usage.Errorf("%s is what --record has written: ask it with fagus why %s 'A[17]', fagus show or fagus diff. fagus report reads what --trace has written", dir, dir)
}

// schemaOf finds the schema of a JSON document: in those of fagus it is near the begin.
var schemaOf = regexp.MustCompile(`"schema":\s*"(fagus\.[a-z]+)/v[0-9]+"`)

// otherKind says what a file is that is no trace of fagus; nil if that is not known.
func otherKind(path string, file io.ReadSeeker) error {
	head := make([]byte, 1<<16)
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil
	}
	n, _ := io.ReadFull(file, head)
	head = head[:n]
	text := bytes.TrimLeft(head, " \t\r\n")
	const want = "fagus report reads what --trace has written"
	switch schema := schemaOf.FindSubmatch(head); {
	case n == 0:
		return usage.Errorf("%s is empty: the run has not ended yet, or was killed; %s", path, want)
	case recording.IsFile(head):
		return isRecord(filepath.Dir(path))
	case schema != nil && string(schema[1]) == "fagus.tracereport":
		return usage.Errorf("%s is what fagus report --json has printed: name the trace from which it did", path)
	case schema != nil && string(schema[1]) == "fagus.timeline":
		return usage.Errorf("%s is what --timeline has written: jq reads it, and --timeline FILE.svg draws it; %s", path, want)
	case schema != nil:
		return usage.Errorf("%s is a document of the schema %s, which docs/reference/json.md describes: jq reads it, and fagus compare compares runs; %s", path, base.Printable(string(schema[1])), want)
	case bytes.HasPrefix(text, []byte("{")) || bytes.HasPrefix(text, []byte("[")):
		return usage.Errorf("%s is a JSON document, maybe a trace of another tool: ui.perfetto.dev opens those; %s", path, want)
	case tracefile.IsPerfetto(head):
		return usage.Errorf("%s is a trace of Perfetto, but fagus has not written it: ui.perfetto.dev opens it; %s", path, want)
	}
	return nil
}
