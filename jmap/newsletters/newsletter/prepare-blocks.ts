/** Checks and renders the blocks of a newsletter before they are stored. It happens outside of the unit of work, and outside of this thread. */
import { MERGE_FIELDS_MAX, NEWSLETTER_BODY_MAX_BYTES } from '../../../server/base/newsletter-limits.ts'
import { invalidProperties, type SetError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import type { PrepareOutcome } from '../../type/handlers.ts'
import { checkBlocks } from '../content/check-blocks.ts'
import { type Fault, fault } from '../content/fault.ts'
import { parseMerge, showField, TOO_MANY_FIELDS } from '../content/merge.ts'
import type { NewsletterContent } from '../content/newsletter-content.ts'
import { showTemplate } from '../content/template.ts'
import { compile } from './compile.ts'
import type { RenderedBlocks } from './stored-newsletter.ts'

export async function prepareBlocks(
  { services, account }: MethodContext,
  given: unknown,
): Promise<PrepareOutcome<RenderedBlocks>> {
  const checked = checkBlocks(given)
  if ('faults' in checked) return { error: contentError(checked.faults) }
  const { blocks } = checked
  const content: NewsletterContent = {
    subject: '',
    previewText: null,
    blocks,
    ownText: null,
    hasArchive: false,
    language: 'en',
    accent: null,
    sender: null,
  }
  const compiled = await compile(services, account.number, content)
  if ('faults' in compiled) return { error: contentError(compiled.faults) }
  const html = showTemplate(compiled.html, showField)
  return { prepared: { blocks, html, text: showTemplate(compiled.text, showField).trim() } }
}

/** What the schema cannot say of texts with merge fields. */
export function textsError(texts: {
  readonly subject: string
  readonly previewText: string | null
  readonly textOverride: string | null
}): SetError | null {
  const faults = [
    ...mergeFaults('subject', texts.subject),
    ...mergeFaults('previewText', texts.previewText ?? ''),
    ...mergeFaults('textOverride', texts.textOverride ?? ''),
  ]
  // RFC 5322 2.2: a field of a header ends with its line.
  if (/[\u0000-\u001f\u007f\u2028\u2029]/.test(texts.subject))
    faults.push(fault('subject', 'invalid_format', 'subject is one line.'))
  if (Buffer.byteLength(texts.textOverride ?? '') > NEWSLETTER_BODY_MAX_BYTES)
    faults.push(fault('textOverride', 'too_long', `The text has at most ${NEWSLETTER_BODY_MAX_BYTES} bytes.`))
  return faults.length > 0 ? contentError(faults) : null
}

function mergeFaults(path: string, text: string): Fault[] {
  const merge = parseMerge(text)
  if ('fault' in merge) return [fault(path, 'invalid_format', merge.fault)]
  const fields = merge.parts.filter((part) => typeof part !== 'string')
  return fields.length > MERGE_FIELDS_MAX ? [fault(path, 'too_long', TOO_MANY_FIELDS)] : []
}

export function contentError(faults: readonly Fault[]): SetError {
  const properties = [...new Set(faults.map(({ path }) => path.split('/')[0] ?? path))]
  const [first] = faults
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  return { ...invalidProperties(properties, `${first?.message ?? 'The content is not valid.'}${more}`), faults }
}
