package cluster

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the digest of the codecs to build.go")

// codecFiles are the files that decide the form of what ranks send to each other.
var codecFiles = []string{
	"consistency/content.go", "consistency/declared.go",
	"dimmnet/live/mesh/endpoint.go", "dimmnet/live/quic/handshake.go", "dimmnet/live/shm/segment.go",
	"dimmnet/live/stream/frame.go", "dimmnet/live/stream/inbox.go", "dimmnet/live/stream/sums.go", "dimmnet/live/tcp/beat.go", "dimmnet/live/tcp/handshake.go",
	"fagus/cluster/batch.go", "fagus/cluster/hello.go", "fagus/cluster/message.go", "fagus/cluster/packets.go", "fagus/cluster/pmi/values.go", "fagus/cluster/stream.go",
	"fagus/locks/memory.go", "fagus/locks/state.go", "fagus/results.go", "fagus/threaded/meeting.go", "fagus/threaded/message.go", "fagus/threaded/sender.go",
	"phase/agreement/pairs/area.go", "phase/agreement/pairs/requests.go", "phase/agreement/tree/bundle.go", "phase/agreement/tree/schedule.go", "phase/agreement/tree/signals.go", "phase/movement/coopcopy.go", "phase/movement/locations.go", "phase/movement/manifest.go", "phase/movement/pushwords.go", "ringbuf/header.go", "ringbuf/layout.go",
	"syncvar/codec.go", "syncvar/inline.go", "syncvar/site.go",
}

// digest returns a digest of Go files without their comments and their layout.
func digest(t *testing.T, files []string) string {
	t.Helper()
	all := sha256.New()
	for _, name := range files {
		var text bytes.Buffer
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join("../..", name), nil, parser.SkipObjectResolution)
		if err == nil {
			err = printer.Fprint(&text, token.NewFileSet(), f)
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(all, "%s %d\n%s", name, text.Len(), &text)
	}
	return fmt.Sprintf("%x", all.Sum(nil))[:16]
}

func TestCodecs(t *testing.T) {
	want := digest(t, codecFiles)
	if *update {
		source, err := os.ReadFile("build.go")
		if err == nil {
			source = regexp.MustCompile(`const codecs = ".*"`).ReplaceAllLiteral(source, fmt.Appendf(nil, "const codecs = %q", want))
			err = os.WriteFile("build.go", source, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	} else if codecs != want {
		t.Errorf("the codecs have changed (digest %s, not %s): run go test ./fagus/cluster -run TestCodecs -update", want, codecs)
	}
	if digest(t, codecFiles[1:]) == want || digest(t, codecFiles) != want {
		t.Error("the digest is not one of the files")
	}
}

func TestVersions(t *testing.T) {
	for want, info := range map[string]*debug.BuildInfo{
		"example.com/app v1.2.3": {Path: "example.com/app", Main: debug.Module{Version: "v1.2.3"}},
		"example.com/app (devel), fagus v1.5.0": {Path: "example.com/app", Main: debug.Module{Version: "(devel)"}, Deps: []*debug.Module{
			{Path: "example.com/other", Version: "v9.0.0"}, {Path: modulePath, Version: "v1.5.0"}}},
		"app , fagus v1.6.0": {Path: "app", Deps: []*debug.Module{{Path: modulePath, Version: "v1.5.0", Replace: &debug.Module{Version: "v1.6.0"}}}},
	} {
		if got := versions(info); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestDetermined checks which versions need a digest of the executable beside them.
func TestDetermined(t *testing.T) {
	app := func(version string, deps ...*debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Deps: deps}
	}
	other := &debug.Module{Path: modulePath, Version: "v1.5.0"}
	for _, tt := range []struct {
		info *debug.BuildInfo
		want bool
	}{
		{app("v1.2.3"), true},
		{app("v1.2.3", other), true},
		{app(""), false},
		{app("(devel)"), false},
		{app("v0.0.0-20261123052244-52b3304aaaaa+dirty", other), false},
		{app("v1.2.3", other, &debug.Module{Path: "example.com/other", Version: "v1.0.0", Replace: &debug.Module{Path: "../other"}}), false},
		{app("v1.2.3", &debug.Module{Path: modulePath, Version: "v1.5.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v1.5.1"}}), true},
	} {
		if got := determined(tt.info); got != tt.want {
			t.Errorf("%+v: %t, want %t", tt.info, got, tt.want)
		}
	}
}

// TestProgramDigest: the Go tool records no version of a test binary, so a digest completes it: of
// the build ID, where there is one.
func TestProgramDigest(t *testing.T) {
	program, _ := Build()
	digest, err := programDigest()
	if err != nil || !strings.HasSuffix(program, ", program "+digest) {
		t.Errorf("%q does not end with the digest %q, %v", program, digest, err)
	}
	self, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	if id := buildID(self); runtime.GOOS == "linux" && !bytes.Contains(id, []byte("/")) {
		t.Errorf("the build ID is %q", id)
	}
	if id := buildID(strings.NewReader("#!/bin/sh")); id != nil {
		t.Errorf("the build ID of a script is %q", id)
	}
}
