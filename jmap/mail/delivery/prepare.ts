/** Before the unit of work: everything about a message that can be decided and written beforehand, for one account. */

import { listMailboxes } from '../../../storage/repos/mailboxes.ts'
import type { Services } from '../../context.ts'
import { mailboxPaths, SieveMessage } from '../../sieve/index.ts'
import { baseAddress, normaliseAddress } from '../addresses.ts'
import { prepareBlob } from '../blobs.ts'
import { authenticationFacts } from '../inbound-verdict.ts'
import { type PreparedMessage, prepareMessage } from '../ingest.ts'
import { Mailbox } from '../mailbox/mailbox.type.ts'
import type { EmailAddress } from '../message/addresses.ts'
import type { DraftReply } from '../rules/rule.ts'
import type { SpamVerdict } from '../spam/facts.ts'
import { judgeSpam } from '../spam/judge.ts'
import { activeScript } from './active-script.ts'
import { answerFor } from './answer.ts'
import { compose, replyRecipients, replySubject } from './compose.ts'
import { type Delivered, decide } from './decide.ts'
import type { InboundMessage } from './inbound-message.ts'
import type { PreparedAnswer } from './outgoing.ts'
import { Plan } from './plan.ts'
import { type DeliverySettings, settingsOf } from './settings.ts'

export interface Prepared {
  readonly account: number
  readonly settings: DeliverySettings
  readonly plan: Plan
  readonly spam: SpamVerdict | null
  readonly drafts: readonly PreparedMessage[]
  readonly answer: PreparedAnswer | null
}

/** For each account that is there, in order; an account that is named twice gets the message once. */
export async function prepareAll(
  services: Services,
  message: InboundMessage,
  prepared: PreparedMessage,
): Promise<readonly Prepared[]> {
  const inner = new SieveMessage(message.bytes, prepared.parsed)
  const found = new Map<number, { readonly settings: DeliverySettings; readonly recipient: string }>()
  for (const { account, recipient } of message.deliveries) {
    const settings = found.has(account) ? null : await settingsOf(services.store, account)
    if (settings) found.set(account, { settings, recipient })
  }
  const scores = await scoresOf(services, message, prepared, [...found.values()])
  const plans: Prepared[] = []
  for (const [account, { settings, recipient }] of found) {
    const spam = scores.get(settings.organization) ?? null
    plans.push(await prepareFor(services, message, inner, { account, settings, spam, recipient }))
  }
  return plans
}

/** By organization; none for mail that was not judged because it comes from here, or whose checks are off. */
async function scoresOf(
  services: Services,
  { verdict, bytes, receivedAt, mailFrom }: InboundMessage,
  { parsed }: PreparedMessage,
  recipients: readonly { readonly settings: DeliverySettings }[],
): Promise<ReadonlyMap<number, SpamVerdict>> {
  if (!verdict) return new Map()
  const { authentication, dnsLists, outside } = verdict
  const organizations = new Set(recipients.map(({ settings }) => settings.organization))
  return judgeSpam(services, [...organizations], parsed, {
    bytes,
    receivedAt,
    mailFrom,
    ...(authentication && { authentication: authenticationFacts(authentication) }),
    ...(dnsLists && { dnsLists }),
    ...(outside && { outside }),
  })
}

async function prepareFor(
  services: Services,
  message: InboundMessage,
  inner: SieveMessage,
  given: Pick<Prepared, 'account' | 'settings' | 'spam'> & { readonly recipient: string },
): Promise<Prepared> {
  const { account, settings, spam, recipient } = given
  if (message.reports) return { account, settings, plan: new Plan(NOWHERE), spam, drafts: [], answer: null }
  const now = services.clock.now()
  const active = settings.hasScript ? await activeScript(services, account, now) : null
  const needsMailboxes = active !== null || settings.rules.length > 0
  const rows = needsMailboxes ? await services.store.read((reader) => listMailboxes(reader, account)) : []
  const delivered: Delivered = {
    message: inner,
    envelope: { from: message.mailFrom, to: recipient },
    mailboxes: mailboxPaths(rows),
    now,
    verdict: message.verdict ?? null,
    spam,
    threshold: settings.threshold,
    hasModel: services.hasModel,
    mailboxNumber(id) {
      const decoded = services.ids.decode(Mailbox, id)
      return decoded?.account === account ? decoded.object : null
    },
  }
  const plan = await decide(delivered, active, settings.rules)
  const drafts = await writeDrafts(services, inner, settings, plan, now)
  const answer = await writeAnswer(services, message, inner, settings, plan, now)
  return { account, settings, plan, spam, drafts, answer }
}

const NOWHERE = { find: () => null, ofRole: () => null }

async function writeDrafts(
  services: Services,
  { parsed }: SieveMessage,
  settings: DeliverySettings,
  { drafts, trace, ending }: Plan,
  now: number,
): Promise<PreparedMessage[]> {
  const written: PreparedMessage[] = []
  if (ending !== null) return written
  for (const { rule, action } of drafts) {
    const bytes = draftReply(parsed, settings, action, now)
    if (bytes) written.push(await prepareMessage(services.store, bytes))
    else trace.note('rule', 'The reply could not be written: the message names nobody to answer.', rule.name)
  }
  return written
}

/** The octets of a reply that somebody may look over and send; null when there is nobody to answer. */
export function draftReply(
  parsed: SieveMessage['parsed'],
  settings: Pick<DeliverySettings, 'address' | 'displayName' | 'ownAddresses'>,
  { replyMode, text, html, subject }: Pick<DraftReply, 'replyMode' | 'text' | 'html' | 'subject'>,
  now: number,
): Buffer | null {
  const { to, cc } = replyRecipients(parsed, replyMode, (email) => isOwn(settings, email))
  if (to.length + cc.length === 0) return null
  const written = { from: sender(settings), to, cc, text, html, answers: parsed, now }
  return compose({ ...written, subject: subject ?? replySubject(parsed.subject) })
}

function sender({ address, displayName }: Pick<DeliverySettings, 'address' | 'displayName'>): EmailAddress {
  return { name: displayName || null, email: address }
}

function isOwn({ ownAddresses }: Pick<DeliverySettings, 'ownAddresses'>, email: string): boolean {
  const address = normaliseAddress(email)
  return address !== null && (ownAddresses.includes(address) || ownAddresses.includes(baseAddress(address)))
}

async function writeAnswer(
  services: Services,
  inbound: InboundMessage,
  message: SieveMessage,
  settings: DeliverySettings,
  plan: Plan,
  now: number,
): Promise<PreparedAnswer | null> {
  const { vacation, ownAddresses } = settings
  // Whose mail is refused gets that for an answer.
  if (plan.ending?.kind === 'rejected') return null
  const { mailFrom, verdict = null } = inbound
  const answered = { message, mailFrom, verdict, isJunk: plan.isJunk, ownAddresses, now }
  const found = answerFor(answered, vacation, plan.vacation)
  if (!found) return null
  if ('none' in found) {
    plan.trace.note('reply', `No automatic reply: ${found.none}.`)
    return null
  }
  const { answer } = found
  const own = sender(settings)
  const from = answer.from !== null && isOwn(settings, answer.from) ? { ...own, email: answer.from } : own
  const { subject, text, html } = answer
  // RFC 3834 3.1.7
  const extra = [{ name: 'Auto-Submitted', form: 'Raw', value: ' auto-replied' }] as const
  const to = [{ name: null, email: answer.to }]
  const bytes = compose({ from, to, subject, text, html, answers: message.parsed, extra, now })
  return bytes && { ...answer, blob: await prepareBlob(services.store, bytes) }
}
