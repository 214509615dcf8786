/** Newsletter/preview and Newsletter/duplicate: vendor methods. */
import { NEWSLETTERS_MAX } from '../../../server/base/newsletter-limits.ts'
import { insertNewsletter } from '../../../storage/repos/newsletters.ts'
import { countRows } from '../../../storage/repos/numbered-rows.ts'
import { MethodError } from '../../protocol/errors.ts'
import { implement } from '../../type/method.ts'
import { fill } from '../content/template.ts'
import { compile, newsletterContent, openNewsletter } from './compile.ts'
import { Newsletter, NewsletterDuplicate, NewsletterPreview } from './newsletter.type.ts'
import { type NewsletterSettings, writtenContent } from './stored-newsletter.ts'

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

const COPY = 'Copy of '

export const duplicateMethod = implement(NewsletterDuplicate, async (method, { newsletterId }) => {
  const step = method.request.steps?.next()
  return method.services.store.write([method.account.number], async (work) => {
    const unit = work.account(method.account.number)
    const done = await step?.recall<{ readonly accountId: string; readonly duplicateId: string }>(unit)
    if (done) return done
    const { row, settings, content } = await openNewsletter(method, unit, newsletterId)
    const all = { table: 'newsletter', account: unit.account, condition: null, oldestFirst: true } as const
    if ((await countRows(unit, all)) >= NEWSLETTERS_MAX)
      throw new MethodError('forbidden', `An organization has at most ${NEWSLETTERS_MAX} newsletters.`)
    const { tests: _tests, ...kept } = settings
    const copy: NewsletterSettings = {
      ...kept,
      name: settings.name.startsWith(COPY) ? settings.name : `${COPY}${settings.name}`.slice(0, 200),
      scheduledAt: null,
      startedAt: null,
      completedAt: null,
      lastTestSentAt: null,
      pausedReason: null,
    }
    const id = unit.nextObject()
    const times = { created_at: unit.now, updated_at: unit.now }
    const next = { ...row, ...times, id, status: 'draft' as const, settings: JSON.stringify(copy) }
    await insertNewsletter(unit, next, writtenContent(content))
    unit.change(Newsletter.name, id, 'c')
    const answer = { accountId: method.account.id, duplicateId: method.id(Newsletter, id) }
    await step?.keep(unit, answer)
    return answer
  })
})
