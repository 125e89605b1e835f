package cluster

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// codecs is a digest of the code that reads and writes what ranks send to each other, without its
// comments. TestCodecs compares it with that code; `go test ./fagus/cluster -run TestCodecs
// -update` writes it.
const codecs = "98de8275a3e449c2"

const modulePath = "github.com/fagus-dsm/fagus"

// Build returns what must be the same in all ranks of a job: the version of the program, and a
// digest of the code that reads and writes messages. A version such as "(devel)" or "v1.0.0+dirty"
// does not determine the source; it then ends with a digest of the executable.
func Build() (program, codecsDigest string) { return buildText(), codecs }

func buildText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "a program of unknown version" + programText()
	}
	text := versions(info)
	if !determined(info) {
		text += programText()
	}
	return text
}

// versions returns the name and version of a program, and the version of Fagus in it, as the Go
// tool recorded them. The version of a program built in a repository contains its revision.
func versions(info *debug.BuildInfo) string {
	text := info.Path + " " + info.Main.Version
	for _, m := range info.Deps {
		if m.Path == modulePath {
			if m.Replace != nil {
				m = m.Replace
			}
			text += ", fagus " + m.Version
		}
	}
	return text
}

// determined reports whether the versions of a program's modules determine its source.
func determined(info *debug.BuildInfo) bool {
	open := func(version string) bool {
		return version == "" || version == "(devel)" || strings.HasSuffix(version, "+dirty")
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace // a folder has no version
		}
		if open(m.Version) {
			return false
		}
	}
	return !open(info.Main.Version)
}

func programText() string {
	digest, err := programDigest()
	if err != nil {
		return "" // the program cannot be read; the versions alone are compared
	}
	return ", program " + digest
}

// programDigest returns a digest of the executable of this process.
func programDigest() (string, error) {
	name := "/proc/self/exe" // also if the file has been replaced since the start
	if runtime.GOOS != "linux" {
		var err error
		if name, err = os.Executable(); err != nil {
			return "", fmt.Errorf("cluster: %w", err)
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	defer f.Close()
	all := sha256.New()
	if id := buildID(f); len(id) > 0 {
		_, _ = all.Write(id) // a hash returns no error
	} else if _, err := io.Copy(all, f); err != nil {
		return "", fmt.Errorf("cluster: reading %s: %w", name, err)
	}
	return fmt.Sprintf("%x", all.Sum(nil))[:8], nil
}

// buildID returns the ID that the Go linker derives from the content of an executable, or nil if it
// has none at its begin, as ELF files have it. Reading the ID takes 20 µs; a digest of a whole file
// of 13 MB takes 10 ms.
func buildID(f io.ReaderAt) []byte {
	const notes = 32 << 10 // the Go tool, too, looks for the ID here
	head := make([]byte, notes)
	n, _ := f.ReadAt(head, 0) // a short file has less
	// The note is of the owner "Go" and type 4. In front of the type is the size of the ID.
	at := bytes.Index(head[:n], []byte("\x04\x00\x00\x00Go\x00\x00"))
	if at < 4 {
		return nil
	}
	id := head[at+8 : n]
	size := binary.LittleEndian.Uint32(head[at-4:])
	if uint64(size) > uint64(len(id)) {
		return nil
	}
	// The Go tool writes "action/.../content"; other tools may write a constant.
	if id = id[:size]; bytes.Count(id, []byte("/")) < 3 {
		return nil
	}
	return id
}
