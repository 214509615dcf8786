/**
 * Replies that a model writes (decision D11): rules store requests, a worker (server/workers/drafts) claims them, asks the model, and reports. The
 * answer becomes a draft in Drafts, and nothing else. The message is data of strangers: the prompt says so, the model has no tools, and its answer is
 * only text for the owner to review.
 */
import { randomUUID } from 'node:crypto'
import { DRAFT_PROMPT_MAX_CHARS, DRAFT_RETRY_MS, DRAFT_TEXT_MAX_CHARS } from '../../server/base/delivery-limits.ts'
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import {
  claimDraftRequests,
  deleteDraftRequest,
  findDraftRequest,
  nextDraftRequest,
  postponeDraftRequest,
} from '../../storage/repos/draft-requests.ts'
import { findEmail } from '../../storage/repos/emails.ts'
import { renewRows } from '../../storage/repos/renew-rows.ts'
import type { DraftRequestTable } from '../../storage/schema/draft-request.ts'
import { readStored } from '../mail/blob/blobs.ts'
import { emailFromMessage, type PreparedEmail } from '../mail/email/store-email.ts'
import type { ModelReply } from '../mail/inbox-rules/rule.ts'
import { hasRoomFor } from '../mail/quota/octets.ts'
import { SieveMessage } from '../sieve/index.ts'
import type { Services } from '../type/context.ts'
import { addNotes } from './add-note.ts'
import { storeDraft } from './drafts.ts'
import type { RequestedDraft } from './plan.ts'
import { draftReply } from './prepare.ts'
import { settingsOf } from './settings.ts'

export interface DraftTask {
  readonly account: number
  readonly id: number
  /** A report with another lease is ignored. */
  readonly lease: string
  /** The owner's instructions, the only part that the model may follow. */
  readonly instructions: string
  /** The message, as text. */
  readonly message: string
}

export type DraftOutcome =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly mayComeRight: boolean }

export async function claimDrafts(
  services: Services,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<DraftTask[]> {
  const { store } = services
  const lease = `${owner}:${randomUUID()}`
  const rows = await store.write([], (unit) =>
    claimDraftRequests(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
  )
  const tasks: DraftTask[] = []
  for (const row of rows) {
    const message = await readMessage(services, row)
    if (message === null)
      await store.write([row.account], (work) => deleteDraftRequest(work.account(row.account), row.id))
    else {
      const { instructions } = requestOf(row).action
      tasks.push({ account: row.account, id: row.id, lease, instructions, message: promptOf(message) })
    }
  }
  return tasks
}

/** Renews leases for `leaseMs` from now. */
export function renewDrafts(
  { store }: Pick<Services, 'store'>,
  leases: readonly string[],
  leaseMs: number,
): Promise<void> {
  return store.write([], (unit) => renewRows(unit.sql, 'draft_request', leases, unit.now + leaseMs))
}

export async function reportDraft(
  services: Services,
  { account, id, lease }: Pick<DraftTask, 'account' | 'id' | 'lease'>,
  outcome: DraftOutcome,
): Promise<void> {
  const { store } = services
  const row = await store.read((reader) => findDraftRequest(reader, account, id))
  if (row?.lease !== lease) return
  const draft = outcome.kind === 'written' ? await writeDraft(services, row, outcome.text) : null
  await store.write([account], async (work) => {
    const unit = work.account(account)
    const now = await findDraftRequest(unit, account, id)
    if (now?.lease !== lease || unit.isDeleted) return
    await settle(services, work, unit, now, outcome, draft)
  })
}

/** Epoch ms when the next request may be claimed; null: there is none. */
export function nextDraftTime({ store }: Pick<Services, 'store'>): Promise<number | null> {
  return store.read(nextDraftRequest)
}

function requestOf(row: DraftRequestTable): RequestedDraft<ModelReply> {
  return JSON.parse(row.data) as RequestedDraft<ModelReply>
}

/** null: the email no longer exists. */
async function readMessage(services: Services, { account, email }: DraftRequestTable): Promise<SieveMessage | null> {
  const bytes = await services.store.read(async (reader) => {
    const found = await findEmail(reader, account, email)
    return found && readStored(services.store, reader, account, found.blob)
  })
  return bytes && new SieveMessage(bytes)
}

function promptOf(message: SieveMessage): string {
  const fields = ['from', 'to', 'cc', 'date', 'subject'].flatMap((name) =>
    message.texts(name).map((value) => `${name}: ${value}`),
  )
  return `${fields.join('\n')}\n\n${message.bodyText()}`.slice(0, DRAFT_PROMPT_MAX_CHARS)
}

async function writeDraft(services: Services, row: DraftRequestTable, text: string): Promise<PreparedEmail | null> {
  const settings = await settingsOf(services, row.account)
  const message = await readMessage(services, row)
  const said = text.trim().slice(0, DRAFT_TEXT_MAX_CHARS)
  if (!settings || !message || said === '') return null
  const { replyMode } = requestOf(row).action
  const reply = { replyMode, text: said, html: null, subject: null }
  const bytes = draftReply(message.parsed, settings, reply, services.clock.now())
  return bytes && emailFromMessage(services, bytes)
}

async function settle(
  services: Services,
  work: Unit,
  unit: AccountUnit,
  row: DraftRequestTable,
  outcome: DraftOutcome,
  draft: PreparedEmail | null,
): Promise<void> {
  const wait = DRAFT_RETRY_MS[row.attempts]
  if (outcome.kind === 'failed' && outcome.mayComeRight && wait !== undefined) {
    await postponeDraftRequest(unit, row.id, { due_at: unit.now + wait, attempts: row.attempts + 1 })
    return
  }
  await deleteDraftRequest(unit, row.id)
  const isWritten = draft !== null && hasRoomFor(services, unit, draft.blob.size)
  if (isWritten) await storeDraft(services, work, unit, draft)
  const why =
    outcome.kind === 'failed' ? outcome.reason : 'there is nobody to answer, nothing was said, or no room is left'
  const text = isWritten ? 'The reply of the model is in Drafts.' : `The model wrote no reply: ${why}.`
  await addNotes(unit, row.email, [{ by: 'rule', name: requestOf(row).rule.name, text }])
}
