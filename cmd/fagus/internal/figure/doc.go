// Package figure draws pictures as SVG: charts of lines or stacked bars, rectangles and texts.
//
//	push := figure.Key{Name: "PUSH", Color: figure.Blue, Mark: figure.Stroke}
//	chart := figure.Chart{
//		X:     figure.Axis{Label: "bytes", High: 100, Ticks: figure.Ticks(20, 100)},
//		Y:     figure.Axis{Label: "MB/s", High: 9, Ticks: figure.EvenTicks(0, 9)},
//		Lines: []figure.Line{{Key: push, Points: points}},
//	}
//	err := chart.Figure(680, 340, chart.Keys()...).Save("curve.svg")
//
// The same data give the same bytes. The reader's system chooses the font, so the widths of texts
// are unknown: margins have room for a wide font, and legends for names of 18 characters.
package figure
