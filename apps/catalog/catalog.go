package catalog

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
)

// Program is an entry of the catalog.
type Program struct {
	Name       string
	About      string     // one line that describes the computation
	VerifiedBy string     // the value or method that the result is compared with
	Examples   string     // command lines for the help text, each after a newline
	Flags      []cli.Flag // the program's own flags, without the flags of every program
	// CheckOut returns an error if the file of the flag --out cannot have the name path. It is
	// nil for a program that writes no file.
	CheckOut func(path string) error
	// Prepare reads the program's flags. The job may still have inputs to read: see Job.Open.
	Prepare func(Flags) (*Job, error)
	Scale   Scale
}

// Flags has the values of a program's flags on a command line.
type Flags struct {
	*cli.Context
	Nodes int    // number of ranks that will run the job
	Seed  uint64 // seed of generated input
}

// Input returns a text for each flag that must be the same in a run that resumes: those of p that
// are not about output, and the seed. There may be more iterations than before.
func (p *Program) Input(f Flags) (all []string) {
	for _, own := range p.Flags {
		name := own.Names()[0]
		if c, ok := own.(cli.CategorizableFlag); name != "iterations" && !(ok && c.GetCategory() == outputCategory) {
			all = append(all, fmt.Sprintf("--%s=%v", name, f.Value(name)))
		}
	}
	return append(all, fmt.Sprintf("--seed=%d", f.Seed))
}

// Programs returns the catalog in the order of display.
func Programs() []Program {
	programs := []Program{
		matmulProgram(), manyProgram(), workqueueProgram(), tspProgram(), sorProgram(), radixProgram(), luProgram(),
		waterProgram(), barnesProgram(),
		kmeansProgram(), pagerankProgram(), conjugateProgram(), mandelbrotProgram(), wordcountProgram(),
		randomProgram(),
	}
	for _, b := range benchmarks() {
		programs = append(programs, b.program())
	}
	for _, k := range kernels() {
		programs = append(programs, k.program())
	}
	scales := scales()
	for i := range programs {
		programs[i].Scale = scales[programs[i].Name]
		prepare := programs[i].Prepare
		programs[i].Prepare = func(f Flags) (*Job, error) {
			j, err := prepare(f)
			if err == nil {
				err = j.CheckMemory(capacity.Free{}, 1) // finds what is impossible anywhere
			}
			return j, err
		}
	}
	return programs
}

const outputCategory = "output"

// outFlag returns the flag --out. Its help text names the content of the file and the formats.
func outFlag(what, formats string) cli.Flag {
	return &cli.StringFlag{Name: "out", Category: outputCategory, Usage: "write " + what + " to `FILE` (" + formats + ")"}
}

func spoilFlag() cli.Flag {
	return &cli.BoolFlag{Name: "spoil", Usage: "make one number wrong, to see that verification finds it"}
}

// under sets the heading of each flag without a heading, and returns the flags.
func under(heading string, flags ...cli.Flag) []cli.Flag {
	for _, f := range flags {
		var category *string
		switch f := f.(type) {
		case *cli.IntFlag:
			category = &f.Category
		case *cli.StringFlag:
			category = &f.Category
		case *cli.Float64Flag:
			category = &f.Category
		case *cli.BoolFlag:
			category = &f.Category
		case *cli.DurationFlag:
			category = &f.Category
		}
		if *category == "" {
			*category = heading
		}
	}
	return flags
}

func (f Flags) options() verify.Options { return verify.Options{Spoil: f.Bool("spoil")} }

// UsageText returns the synopsis and the examples of p for its help text.
func (p *Program) UsageText() string { return "fagus run " + p.Name + " [flags]\n" + p.Examples }

func aligned(call, remark string) string { return fmt.Sprintf("%-50s  %s", call, remark) }
