/** Newsletter/duplicate, a vendor method. */
import { NEWSLETTER_NAME_MAX_CHARS } from '../../../server/base/newsletter-limits.ts'
import { insertNewsletter } from '../../../storage/repos/newsletters.ts'
import { setError } from '../../protocol/errors.ts'
import { implement } from '../../type/method.ts'
import type { AnswerOf } from '../../type/method-declaration.ts'
import { openNewsletter } from './compile.ts'
import { noRoomForNew } from './content-room.ts'
import { Newsletter, NewsletterDuplicate } from './newsletter.type.ts'
import { type NewsletterSettings, writtenContent } from './stored-newsletter.ts'

type Answer = AnswerOf<typeof NewsletterDuplicate>

const COPY = 'Copy of '

export const duplicateMethod = implement(NewsletterDuplicate, async (method, { newsletterId }) => {
  const { services, account } = method
  const step = method.request.steps?.next()
  return services.store.write<Answer>([account.number], async (work) => {
    const unit = work.account(account.number)
    const done = await step?.recall<Answer>(unit)
    if (done) return done
    const { row, settings, content } = await openNewsletter(method, unit, newsletterId)
    const written = writtenContent(content)
    const full = await noRoomForNew(services.limits, unit, written)
    if (full !== null) return { accountId: account.id, duplicateId: null, notDuplicated: setError('overQuota', full) }
    const id = unit.nextObject()
    const times = { created_at: unit.now, updated_at: unit.now }
    const copy = { ...row, ...times, id, status: 'draft' as const, settings: JSON.stringify(draftOf(settings)) }
    await insertNewsletter(unit, copy, written)
    unit.change(Newsletter.name, id, 'c')
    const answer = { accountId: account.id, duplicateId: method.id(Newsletter, id), notDuplicated: null }
    await step?.keep(unit, answer)
    return answer
  })
})

function draftOf({ tests: _tests, ...settings }: NewsletterSettings): NewsletterSettings {
  const { name } = settings
  return {
    ...settings,
    name: name.startsWith(COPY) ? name : `${COPY}${name}`.slice(0, NEWSLETTER_NAME_MAX_CHARS).toWellFormed(),
    scheduledAt: null,
    startedAt: null,
    completedAt: null,
    lastTestSentAt: null,
    pausedReason: null,
  }
}
