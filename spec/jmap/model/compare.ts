/** Compares the server with the model: tree, counts, emails, lists, threads, submissions. */
import { isDeepStrictEqual } from 'node:util'
import type { Result } from '../../support/core.ts'
import type { AccountModel } from './account-model.ts'
import { WORDS } from './messages.ts'
import { ask, type Session } from './session.ts'

const NEWEST = [{ property: 'receivedAt', isAscending: false }]

/** @throws Error that names the difference */
export async function compareAccount(session: Session, account: number): Promise<void> {
  await compareObjects(session, account)
  await compareLists(session, account)
}

/** The same without lists by mailbox, keyword and word. */
export async function compareObjects(session: Session, account: number): Promise<void> {
  const { accountId } = session.accounts[account]!
  const model = session.world.accounts[account]!
  const found = (path: string, name: string) => ({ resultOf: '1', name, path })
  const [mailboxes, all, emails, threads, submissions] = (await ask(session, session.clients[0]!, [
    ['Mailbox/get', { accountId, ids: null }],
    ['Email/query', { accountId, sort: NEWEST, calculateTotal: true }],
    ['Email/get', { accountId, '#ids': found('/ids', 'Email/query'), properties: EMAIL_PROPERTIES }],
    ['Thread/get', { accountId, '#ids': { resultOf: '2', name: 'Email/get', path: '/list/*/threadId' } }],
    ['EmailSubmission/get', { accountId, ids: null }],
  ])) as [Result, Result, Result, Result, Result]
  same('mailboxes', byId(mailboxes.list, mailboxView), mailboxesOf(model))
  same('emails', byId(emails.list, emailView), emailsOf(model))
  same('the total', all.total, model.emails.size)
  inOrder('all emails', all.ids, model)
  threadsSame(threads, model)
  same('submissions', byId(submissions.list, submissionView), submissionsOf(model))
}

const EMAIL_PROPERTIES = ['mailboxIds', 'keywords', 'threadId', 'receivedAt', 'subject']

/** Lists by mailbox, keyword and word, plain and with one email of each thread. */
async function compareLists(session: Session, account: number): Promise<void> {
  const { accountId } = session.accounts[account]!
  const model = session.world.accounts[account]!
  const ids = (test: (email: Result, id: string) => boolean) =>
    [...model.emails].filter(([id, email]) => test(email, id)).map(([id]) => id)
  const lists: [Result, string[]][] = [...model.mailboxes.keys()].map((inMailbox) => [
    { inMailbox },
    model.emailsIn(inMailbox),
  ])
  for (const word of WORDS) lists.push([{ text: word }, ids((email) => email.words.includes(word))])
  lists.push([{ hasKeyword: '$seen' }, ids((email) => email.keywords.includes('$seen'))])
  lists.push([{ notKeyword: 'todo' }, ids((email) => !email.keywords.includes('todo'))])
  const calls = lists.flatMap(([filter]): [string, Result][] => [
    ['Email/query', { accountId, filter, sort: NEWEST, calculateTotal: true }],
    ['Email/query', { accountId, filter, sort: NEWEST, collapseThreads: true, calculateTotal: true }],
  ])
  for (let i = 0; i < calls.length; i += 16) {
    const results = await ask(session, session.clients[0]!, calls.slice(i, i + 16))
    for (let j = 0; j < results.length; j += 2) {
      const [filter, expected] = lists[(i + j) / 2]!
      const what = JSON.stringify(filter)
      listsSame(what, results[j], results[j + 1], expected, model)
    }
  }
}

function listsSame(what: string, plain: Result, collapsed: Result, expected: string[], model: AccountModel): void {
  same(`the emails of ${what}`, plain.ids.toSorted(), expected.toSorted())
  same(`the total of ${what}`, plain.total, expected.length)
  inOrder(what, plain.ids, model)
  const threads = new Set<string>()
  // RFC 8621 4.4.3: of each thread the one that comes first in the list.
  const first = (plain.ids as string[]).filter((id) => {
    const { threadId } = model.emails.get(id)!
    return !threads.has(threadId) && threads.add(threadId)
  })
  same(`collapsed ${what}`, collapsed.ids, first)
  same(`the total of collapsed ${what}`, collapsed.total, first.length)
}

function inOrder(what: string, ids: readonly string[], model: AccountModel): void {
  const times = ids.map((id) => model.emails.get(id)?.receivedAt)
  same(
    `the order of ${what}`,
    times,
    times.toSorted((a, b) => b! - a!),
  )
}

function threadsSame(threads: Result, model: AccountModel): void {
  const ids = [...model.threads.keys()]
  same('thread ids', threads.list.map(({ id }: Result) => id).toSorted(), ids.toSorted())
  for (const { id, emailIds } of threads.list) {
    same(`thread ${id}`, emailIds.toSorted(), model.emailsOfThread(id).toSorted())
    // RFC 8621 3: oldest first.
    inOrder(`thread ${id}`, emailIds.toReversed(), model)
  }
}

const byId = (list: readonly Result[], view: (object: Result) => Result) =>
  Object.fromEntries(list.map((object) => [object.id, view(object)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const mailboxView = (mailbox: Result) => {
  const { id: _id, myRights: _rights, ...rest } = mailbox
  return rest
}

function mailboxesOf(model: AccountModel): Result {
  return byId(
    [...model.mailboxes].map(([id, mailbox]) => ({ id, ...mailbox, ...model.counts(id) })),
    mailboxView,
  )
}

const emailView = ({ mailboxIds, keywords, threadId, receivedAt }: Result) => ({
  mailboxIds: Object.keys(mailboxIds).sort(),
  keywords: Object.keys(keywords).sort(),
  threadId,
  receivedAt: Date.parse(receivedAt),
})

function emailsOf(model: AccountModel): Result {
  return byId(
    [...model.emails].map(([id, email]) => ({ id, ...email })),
    ({ mailboxIds, keywords, threadId, receivedAt }) => ({
      mailboxIds: [...mailboxIds].sort(),
      keywords: [...keywords].sort(),
      threadId,
      receivedAt,
    }),
  )
}

const submissionView = ({ emailId, threadId, undoStatus, sendAt, deliveryStatus }: Result) => ({
  emailId,
  threadId,
  undoStatus,
  sendAt: Date.parse(sendAt),
  recipients: Object.fromEntries(
    Object.entries<Result>(deliveryStatus).map(([address, { delivered, smtpReply }]) => [
      address,
      [delivered, smtpReply],
    ]),
  ),
})

function submissionsOf(model: AccountModel): Result {
  return byId(
    [...model.submissions].map(([id, submission]) => ({ id, ...submission })),
    ({ emailId, threadId, undoStatus, sendAt, recipients }) => ({ emailId, threadId, undoStatus, sendAt, recipients }),
  )
}

/** @throws if the two differ */
export function same(what: string, actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(plain(actual), plain(expected)))
    throw new Error(`${what} differ\n  server: ${JSON.stringify(actual)}\n  model:  ${JSON.stringify(expected)}`)
}

/** Without prototypes and the order of keys, which have no meaning. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
