/** Which language of those that there are a client likes best (RFC 9110 12.5.4). Pure. */

const ITEM = /^\s*([a-z0-9*-]{1,35})\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*$/i
const MAX_CHARS = 1_000

export interface Preferred<Known> {
  readonly language: Known
  /** As the client wrote it, with its region if it named one. */
  readonly tag: string
}

/** null: it likes none of them. */
export function preferredLanguage<Known extends string>(
  acceptLanguage: string | undefined,
  known: readonly Known[],
): Preferred<Known> | null {
  let best: (Preferred<Known> & { readonly weight: number }) | null = null
  for (const item of (acceptLanguage ?? '').slice(0, MAX_CHARS).split(',')) {
    const [, tag = '', weightText = '1'] = ITEM.exec(item) ?? []
    const language = known.find((one) => one === tag.toLowerCase().split('-')[0])
    const weight = Number(weightText)
    if (language !== undefined && weight > (best?.weight ?? 0)) best = { language, tag, weight }
  }
  return best
}
