// Package cmdline adds to urfave/cli what its parser lacks. Flags may stand before or after the
// names of commands and their arguments, `help` is understood before any command, and the error of
// an unknown name has the likely one. The package also prints a tree of commands as a page, as a
// manual page and as completions.
//
//	tree := cmdline.New(app, "launch")
//	args, err := tree.Arrange(os.Args[1:])
//	...
//	err = app.RunContext(ctx, append(os.Args[:1], args...))
//
// The package only rearranges words: urfave/cli parses the values of flags afterwards. Shells ask
// the command itself for completions (Tree.Complete). The library's own script would evaluate the
// line that is being typed, and knows no flags before a command.
//
// The package is for the commands of this repository and for package program: its API may change
// with any of them.
package cmdline
