package identity

import (
	"errors"
	"fmt"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// Command returns the command fagus identity.
func Command() *cli.Command {
	return &cli.Command{
		Name: "identity", Usage: "make the identities by which the ranks of a job on several hosts authenticate each other",
		UsageText: `fagus identity -n N FOLDER

fagus identity -n 4 ids
FAGUS_IDENTITY=$PWD/ids mpirun -n 4 --host a,b -x FAGUS_IDENTITY fagus run matmul --net tcp`,
		Description: "Writes FOLDER/rank-R.pem for every rank, readable by its owner alone. FAGUS_IDENTITY names the\n" +
			"folder, or a file in whose name %r stands for the rank. Anyone with a file can impersonate its\n" +
			"rank and read the traffic of the job: make new files for each job, and delete them after it.\n" +
			"fagus launch --hosts makes its own.",
		Flags: []cli.Flag{&cli.IntFlag{Name: "n", Aliases: []string{"nodes"}, Usage: "number of `RANKS`"}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage.Errorf("want one folder; see 'fagus identity --help'")
			}
			if !c.IsSet("n") {
				return usage.Errorf("-n: want the number of ranks of the job; see 'fagus identity --help'")
			}
			if n := c.Int("n"); n < 1 || n > dimmnet.MaxNodes {
				return usage.Errorf("-n %d: want 1 to %d", n, dimmnet.MaxNodes)
			}
			return writeIdentities(c.Args().First(), c.Int("n"))
		},
	}
}

// writeIdentities makes a folder with size identities. After an error it leaves no identity.
func writeIdentities(folder string, size int) (err error) {
	authority, err := identity.NewAuthority(size)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	var made []string
	defer func() {
		if err != nil {
			for _, path := range made {
				err = errors.Join(err, os.Remove(path))
			}
		}
	}()
	for rank := range size {
		id, err := authority.Issue(dimmnet.Rank(rank))
		if err != nil {
			return err
		}
		path := filepath.Join(folder, cluster.IdentityFile(dimmnet.Rank(rank)))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			return fmt.Errorf("%w: identities are not overwritten, since a job may use them: remove them, or name another folder", err)
		}
		if err != nil {
			return err
		}
		made = append(made, path)
		_, err = f.Write(id.Encode())
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
