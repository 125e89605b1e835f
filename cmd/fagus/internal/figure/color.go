package figure

import "fmt"

// Color is a colour: 0xRRGGBB.
type Color uint32

// The colours of curves, parts and causes.
const (
	Red    Color = 0xd05a3c // a curve that is compared with a Blue one
	Blue   Color = 0x2f6db5 // NICs and links, and waiting
	Green  Color = 0x4c9f70 // hosts, and computing
	Purple Color = 0x8a5fa8 // the fourth of several
	Yellow Color = 0xe0b030 // the fifth of several

	black Color = 0x000000
	grey  Color = 0xd0d0d0 // of grids
	white Color = 0xffffff
)

// String returns the colour as SVG and CSS write it.
func (c Color) String() string { return fmt.Sprintf("#%06x", uint32(c)) }

// RGBA implements color.Color of package image/color.
func (c Color) RGBA() (r, g, b, a uint32) {
	const widen = 0x101 // from 8 to 16 bits
	return widen * uint32(c>>16&0xff), widen * uint32(c>>8&0xff), widen * uint32(c&0xff), 0xffff
}
