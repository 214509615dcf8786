/**
 * The accent colour of an organization as a style sheet. It is made darker for light pages and lighter for dark ones until texts in it, and
 * on it, have the contrast of WCAG 2.2 1.4.3. Pure.
 */

type Colour = readonly [red: number, green: number, blue: number]

/** WCAG 2.2 1.4.3, with a margin for rounding. */
const CONTRAST = 4.6
const BLACK: Colour = [16, 21, 28]
const WHITE: Colour = [255, 255, 255]
/** The darkest ground of a light page and the lightest of a dark one (assets/booking.css). */
const GROUNDS = { light: [244, 245, 247], dark: [29, 33, 38] } as const
const STEP = 0.04
const TINT = 0.14

/** @param hex `1a56b0` */
export function accentStyle(hex: string): string {
  const accent: Colour = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Colour
  return `:root{${variables(accent, 'light')}}@media(prefers-color-scheme:dark){:root{${variables(accent, 'dark')}}}`
}

function variables(accent: Colour, scheme: keyof typeof GROUNDS): string {
  const ground = GROUNDS[scheme]
  const seen = readable(accent, ground, scheme === 'light' ? BLACK : WHITE)
  const on = contrast(seen, WHITE) >= contrast(seen, BLACK) ? WHITE : BLACK
  const tint = mixed(ground, seen, TINT)
  return `--accent:${css(seen)};--on-accent:${css(on)};--tint:${css(tint)}`
}

/** The colour, moved towards another one as far as the contrast needs. */
function readable(accent: Colour, ground: Colour, towards: Colour): Colour {
  for (let share = 0; share < 1; share += STEP) {
    const colour = mixed(accent, towards, share)
    if (contrast(colour, ground) >= CONTRAST) return colour
  }
  return towards
}

function mixed(a: Colour, b: Colour, share: number): Colour {
  return [0, 1, 2].map((i) => Math.round(a[i]! * (1 - share) + b[i]! * share)) as unknown as Colour
}

/** WCAG 2.2, contrast ratio. */
export function contrast(a: Colour, b: Colour): number {
  const [x, y] = [luminance(a), luminance(b)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

/** WCAG 2.2, relative luminance. */
function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function css([red, green, blue]: Colour): string {
  return `rgb(${red} ${green} ${blue})`
}
