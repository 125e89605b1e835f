package checkpoints

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
)

func (d *difference) text(choices [2]choice) string {
	t := base.NewTable(table.Row{"", choices[0].String(), choices[1].String()})
	t.AppendRow(table.Row{"made", madeText(d.A.Made), madeText(d.B.Made)})
	t.AppendRow(table.Row{"ranks", d.A.Ranks, d.B.Ranks})
	t.AppendRow(table.Row{"state", short(string(d.A.State), 60), short(string(d.B.State), 60)})
	text := t.Render() + "\n"
	if !d.State {
		text += "the state differs\n"
	}
	for _, a := range d.Arrays {
		text += fmt.Sprintf("array %s: %s\n", printable(a.Name), a.text())
	}
	if d.Equal {
		text += "the checkpoints are equal\n"
	}
	return text
}

func (a *arrayDiff) text() string {
	switch a.Result {
	case same:
		return "equal, " + printable(a.Kind)
	case kinds:
		return fmt.Sprintf("%s and %s", printable(a.Kind), printable(a.KindB))
	case onlyA:
		return "only in the first, " + printable(a.Kind)
	case onlyB:
		return "only in the second, " + printable(a.Kind)
	}
	text := fmt.Sprintf("%s, of which %d differ (%d bytes); the first is %s: %s and %s", printable(a.Kind), a.Elements, a.Bytes, a.First.Index, a.First.A, a.First.B)
	if a.Largest != nil {
		text += fmt.Sprintf("; the largest difference is %.3g", *a.Largest)
	}
	if a.Undefined > 0 {
		text += fmt.Sprintf("; %d are infinite or not numbers", a.Undefined)
	}
	return text
}
