/** One random sequence: steps of one or two clients, the model, and a third client that follows. */
import fc from 'fast-check'
import type { Principal } from '../../../server/base/principal.ts'
import type { Result, TestCore } from '../../support/core.ts'
import { command, KINDS, OUTSIDE } from './commands.ts'
import { compareAccount, compareObjects } from './compare.ts'
import { Follower } from './follower.ts'
import { noteStates, type Session, startSession, type Tally } from './session.ts'
import { type Action, runStep } from './steps.ts'

export interface Sequence {
  readonly steps: readonly (readonly Action[])[]
  readonly maxChanges: number
  /** The followed queries. */
  readonly lists: readonly number[]
}

const OUTSIDE_ALONE = ['wait', 'trim']

const action: fc.Arbitrary<Action> = fc.record({
  client: fc.nat(1),
  commands: fc.oneof(
    { weight: 5, arbitrary: fc.tuple(command(KINDS)) },
    { weight: 2, arbitrary: fc.tuple(command(KINDS), command(KINDS)) },
    { weight: 3, arbitrary: fc.tuple(command(OUTSIDE.filter((kind) => !OUTSIDE_ALONE.includes(kind)))) },
  ),
})
const passing: fc.Arbitrary<Action> = fc.record({ client: fc.constant(0), commands: fc.tuple(command(['wait'])) })
const trimming: fc.Arbitrary<Action> = fc.record({ client: fc.constant(0), commands: fc.tuple(command(['trim'])) })

export function sequences(maxSteps: number): fc.Arbitrary<Sequence> {
  return fc.record({
    steps: fc.array(
      fc.oneof(
        { weight: 60, arbitrary: fc.tuple(action) },
        { weight: 25, arbitrary: fc.tuple(action, action) },
        { weight: 8, arbitrary: fc.tuple(passing) },
        { weight: 1, arbitrary: fc.tuple(trimming) },
      ),
      { minLength: 4, maxLength: maxSteps, size: 'max' },
    ),
    maxChanges: fc.integer({ min: 1, max: 5 }),
    lists: fc.uniqueArray(fc.nat(20), { minLength: 4, maxLength: 4 }),
  })
}

/** Steps between two comparisons of everything. */
const EVERY = 5

/** @throws if the server and the model, or the follower and a fresh client, differ */
export async function runSequence(
  core: TestCore,
  clients: readonly Principal[],
  tally: Tally,
  given: Sequence,
): Promise<void> {
  const session = await startSession(core, clients, tally)
  try {
    await runSteps(session, given)
  } finally {
    await emptyQueue(session)
  }
  tally.sequences++
}

async function runSteps(session: Session, { steps, maxChanges, lists }: Sequence): Promise<void> {
  const followers = session.accounts.map((_, account) => {
    // The second account has fewer rights, so fewer lists of it are followed.
    const followed = lists.slice(account * 3).map((number) => listOf(session, account, number))
    return new Follower(session, account, maxChanges, followed)
  })
  for (const follower of followers) await follower.start()
  const syncAll = async () => {
    for (const follower of followers) await follower.sync()
  }
  for (const [i, step] of steps.entries()) {
    const isTrim = step[0]!.commands[0]!.kind === 'trim'
    for (const follower of followers) follower.mayStartAnew ||= isTrim
    // The follower runs while others write, unless it would have to start again, which takes several requests.
    const isBeside = i % 4 === 1 && !followers[0]!.mayStartAnew
    await Promise.all([runStep(session, step), isBeside && syncAll()])
    for (const account of session.accounts.keys()) await noteStates(session, account)
    if (i % 4 === 3) await syncAll()
    if (i % EVERY === EVERY - 1) await compareAll(session, compareObjects)
  }
  await compareAll(session, compareAccount)
  for (const follower of followers) await follower.check()
}

async function compareAll(session: Session, compare: typeof compareAccount): Promise<void> {
  for (const account of session.accounts.keys()) await compare(session, account)
}

/** Queries that a client may follow. */
function listOf(session: Session, account: number, number: number): Result {
  const model = session.world.accounts[account]!
  const inMailbox = model.mailboxWith('inbox')
  const trash = model.mailboxWith('trash')
  const sort = [{ property: 'receivedAt', isAscending: false }]
  const oldest = [{ property: 'receivedAt', isAscending: true }]
  const emails: Result[] = [
    { filter: { inMailbox }, sort },
    { filter: { inMailbox }, sort, collapseThreads: true },
    { filter: { inMailbox: trash }, sort: oldest, collapseThreads: true },
    { filter: { inMailboxOtherThan: [trash] }, sort },
    { filter: { hasKeyword: '$seen' }, sort, collapseThreads: true },
    { filter: { operator: 'AND', conditions: [{ inMailbox }, { notKeyword: '$seen' }] }, sort },
    { filter: { text: 'alpha' }, sort },
    { filter: { text: 'alpha' }, sort: oldest, collapseThreads: true },
    { filter: { inMailbox, text: 'beta' }, sort },
    { filter: { someInThreadHaveKeyword: '$seen' }, sort },
    { filter: { allInThreadHaveKeyword: '$seen' }, sort, collapseThreads: true },
    { filter: { operator: 'OR', conditions: [{ hasKeyword: 'todo' }, { body: 'gamma' }] }, sort },
    { filter: null, sort, window: 3 },
    { filter: { body: 'alpha' }, sort: oldest, window: 2 },
    { filter: { inMailbox }, sort, window: 3, collapseThreads: true },
    { filter: { noneInThreadHaveKeyword: 'todo' }, sort: [{ property: 'hasKeyword', keyword: '$seen' }, ...sort] },
  ]
  const others: { type: string; args: Result }[] = [
    { type: 'Mailbox', args: { sort: [{ property: 'name' }] } },
    { type: 'Mailbox', args: { filter: { parentId: null }, sort: [{ property: 'sortOrder' }, { property: 'name' }] } },
    { type: 'Mailbox', args: { filter: { hasAnyRole: false }, sort: [{ property: 'name', isAscending: false }] } },
    { type: 'EmailSubmission', args: { filter: { undoStatus: 'pending' }, sort: [{ property: 'sentAt' }] } },
    { type: 'EmailSubmission', args: { sort: [{ property: 'sentAt', isAscending: false }] } },
  ]
  return number < emails.length ? { type: 'Email', args: emails[number] } : others[number - emails.length]!
}

/** The next sequence's workers must not find messages of this one. */
async function emptyQueue({ core }: Session): Promise<void> {
  core.clock.advance(3_600_000)
  for (;;) {
    const claimed = await core.core.claimSubmissions('cleaner', 100, 1_000)
    if (claimed.length === 0) return
    await core.core.reportAttempts(
      claimed.map(({ account, submission, lease, recipients }) => ({
        account,
        submission,
        lease,
        outcomes: recipients.map(({ address }) => ({ address, status: 'sent', smtpReply: '250 ok', host: null })),
        retryAt: null,
      })),
    )
  }
}
