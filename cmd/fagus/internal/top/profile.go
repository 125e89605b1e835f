package top

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/pprof/profile"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/metrics"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Profile returns the command fagus profile.
func Profile() *cli.Command {
	return &cli.Command{
		Name: "profile", Usage: "write one CPU profile of all processes of a job that is running",
		UsageText: `fagus profile [flags] [JOB | ADDR...]

fagus profile sor                                              all ranks of the program
fagus profile --seconds 10 --out sor.pb.gz 127.0.0.1:9100-9103  # four ranks, by their addresses
go tool pprof -tags sor.pb.gz                                  time by rank, call and set
go tool pprof -tagfocus call=Acquire -top sor.pb.gz`,
		Description: "JOB is as of fagus top: a process of yours on this host names the addresses of the others. ADDR is\n" +
			"where a process of the job serves metrics (--metrics); 9100-9103 are four ports. Samples have the\n" +
			"labels rank, call (what the rank is in; none: it computes) and set (what it wants or holds).",
		Flags: []cli.Flag{
			&cli.Float64Flag{Name: "seconds", Value: 5, Usage: fmt.Sprintf("how long to profile, up to %v", metrics.MostProfile.Seconds())},
			&cli.StringFlag{Name: "out", Value: "profile.pb.gz", Usage: "the `FILE` to write"},
		},
		Action: func(c *cli.Context) error {
			lasts := c.Float64("seconds")
			if !(lasts > 0 && lasts <= metrics.MostProfile.Seconds()) {
				return usage.Errorf("--seconds %v: want more than 0, up to %v", lasts, metrics.MostProfile.Seconds())
			}
			job, err := read(c.Args().Slice())
			if err != nil {
				return err
			}
			targets, missing, err := job.everywhere(c.Context)
			if err != nil {
				return err
			}
			merged, silent, err := profiles(c.Context, targets, lasts)
			if err != nil {
				return err
			}
			for _, text := range slices.Concat(missing, silent) {
				fmt.Fprintln(c.App.ErrWriter, "left out:", text)
			}
			if err := outfile.Replace(c.String("out"), merged.Write); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.App.Writer, "%s\nwritten: %s\n", clean(times(merged), 0), c.String("out"))
			return err
		},
	}
}

// profiles returns the profiles of all processes as one, and says which have given none. If none
// has, there is an error.
func profiles(ctx context.Context, targets []target, seconds float64) (merged *profile.Profile, silent []string, err error) {
	all, errs := each(targets, func(t target) (*profile.Profile, error) { return oneProfile(ctx, t, seconds) })
	var given []*profile.Profile
	for i, p := range all {
		if errs[i] != nil {
			silent = append(silent, errs[i].Error())
		} else {
			given = append(given, p)
		}
	}
	if len(given) == 0 {
		return nil, nil, errors.Join(errs...)
	}
	merged, err = profile.Merge(given)
	return merged, silent, err
}

func oneProfile(ctx context.Context, t target, seconds float64) (*profile.Profile, error) {
	lasts := time.Duration(seconds * float64(time.Second))
	text, err := get(ctx, t, "/profile?seconds="+strconv.FormatFloat(seconds, 'g', -1, 64), patience+lasts)
	if err != nil {
		return nil, err
	}
	p, err := profile.Parse(bytes.NewReader(text))
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("%v answers with no profile: %w", t, err)
	}
	for _, s := range p.Sample {
		name(s)
	}
	return p, nil
}

// name removes labels of a sample that are not for users, or empty.
func name(s *profile.Sample) {
	delete(s.Label, "fagus rank")
	maps.DeleteFunc(s.Label, func(_ string, values []string) bool { return slices.Equal(values, []string{""}) })
}

// times returns a table of the time of each rank, in the program and in each call.
func times(p *profile.Profile) string {
	at := len(p.SampleType) - 1 // the values are samples and nanoseconds
	ranks, calls := make(map[string]map[string]int64), make(map[string]bool)
	for _, s := range p.Sample {
		rank, call := first(s.Label["rank"], "none"), first(s.Label["call"], "computing")
		if ranks[rank] == nil {
			ranks[rank] = make(map[string]int64)
		}
		ranks[rank][call] += s.Value[at]
		calls[call] = true
	}
	columns := slices.Sorted(maps.Keys(calls))
	header, right := table.Row{"rank"}, []int{1}
	for i, call := range columns {
		header, right = append(header, call), append(right, 2+i)
	}
	t := base.NewTable(header, right...)
	for _, rank := range slices.SortedFunc(maps.Keys(ranks), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }) {
		row := table.Row{rank}
		for _, call := range columns {
			row = append(row, fmt.Sprintf("%.2f s", float64(ranks[rank][call])/1e9))
		}
		t.AppendRow(row)
	}
	return t.Render()
}

func first(values []string, otherwise string) string {
	if len(values) == 0 {
		return otherwise
	}
	return values[0]
}
