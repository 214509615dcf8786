/** Colours, fonts and sizes of newsletters, and the styles for dark mode. */

/** Every client has one of them; web fonts would be loaded from elsewhere. */
export const FONT = 'Arial, Helvetica, sans-serif'
export const CODE_FONT = "Consolas, Menlo, Monaco, 'Courier New', monospace"
/** Pixels. Outlook for Windows needs a fixed width. */
export const WIDTH = 600
export const SIDE = 24

export interface Theme {
  readonly language: string
  readonly direction: 'ltr' | 'rtl'
  /** Of links and buttons: `#1a56b0`. */
  readonly accent: string
}

export const DEFAULT_ACCENT = '#1a56b0'

export const COLOURS = {
  page: '#f3f4f6',
  card: '#ffffff',
  text: '#1f2933',
  quiet: '#52606d',
  line: '#cbd2d9',
  code: '#f3f4f6',
} as const

/** Background and the bar at the start. Text on them is `COLOURS.text`. */
export const CALLOUTS = {
  accent: { background: '#e8f0fe', bar: '#1a56b0' },
  info: { background: '#eef2f6', bar: '#52606d' },
  warning: { background: '#fff4d6', bar: '#b7791f' },
  success: { background: '#e3f9e5', bar: '#2f8132' },
} as const

/** Black or white, whichever is easier to read on a colour. */
export function readableOn(colour: string): '#000000' | '#ffffff' {
  return luminance(channels(colour)) > 0.179 ? '#000000' : '#ffffff'
}

/** WCAG 2.2, 1.4.3: the highest luminance of a text that can be read on white. */
const READABLE_LUMINANCE = 1.05 / 4.5 - 0.05

/** For links on the card: the accent, as much darker as it must be to be read. */
export function linkColour(accent: string): string {
  const full = channels(accent)
  for (let tenths = 10; ; tenths--) {
    const darker = full.map((channel) => Math.round((channel * tenths) / 10))
    if (luminance(darker) <= READABLE_LUMINANCE)
      return `#${darker.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
  }
}

/** Red, green and blue, 0 to 255. @param colour `#rrggbb` */
function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}

/** WCAG 2.2, relative luminance. */
function luminance(rgb: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const DARK_RULES: readonly (readonly [selector: string, style: string])[] = [
  ['body, .nl-page', 'background-color: #111418 !important'],
  ['.nl-card, .nl-card > table, .nl-card table.nl-callout td', 'background-color: #1d2126 !important'],
  [
    '.nl-text div, .nl-text p, .nl-text h1, .nl-text h2, .nl-text h3, .nl-text li, .nl-text td',
    'color: #e6e9ec !important',
  ],
  ['.nl-text a', 'color: #8ab4f8 !important'],
  ['.nl-quiet div, .nl-quiet p, .nl-quiet a', 'color: #a9b2bb !important'],
  ['.nl-custom', 'color-scheme: light'],
  ['.nl-text td.nl-code', 'background-color: #2a3037 !important'],
]

/** For clients that follow the reader's setting, and for Outlook's own marks. Custom HTML keeps its own colours on white. */
export function darkStyles(): string {
  const media = DARK_RULES.map(([selector, style]) => `${selector} { ${style} }`).join(' ')
  const outlook = DARK_RULES.map(([selector, style]) => {
    const marked = selector.split(', ').map((one) => `[data-ogsc] ${one}`)
    return `${marked.join(', ')} { ${style} }`
  })
  return `:root { color-scheme: light dark; supported-color-schemes: light dark; } @media (prefers-color-scheme: dark) { ${media} } ${outlook.join(' ')}`
}

const RTL_LANGUAGES = new Set(['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** @param language BCP 47 */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return RTL_LANGUAGES.has(language.toLowerCase().split('-')[0] ?? '') ? 'rtl' : 'ltr'
}
