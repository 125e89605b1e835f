package about

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
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
