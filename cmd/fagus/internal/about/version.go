package about

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

const versionSchema = "fagus.version/v1"

// version says which build of the command this is. docs/reference/json.md describes its document.
type version struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`            // of the module
	Revision string `json:"revision,omitempty"` // of the repository that the program was built in
	Time     string `json:"time,omitempty"`     // of the revision
	Modified bool   `json:"modified"`           // the files differed from the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Codecs is a digest of the code for messages, which all ranks of a job have in common.
	Codecs string `json:"codecs"`
}

// newVersion returns what the Go tool recorded in a program. info is nil if it recorded nothing.
func newVersion(info *debug.BuildInfo) version {
	_, codecs := cluster.Build()
	v := version{Schema: versionSchema, Version: "(unknown)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Codecs: codecs}
	if info == nil {
		return v
	}
	v.Version = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

func (v *version) String() string {
	revision := v.Revision
	if revision == "" {
		revision = "unknown"
	}
	if v.Time != "" {
		revision += " of " + v.Time
	}
	if v.Modified {
		revision += ", modified"
	}
	return fmt.Sprintf("fagus %s\nrevision  %s\ngo        %s %s\ncodecs    %s\n", v.Version, revision, v.Go, v.Platform, v.Codecs)
}

// PrintVersion prints the version as text, or as JSON if --json is set.
func PrintVersion(c *cli.Context) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = nil
	}
	v := newVersion(info)
	return base.Printf(c, v, "%s", &v)
}
