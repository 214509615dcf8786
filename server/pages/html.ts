/** Text in HTML. Templates escape everything that is not marked as HTML. */

/** Escapes text for text nodes, and for attributes in double quotes; also for XML. */
export function htmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Text that is HTML already. Only `html` makes it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | null | false | readonly Part[]

/** A template: values are escaped unless they are HTML; null and false are left out; lists are joined. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(strings.map((text, i) => (i === 0 ? text : written(values[i - 1]!) + text)).join(''))
}

function written(value: Part): string {
  if (value === null || value === false) return ''
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(written).join('') : htmlText(String(value))
}
