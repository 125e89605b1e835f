// Package figure draws figures to files in the format of the file name: .svg, .png or .pdf.
//
//	err := figure.Save("curve.svg", 560, 340, func(c draw.Canvas) { p.Draw(c) })
package figure
