/** Prepares a delivery before the unit of work: the decisions for each account, and the drafts and replies that follow from them. */

import { listMailboxes } from '../../storage/repos/mailboxes.ts'
import { prepareBlob } from '../mail/blob/blobs.ts'
import { emailFromMessage, type PreparedEmail } from '../mail/email/store-email.ts'
import type { DraftReply } from '../mail/inbox-rules/rule.ts'
import { Mailbox } from '../mail/mailbox/mailbox.type.ts'
import type { EmailAddress } from '../message/addresses.ts'
import { baseAddress, normaliseAddress } from '../message/mail-address.ts'
import { replySubject } from '../message/reply-subject.ts'
import { mailboxPaths, SieveMessage } from '../sieve/index.ts'
import type { Services } from '../type/context.ts'
import { activeScript } from './active-script.ts'
import { answerFor } from './answer.ts'
import { compose, replyRecipients } from './compose.ts'
import { type DeliveryEnvironment, decide } from './decide.ts'
import type { InboundMessage } from './inbound-message.ts'
import { authenticationFacts } from './inbound-verdict.ts'
import type { PreparedAnswer } from './outgoing.ts'
import { DeliveryPlan } from './plan.ts'
import { type DeliverySettings, settingsOf } from './settings.ts'
import { judgeSpam } from './spam/judge.ts'
import type { SpamVerdict } from './spam/verdict.ts'

/** The delivery of a message to one account. */
export interface PreparedDelivery {
  readonly account: number
  /** The address to which the message came, as the envelope names it. */
  readonly recipient: string
  readonly settings: DeliverySettings
  readonly plan: DeliveryPlan
  readonly spam: SpamVerdict | null
  readonly drafts: readonly PreparedEmail[]
  readonly answer: PreparedAnswer | null
}

/** One for each existing account, in order; an account with several recipients gets the message once. */
export async function prepareAll(
  services: Services,
  message: InboundMessage,
  email: PreparedEmail,
): Promise<readonly PreparedDelivery[]> {
  const sieveMessage = new SieveMessage(message.bytes, email.parsed)
  const found = new Map<number, { readonly settings: DeliverySettings; readonly recipient: string }>()
  for (const { account, address } of message.recipients) {
    const settings = found.has(account) ? null : await settingsOf(services, account)
    if (settings) found.set(account, { settings, recipient: address })
  }
  const scores = await scoresOf(services, message, email, [...found.values()])
  const deliveries: PreparedDelivery[] = []
  for (const [account, { settings, recipient }] of found) {
    const spam = scores.get(settings.organization) ?? null
    deliveries.push(await prepareFor(services, message, sieveMessage, { account, settings, spam, recipient }))
  }
  return deliveries
}

/** Spam scores by organization; none for local mail, and when the checks are off. */
async function scoresOf(
  services: Services,
  { verdict, bytes, receivedAt, mailFrom }: InboundMessage,
  { parsed }: PreparedEmail,
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
  sieveMessage: SieveMessage,
  given: Pick<PreparedDelivery, 'account' | 'settings' | 'spam' | 'recipient'>,
): Promise<PreparedDelivery> {
  const { account, settings, spam, recipient } = given
  if (message.reports) return { ...given, plan: new DeliveryPlan(NOWHERE), drafts: [], answer: null }
  const now = services.clock.now()
  const active = settings.hasScript ? await activeScript(services, account, now) : null
  const needsMailboxes = active !== null || settings.rules.length > 0
  const rows = needsMailboxes ? await services.store.read((reader) => listMailboxes(reader, account)) : []
  const environment: DeliveryEnvironment = {
    message: sieveMessage,
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
  const plan = await decide(environment, active, settings.rules)
  const drafts = await writeDrafts(services, sieveMessage, settings, plan, now)
  const answer = await writeAnswer(services, message, sieveMessage, settings, plan, now)
  return { ...given, plan, drafts, answer }
}

const NOWHERE = { find: () => null, ofRole: () => null }

async function writeDrafts(
  services: Services,
  { parsed }: SieveMessage,
  settings: DeliverySettings,
  { drafts, log, ending }: DeliveryPlan,
  now: number,
): Promise<PreparedEmail[]> {
  const written: PreparedEmail[] = []
  if (ending !== null) return written
  for (const { rule, action } of drafts) {
    const bytes = draftReply(parsed, settings, action, now)
    if (bytes) written.push(await emailFromMessage(services, bytes))
    else log.note('rule', 'The reply could not be written: the message names nobody to answer.', rule.name)
  }
  return written
}

/** The octets of a draft reply; null: the message has no address to reply to. */
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
  plan: DeliveryPlan,
  now: number,
): Promise<PreparedAnswer | null> {
  const { vacation, ownAddresses } = settings
  // The refusal is the answer.
  if (plan.ending?.kind === 'rejected') return null
  const { mailFrom, verdict = null } = inbound
  const answered = { message, mailFrom, verdict, isJunk: plan.isJunk, ownAddresses, now }
  const found = answerFor(answered, vacation, plan.vacation)
  if (!found) return null
  if ('none' in found) {
    plan.log.note('reply', `No automatic reply: ${found.none}.`)
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
