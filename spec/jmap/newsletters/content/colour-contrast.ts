/** WCAG 2.2, 1.4.3 on HTML with inline styles: which texts cannot be read on what is behind them. */
import { Parser } from 'htmlparser2'

const READABLE = 4.5
/** Texts of 24 pixels, and bold ones of 18.66. */
const READABLE_LARGE = 3

interface Look {
  readonly colour: string
  readonly background: string
  readonly size: number
  readonly isBold: boolean
}

const VOID = new Set('area br col hr img input link meta wbr'.split(' '))
const INITIAL: Look = { colour: '#000000', background: '#ffffff', size: 16, isBold: false }

/** 1 to 21, of two colours `#rrggbb`. */
export function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Of texts and alt texts, in words. Colours that are no numbers are faults: they cannot be judged. */
export function contrastFaults(html: string): string[] {
  const faults = new Set<string>()
  const looks: Look[] = [INITIAL]
  let hidden = 0
  const judge = (text: string) => {
    const { colour, background, size, isBold } = looks.at(-1)!
    if (hidden > 0 || text.trim() === '') return
    const ratio = contrast(colour, background)
    const needed = size >= 24 || (isBold && size >= 18.66) ? READABLE_LARGE : READABLE
    if (!(ratio >= needed)) faults.add(`${colour} on ${background}: ${ratio.toFixed(1)}, ${text.trim().slice(0, 40)}`)
  }
  const parser = new Parser({
    onopentag(name, attributes) {
      const look = lookOf(attributes, looks.at(-1)!)
      looks.push(look)
      const isHidden = ['style', 'title', 'head'].includes(name) || /display:\s*none/.test(attributes['style'] ?? '')
      if (hidden > 0 || isHidden) hidden++
      judge(attributes['alt'] ?? '')
      if (VOID.has(name)) leave()
    },
    ontext: judge,
    onclosetag: (name) => void (VOID.has(name) || leave()),
  })
  const leave = () => {
    looks.pop()
    if (hidden > 0) hidden--
  }
  parser.write(html)
  parser.end()
  return [...faults]
}

function lookOf(attributes: { readonly [name: string]: string }, around: Look): Look {
  const style = Object.fromEntries(
    (attributes['style'] ?? '').split(';').map((part) => part.split(':').map((word) => word.trim().toLowerCase())),
  ) as { readonly [name: string]: string }
  const background = style['background-color'] ?? style['background'] ?? attributes['bgcolor']
  const colour = style['color']
  return {
    colour: colour === undefined || colour === 'inherit' ? around.colour : long(colour),
    background: background === undefined || background === 'none' ? around.background : long(background),
    size: Number.parseFloat(style['font-size'] ?? '') || around.size,
    isBold: style['font-weight'] === undefined ? around.isBold : style['font-weight'] === 'bold',
  }
}

function long(colour: string): string {
  const [first = ''] = colour.split(/\s/)
  return /^#[0-9a-f]{3}$/.test(first) ? first.replaceAll(/[0-9a-f]/g, '$&$&') : first
}
