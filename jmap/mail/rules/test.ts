/**
 * InboxRules/test: what rules would do with an email if it came in now, without doing it. Vendor.
 * Takes `emailId` and `rules` (null: those of the mailbox); answers `matched` (ids of the rules whose conditions it meets, in order),
 * `mailboxIds` where it would go, and `keywords` that it would get.
 */

import { findEmail } from '../../../storage/repos/emails.ts'
import { findInboxRules } from '../../../storage/repos/inbox-rules.ts'
import { listMailboxes } from '../../../storage/repos/mailboxes.ts'
import { SERVICE } from '../../capabilities.ts'
import type { MethodContext } from '../../context.ts'
import { invalidArguments } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { mailboxPaths, SieveMessage } from '../../sieve/index.ts'
import { defineMethod } from '../../type/method.ts'
import { p } from '../../type/property.ts'
import { readStored } from '../blobs.ts'
import { decide } from '../delivery/decide.ts'
import { parseMailboxes } from '../email/load.ts'
import { rulesFault } from './check.ts'
import { compileRules } from './compile.ts'
import type { InboxRule } from './rule.ts'
import { folderFault } from './rules.ts'

export const testRulesMethod = defineMethod({
  name: 'InboxRules/test',
  capability: SERVICE,
  accounts: 'mailbox',
  // What conditions find out of a message tells what is in it.
  scope: 'messages:read',
  writes: false,
  args: {
    emailId: p.id(),
    rules: p.json({ type: ['array', 'null'], items: { type: 'object' } }).defaults(null),
  },
  run: (method, args) => testRules(method, args['emailId'] as string, args['rules'] as readonly JsonObject[] | null),
})

async function testRules(method: MethodContext, emailId: string, given: readonly JsonObject[] | null) {
  const fault =
    given &&
    (rulesFault(given) ??
      (await method.read((reader) => folderFault(method, reader, given as unknown as readonly InboxRule[]))))
  if (fault) throw invalidArguments(fault, ['rules'])
  const account = method.account.number
  const number = method.number('Email', emailId)
  const found = await method.read(async (reader) => {
    const email = number === null ? null : await findEmail(reader, account, number)
    const bytes = email && (await readStored(method.services.store, reader, account, email.blob))
    const mailboxes = await listMailboxes(reader, account)
    return email && bytes ? { email, bytes, mailboxes, rules: given ?? (await findInboxRules(reader, account)) } : null
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
      mailboxNumber: (id) => method.number('Mailbox', id),
    },
    null,
    compileRules(found.rules as unknown as readonly InboxRule[]),
  )
  const there = new Set(mailboxes.map(({ id }) => id))
  const targets = plan.targets.map((target) =>
    'id' in target ? target.id : roles.get('role' in target ? (target.role ?? '') : ''),
  )
  const mailboxIds = targets.map((id) => (id !== undefined && there.has(id) ? id : roles.get('inbox')!))
  return {
    accountId: method.account.id,
    matched: plan.matched as Json,
    mailboxIds: Object.fromEntries(mailboxIds.map((id) => [method.id('Mailbox', id), true])),
    keywords: Object.fromEntries(plan.settleKeywords().map((keyword) => [keyword, true])),
  }
}
