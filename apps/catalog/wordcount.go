package catalog

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/wordcount"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func wordcountProgram() Program {
	return Program{Name: "wordcount", About: "how often each word of a text occurs, by a table that ranks merge into", VerifiedBy: "the sorted words, by one rank alone",
		Examples: `
fagus run wordcount                                 100000 generated words on 2 simulated nodes
fagus run wordcount --words 10000000 --net shm
fagus run wordcount --in text.txt --top 20          the most frequent words of a file: see fagus data`,
		Flags: under("the text",
			&cli.IntFlag{Name: "words", Value: 100000, Usage: "generate `N` words"},
			&cli.IntFlag{Name: "vocabulary", Value: 10000, Usage: "choose among `N` different words"},
			&cli.StringFlag{Name: "in", Usage: "read the text from `FILE`"},
			&cli.IntFlag{Name: "top", Category: outputCategory, Value: 5, Usage: "print the `N` most frequent words"},
			spoilFlag(),
		),
		Prepare: prepareWordcount,
	}
}

func prepareWordcount(f Flags) (*Job, error) {
	cfg := wordcount.Config{
		Words: f.Int("words"), Vocabulary: f.Int("vocabulary"), Seed: f.Seed, Top: f.Int("top"), Options: f.options(),
	}
	path := f.String("in")
	if path == "" {
		return wordcountJob(cfg)
	}
	if f.IsSet("words") || f.IsSet("vocabulary") {
		return nil, usage.Errorf("--words and --vocabulary are of a generated text: use them without --in")
	}
	j := &Job{Inputs: []string{path}}
	j.Open = func(ctx context.Context) (err error) {
		if cfg.Text, err = readInput(ctx, path, wordcount.Read); err != nil {
			return err
		}
		opened, err := wordcountJob(cfg)
		if err == nil {
			*j = *opened
		}
		return err
	}
	return j, nil
}

func wordcountJob(cfg wordcount.Config) (*Job, error) {
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	j := &Job{App: "wordcount", N: len(cfg.Text), Size: fmt.Sprintf("text of %d bytes", len(cfg.Text)), Measured: "counting, of the slowest rank", Unit: "words"}
	if cfg.Text == nil {
		j.Memory = func(n int) int { return capacity.Product(3, n) } // a syllable and a blank
		j.N, j.Units, j.Size = cfg.Words, cfg.Words, fmt.Sprintf("%d words of a vocabulary of %d", cfg.Words, cfg.Vocabulary)
	}
	return jobOf(code[wordcount.Config, verify.Result]{
		config: cfg, progress: func(c *wordcount.Config) *func(int) { return &c.Progress }, run: wordcount.Run, plain: infallible(wordcount.Plain),
		outcome: verified("error of the counts"),
	}, j), nil
}
