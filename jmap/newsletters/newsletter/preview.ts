/** Newsletter/preview, a vendor method. */
import { MethodError } from '../../protocol/errors.ts'
import { implement } from '../../type/method.ts'
import { fill } from '../content/template.ts'
import { compile, newsletterContent, openNewsletter } from './compile.ts'
import { NewsletterPreview } from './newsletter.type.ts'

export const previewMethod = implement(NewsletterPreview, async (method, { newsletterId }) => {
  const content = await method.read(async (reader) =>
    newsletterContent(reader, method.account.number, await openNewsletter(method, reader, newsletterId)),
  )
  const compiled = await compile(method.services, method.account.number, content)
  if ('faults' in compiled) throw new MethodError('forbidden', compiled.faults[0]?.message)
  const { html, archive, text, warnings, urls } = compiled
  return {
    accountId: method.account.id,
    sendHtml: fill(html, {}),
    archiveHtml: fill(archive, {}),
    text: fill(text, {}),
    warnings: warnings.map((warning) => ({ ...warning })),
    urlBreakdown: { ...urls },
  }
})
