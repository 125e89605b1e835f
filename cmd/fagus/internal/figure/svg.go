package figure

import (
	"fmt"
	"html"
	"regexp"
	"strconv"

	"gonum.org/v1/plot/font"
)

// svgText matches the begin of a text of an SVG file of gonum, its font, its size, and the text.
var svgText = regexp.MustCompile(`(<text [^>]*)font-family:Liberation Sans;([^>]*)font-size:([0-9.]+)px">([^<]*)</text>`)

// portable makes an SVG file look the same on systems without its font: it adds fonts of the same
// widths, which other systems have, and states the length of each text for those that have none of
// them.
func portable(svg []byte) []byte {
	return svgText.ReplaceAllFunc(svg, func(element []byte) []byte {
		m := svgText.FindSubmatch(element)
		size, err := strconv.ParseFloat(string(m[3]), 64)
		if err != nil || len(m[4]) == 0 {
			return element
		}
		f := Font(size)
		face := font.DefaultCache.Lookup(f, f.Size)
		width := face.Width(html.UnescapeString(string(m[4])))
		return fmt.Appendf(nil, `%sfont-family:'Liberation Sans',Arial,Helvetica,sans-serif;%sfont-size:%spx" textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`,
			m[1], m[2], m[3], float64(width), m[4])
	})
}
