/** Handlers of Newsletter: drafts, and what they say. */
import type { JsonObject } from '../../../server/base/json.ts'
import { deleteRun, findRuns } from '../../../storage/repos/newsletter-runs.ts'
import {
  deleteNewsletter,
  insertNewsletter,
  updateNewsletter,
  updateNewsletterContent,
} from '../../../storage/repos/newsletters.ts'
import { findRows, type RowQuery, selectRows } from '../../../storage/repos/numbered-rows.ts'
import type { NewsletterTable } from '../../../storage/schema/tables.ts'
import { setError } from '../../protocol/errors.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { Handlers } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-handlers.ts'
import { rowCondition, rowResult } from '../../type/row-query.ts'
import { LIMITED, mayKnowAudiences } from '../access.ts'
import { changeVisibility } from '../archive/change-visibility.ts'
import { Audience } from '../audience/audience.type.ts'
import { noRoomForChange, noRoomForNew } from './content-room.ts'
import { Newsletter } from './newsletter.type.ts'
import { prepareBlocks, textsError } from './prepare-blocks.ts'
import { hasContent, presentContent, presentNewsletter } from './present.ts'
import { settleNewsletter } from './settle.ts'
import {
  contentOf,
  type NewsletterSettings,
  type RenderedBlocks,
  readNewsletter,
  type StoredContent,
  writtenContent,
} from './stored-newsletter.ts'

const NO_DRAFT = setError(
  'invalidState',
  'Only a draft can be changed; of other newsletters nothing but the visibility in the archive.',
)

const every = (account: number): RowQuery => ({ table: 'newsletter', account, condition: null, oldestFirst: true })

/** Statuses of newsletters that nobody is being sent. */
const DELETABLE: readonly NewsletterTable['status'][] = ['draft', 'cancelled']

export const newsletterHandlers: Handlers<typeof Newsletter, RenderedBlocks, RenderedBlocks | null> = {
  mayKnow: (method) => mayKnowAudiences(method),

  all: async ({ method, reader }, limit) =>
    mayKnowAudiences(method) ? selectRows(reader, every(method.account.number), 0, limit) : [],

  async load({ method, reader }, { numbers, properties }) {
    const account = method.account.number
    const rows = mayKnowAudiences(method) ? await findRows(reader, 'newsletter', account, numbers) : []
    const runs = properties.includes('stats') ? await findRuns(reader, account, numbers) : []
    const runOf = new Map(runs.map((run) => [run.newsletter, run]))
    const found = new Map<number, ReturnType<typeof method.request.answer.hold>>()
    for (const row of rows) {
      const content = hasContent(properties) ? await contentOf(reader, account, row.id) : null
      const object: JsonObject = {
        ...presentNewsletter(method, row, runOf.get(row.id)),
        ...(content && presentContent(content)),
      }
      // What newsletters say may be a megabyte each.
      found.set(row.id, method.request.answer.hold(pick(object, properties)))
    }
    return found
  },

  async query({ method, reader }, { filter, sort }) {
    if (!mayKnowAudiences(method)) return listResult([])
    return rowResult(reader, {
      table: 'newsletter',
      account: method.account.number,
      condition: rowCondition(filter, {
        beforeId: (id) => ({ kind: 'below', column: 'id', value: method.number(Newsletter, id) ?? 0 }),
        status: (status) => ({ kind: 'equal', column: 'status', value: status }),
        audienceId: (id) => ({ kind: 'equal', column: 'audience', value: method.number(Audience, id) ?? 0 }),
      }),
      oldestFirst: sort[0]?.isAscending ?? false,
    })
  },

  prepareCreate: (method, { blocks }) => prepareBlocks(method, blocks),
  prepareUpdate: async (method, patch) =>
    patch['blocks'] === undefined ? { prepared: null } : prepareBlocks(method, patch['blocks']),

  async create({ method, unit }, input, rendered) {
    if (!mayKnowAudiences(method)) return { error: LIMITED }
    const fault = textsError(input)
    if (fault) return { error: fault }
    const settled = await settleNewsletter({ method, unit }, input, null)
    if ('error' in settled) return settled
    const { audience, domain, replyTo, fromAddress } = settled
    const settings: NewsletterSettings = {
      ...chosen(input),
      fromAddress,
      replyTo,
      scheduledAt: null,
      startedAt: null,
      completedAt: null,
      lastTestSentAt: null,
      pausedReason: null,
    }
    const row: NewsletterTable = {
      account: unit.account,
      id: unit.nextObject(),
      status: 'draft',
      audience,
      domain,
      settings: JSON.stringify(settings),
      created_at: unit.now,
      updated_at: unit.now,
    }
    const content: StoredContent = { ...rendered, textOverride: input.textOverride }
    const written = writtenContent(content)
    const full = await noRoomForNew(method.services.limits, unit, written)
    if (full !== null) return { error: setError('overQuota', full) }
    await insertNewsletter(unit, row, written)
    unit.change(Newsletter.name, row.id, 'c')
    const { id: _id, ...serverSet } = { ...presentNewsletter(method, row), ...presentContent(content) }
    return { created: { number: row.id, serverSet } }
  },

  async update({ method, unit }, number, { next, changed, prepared }) {
    const stored = await readNewsletter(unit, unit.account, number)
    if (!stored) return { error: setError('notFound') }
    if (changed.length === 0) return { updated: null }
    if (stored.row.status !== 'draft') {
      const isVisibility = changed.every((name) => name === 'archiveVisibility')
      return isVisibility ? changeVisibility(method, unit, stored, next.archiveVisibility) : { error: NO_DRAFT }
    }
    const fault = textsError(next)
    if (fault) return { error: fault }
    const settled = await settleNewsletter({ method, unit }, next, stored.row)
    if ('error' in settled) return settled
    const { audience, domain, replyTo, fromAddress } = settled
    const settings: NewsletterSettings = { ...stored.settings, ...chosen(next), fromAddress, replyTo }
    const set = { audience, domain, settings: JSON.stringify(settings), updated_at: unit.now }
    const content: StoredContent = { ...(prepared ?? stored.content), textOverride: next.textOverride }
    if (prepared || changed.includes('textOverride')) {
      const written = writtenContent(content)
      const full = await noRoomForChange(method.services.limits, unit, number, written)
      if (full !== null) return { error: setError('overQuota', full) }
      await updateNewsletterContent(unit, number, written)
    }
    await updateNewsletter(unit, number, set)
    const shown = { ...presentNewsletter(method, { ...stored.row, ...set }), ...presentContent(content) }
    const { name, newsletterDomainId, bodyHtml, bodyText, blocks } = shown
    const also = { ...(prepared && { bodyHtml, blocks }), ...(settings.name !== next.name && { name }) }
    unit.change(Newsletter.name, number, 'u', [
      ...changed,
      'updatedAt',
      'fromAddress',
      'bodyText',
      ...Object.keys(also),
    ])
    return {
      updated: { ...also, newsletterDomainId, fromAddress, bodyText, updatedAt: formatUTCDate(unit.now) },
    }
  },

  async destroy({ method, unit }, number) {
    const [row] = mayKnowAudiences(method) ? await findRows(unit, 'newsletter', unit.account, [number]) : []
    if (!row) return setError('notFound')
    if (!DELETABLE.includes(row.status))
      return setError('invalidState', 'Only drafts and cancelled newsletters can be deleted.')
    await deleteRun(unit, number)
    await deleteNewsletter(unit, number)
    unit.change(Newsletter.name, number, 'd')
    return null
  },
}

type Chosen = Pick<
  NewsletterSettings,
  'name' | 'fromName' | 'subject' | 'previewText' | 'language' | 'sendWindowHours' | 'archiveVisibility'
>

/** Settings that a client chooses freely. Decision D19: the name is by default the subject. */
function chosen({
  name,
  fromName,
  subject,
  previewText,
  language,
  sendWindowHours,
  archiveVisibility,
}: Chosen): Chosen {
  const settled = name.trim() || subject.trim() || 'Untitled'
  return { name: settled, fromName, subject, previewText, language, sendWindowHours, archiveVisibility }
}
