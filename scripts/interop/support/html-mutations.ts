/** Hostile HTML made of other hostile HTML: nested in elements that parsers read differently, joined, cut, re-encoded. */
import fc from 'fast-check'

const WRAPPERS = [
  ...['svg', 'math', 'style', 'noscript', 'template', 'textarea', 'title', 'table', 'select', 'form', 'xmp', 'noembed'],
  ...[
    'p',
    'a',
    'b',
    'font',
    'option',
    'desc',
    'foreignObject',
    'mtext',
    'mglyph',
    'annotation-xml',
    'iframe',
    'plaintext',
  ],
]

type Change = (text: string, other: string, at: number) => string

const place = (text: string, at: number) => Math.floor(at * (text.length + 1))

const CHANGES: readonly Change[] = [
  (text, other) => text + other,
  (text, other, at) => text.slice(0, place(text, at)) + other + text.slice(place(text, at)),
  (text, _other, at) => text.slice(place(text, at)),
  (text, _other, at) => text.slice(0, place(text, at)),
  (text) => text.replaceAll(/[a-z]/g, (letter, index: number) => (index % 3 === 0 ? letter.toUpperCase() : letter)),
  (text) => text.replaceAll(/script:/gi, '&#115;cript&colon;'),
  (text) => text.replaceAll(/=(["'])/g, '\n=\t$1'),
  (text) => text.replaceAll(' ', '/'),
  (text, _other, at) => `${text.slice(0, place(text, at))}\u0000${text.slice(place(text, at))}`,
  (text, _other, at) => `${text.slice(0, place(text, at))}<!--${text.slice(place(text, at))}`,
  (text) => `<p title="${text}">`,
  (text) => `<!--${text}-->`,
  (text) => `<![CDATA[${text}]]>`,
  (text) => text.replaceAll('<', '<\u000c'),
  (text, other) => `<svg></p><style><a id="</style>${other}">${text}`,
  (text) => `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;${text}">`,
  (text) => text.replaceAll('"', '&quot;'),
  (text) => `{{a|${text}}}`,
]

/** @param seed the same seed makes the same texts */
export function mutations(payloads: readonly string[], count: number, seed: number): string[] {
  const one = fc
    .tuple(
      fc.constantFrom(...payloads),
      fc.constantFrom(...payloads),
      fc.array(fc.constantFrom(...WRAPPERS), { maxLength: 4 }),
      fc.array(fc.tuple(fc.constantFrom(...CHANGES), fc.double({ min: 0, max: 1, noNaN: true })), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([payload, other, wrappers, changes]) => {
      const changed = changes.reduce((text, [change, at]) => change(text, other, at), payload)
      return wrappers.reduce(
        (text, name, index) => (index % 2 === 0 ? `<${name}>${text}</${name}>` : `<${name}>${text}`),
        changed,
      )
    })
  return fc.sample(one, { numRuns: count, seed })
}
