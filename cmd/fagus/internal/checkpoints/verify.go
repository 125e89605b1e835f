package checkpoints

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

const verifySchema = "fagus.checkpointverify/v1"

// mostWrong is how many wrong pieces of a checkpoint are reported in words.
const mostWrong = 8

// verification is the document of fagus checkpoint verify. docs/reference/json.md describes it.
type verification struct {
	Schema      string    `json:"schema"`
	Directory   string    `json:"directory"`
	Whole       bool      `json:"whole"` // all are
	Checkpoints []verdict `json:"checkpoints"`
}

type verdict struct {
	Number uint64   `json:"number"`
	Whole  bool     `json:"whole"`
	Bytes  int64    `json:"bytes"`           // that were read
	Wrong  []string `json:"wrong,omitempty"` // at most mostWrong
	// WrongPieces is how many pieces are wrong. It is 0 if the checkpoint cannot be opened.
	WrongPieces int `json:"wrong_pieces"`
}

func verify(c *cli.Context) error {
	ch, err := argument(c)
	if err != nil {
		return err
	}
	store, numbers, err := ch.find(c)
	if err != nil {
		return err
	}
	v := verification{Schema: verifySchema, Directory: store.String(), Whole: true, Checkpoints: []verdict{}}
	for _, number := range numbers {
		verdict, err := examine(c.Context, store, number, c.App.ErrWriter)
		switch {
		case err != nil:
			return err
		case !verdict.Whole && removed(c.Context, store, number):
			continue // by the job that makes checkpoints
		}
		v.Checkpoints = append(v.Checkpoints, verdict)
		v.Whole = v.Whole && verdict.Whole
	}
	if len(v.Checkpoints) == 0 {
		return base.Absent("the job that makes checkpoints here has removed what was there: try again")
	}
	if err := base.PrintText(c, v, v.text); err != nil {
		return err
	}
	return v.conclude(ch.given)
}

// examine reads all of a checkpoint. The error is that of ctx; what is wrong is in the verdict.
func examine(ctx context.Context, store checkpoint.Store, number uint64, stderr io.Writer) (verdict, error) {
	v := verdict{Number: number}
	o, err := checkpoint.Open(ctx, store, number)
	if err != nil {
		v.Wrong = []string{reason(err, store, number)}
		return v, ctx.Err()
	}
	defer o.Close()
	pieces := 0
	for i := range o.Arrays() {
		for range o.Pieces(i) {
			pieces++
		}
	}
	bar := base.NewProgress(stderr, fmt.Sprintf("checkpoint %d: pieces", number), pieces)
	defer bar.Stop()
	buffer := make([]byte, 1<<20) // no piece is longer
	for i := range o.Arrays() {
		for piece := range o.Pieces(i) {
			if err := ctx.Err(); err != nil {
				return v, err
			}
			if err := o.Read(i, piece.Offset, buffer[:piece.Bytes]); err != nil {
				if v.WrongPieces++; v.WrongPieces <= mostWrong {
					v.Wrong = append(v.Wrong, err.Error())
				}
			}
			v.Bytes += int64(piece.Bytes)
			bar.Add(1)
		}
	}
	v.Whole = v.WrongPieces == 0
	return v, nil
}

func (v *verification) text() (text string) {
	for _, c := range v.Checkpoints {
		if c.Whole {
			text += fmt.Sprintf("%d  ok: %s read\n", c.Number, bytesText(c.Bytes))
		}
		for _, wrong := range c.Wrong {
			text += fmt.Sprintf("%d  damaged: %s\n", c.Number, wrong)
		}
		if more := c.WrongPieces - len(c.Wrong); more > 0 {
			text += fmt.Sprintf("%d  damaged: %d more pieces\n", c.Number, more)
		}
	}
	return text
}

// conclude returns an error if a checkpoint is damaged. It says from which one a run would resume,
// unless only one was examined.
func (v *verification) conclude(one bool) error {
	damaged, whole := 0, ""
	for _, c := range v.Checkpoints {
		if c.Whole {
			whole = fmt.Sprint(c.Number)
		} else {
			damaged++
		}
	}
	switch {
	case damaged == 0:
		return nil
	case one:
		return errors.New("the checkpoint is damaged")
	case whole == "":
		return fmt.Errorf("all %d checkpoints are damaged: a run that resumes here fails", damaged)
	}
	return fmt.Errorf("%d of %d checkpoints are damaged: a run that resumes here begins with %s", damaged, len(v.Checkpoints), whole)
}
