package about

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Commands returns the commands about the command whose tree is that of tree.
func Commands(tree func() *cmdline.Tree) []*cli.Command {
	return []*cli.Command{
		{
			Name: "help", Usage: "print what a command does, its flags and examples",
			UsageText: "fagus help [COMMAND]\n\nfagus help run\nfagus help run matmul",
		},
		{
			Name: "version", Usage: "print the version, the revision, and what the ranks of a job must have in common",
			UsageText: "fagus version [--json]\n\nfagus version\nfagus version --json",
			Flags:     []cli.Flag{base.JSONFlag(versionSchema)},
			Action:    base.NoArgs(PrintVersion),
		},
		{
			Name: "completion", Usage: "print a script by which a shell completes commands and flags",
			UsageText: "fagus completion SHELL\n\n" +
				"source <(fagus completion bash)                 now, in this shell\n" +
				"fagus completion bash >completion.bash          a file to source in ~/.bashrc\n" +
				"fagus completion zsh >_fagus                    for a folder of $fpath\n" +
				"fagus completion fish >fagus.fish               for ~/.config/fish/completions",
			Description: "SHELL is bash, zsh or fish.",
			Action:      func(c *cli.Context) error { return printCompletion(c, tree()) },
		},
		{
			Name: "man", Usage: "print the manual page of all commands",
			UsageText: "fagus man\n\nfagus man >fagus.1                    for a folder man1 of $MANPATH\nfagus man | man -l -                 read it at once",
			Action: base.NoArgs(func(c *cli.Context) error {
				_, err := io.WriteString(c.App.Writer, tree().Man())
				return err
			}),
		},
		{Name: cmdline.CompleteName, Usage: "complete a command line for a shell", Hidden: true, Action: func(c *cli.Context) error {
			for _, found := range tree().Complete(c.Args().Slice()) {
				if _, err := fmt.Fprintf(c.App.Writer, "%s\t%s\n", found.Word, found.About); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

func printCompletion(c *cli.Context, tree *cmdline.Tree) error {
	if c.NArg() != 1 {
		return usage.Errorf("want one shell: bash, zsh or fish; see 'fagus completion --help'")
	}
	text, err := tree.Completion(c.Args().First())
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.App.Writer, text)
	return err
}

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
