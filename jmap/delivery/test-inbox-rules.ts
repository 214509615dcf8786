/** InboxRules/test, a vendor method. */
import type { JsonObject } from '../../server/base/json.ts'
import { findEmail } from '../../storage/repos/emails.ts'
import { listMailboxes } from '../../storage/repos/mailboxes.ts'
import { readStored } from '../mail/blob/blobs.ts'
import { Email } from '../mail/email/email.type.ts'
import { parseMailboxes } from '../mail/email/load.ts'
import { checkRules } from '../mail/inbox-rules/check.ts'
import { compileRules } from '../mail/inbox-rules/compile.ts'
import { folderFault, inboxRulesOf } from '../mail/inbox-rules/inbox-rules.handlers.ts'
import { InboxRulesTest } from '../mail/inbox-rules/inbox-rules.type.ts'
import type { InboxRule } from '../mail/inbox-rules/rule.ts'
import { Mailbox } from '../mail/mailbox/mailbox.type.ts'
import { invalidArguments } from '../protocol/errors.ts'
import { mailboxPaths, SieveMessage } from '../sieve/index.ts'
import type { MethodContext } from '../type/context.ts'
import { implement } from '../type/method.ts'
import { decide } from './decide.ts'

export const testRulesMethod = implement(InboxRulesTest, async (method, { emailId, rules }) =>
  testRules(method, emailId, rules && (await givenRules(method, rules))),
)

/** @throws MethodError */
async function givenRules(method: MethodContext, given: readonly JsonObject[]): Promise<readonly InboxRule[]> {
  const checked = checkRules(given)
  if ('fault' in checked) throw invalidArguments(checked.fault, ['rules'])
  const fault = await method.read((reader) => folderFault(method, reader, checked.rules))
  if (fault) throw invalidArguments(fault, ['rules'])
  return checked.rules
}

async function testRules(method: MethodContext, emailId: string, given: readonly InboxRule[] | null) {
  const account = method.account.number
  const number = method.number(Email, emailId)
  const found = await method.read(async (reader) => {
    const email = number === null ? null : await findEmail(reader, account, number)
    const bytes = email && (await readStored(method.services.store, reader, account, email.blob))
    const mailboxes = await listMailboxes(reader, account)
    return email && bytes ? { email, bytes, mailboxes, rules: given ?? (await inboxRulesOf(reader, account)) } : null
  })
  if (!found) throw invalidArguments('There is no such email.', ['emailId'])
  const { email, mailboxes } = found
  const roles = new Map(mailboxes.flatMap(({ role, id }) => (role === null ? [] : [[role, id] as const])))
  const isJunk = parseMailboxes(email.mailboxes).includes(roles.get('junk') ?? 0)
  const plan = await decide(
    {
      message: new SieveMessage(found.bytes),
      envelope: { from: method.account.name, to: method.account.name },
      mailboxes: mailboxPaths(mailboxes),
      now: method.services.clock.now(),
      verdict: isJunk ? { quarantine: 'it lies in Junk' } : null,
      spam: null,
      threshold: 0,
      hasModel: true,
      mailboxNumber: (id) => method.number(Mailbox, id),
    },
    null,
    compileRules(found.rules),
  )
  const there = new Set(mailboxes.map(({ id }) => id))
  const targets = plan.targets.map((target) =>
    'id' in target ? target.id : roles.get('role' in target ? (target.role ?? '') : ''),
  )
  const mailboxIds = targets.map((id) => (id !== undefined && there.has(id) ? id : roles.get('inbox')!))
  return {
    accountId: method.account.id,
    matched: plan.matched,
    mailboxIds: Object.fromEntries(mailboxIds.map((id) => [method.id(Mailbox, id), true as const])),
    keywords: Object.fromEntries(plan.settleKeywords().map((keyword) => [keyword, true as const])),
  }
}
