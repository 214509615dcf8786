/** The usual tree of a message from its text, HTML and attachments, as the REST API and simple callers give them. */
import type { BodySpec, LeafSpec } from './body-spec.ts'

export interface FlatBody {
  readonly text?: string | null
  readonly html?: string | null
  /** Those with a cid and disposition `inline` go with the HTML that shows them. */
  readonly attachments?: readonly LeafSpec[]
}

/**
 * multipart/mixed(multipart/related(multipart/alternative(text, html), inline images), attachments), each level only where it
 * is needed. Without text and HTML the text is empty, so that there always is a body to show.
 */
export function flattenSpec({ text = null, html = null, attachments = [] }: FlatBody): BodySpec {
  const isEmbedded = (part: LeafSpec) => html !== null && part.cid != null && part.disposition === 'inline'
  const embedded = attachments.filter(isEmbedded)
  const attached = attachments.filter((part) => !isEmbedded(part))
  const versions: BodySpec[] = []
  if (text !== null || html === null) versions.push({ type: 'text/plain', content: { text: text ?? '' } })
  if (html !== null) versions.push({ type: 'text/html', content: { text: html } })
  const body = wrap('multipart/alternative', versions)
  return wrap('multipart/mixed', [wrap('multipart/related', [body, ...embedded]), ...attached])
}

function wrap(type: string, parts: BodySpec[]): BodySpec {
  const [only] = parts
  return parts.length === 1 && only ? only : { type, subParts: parts }
}
