/** Actions of clients, workers and senders, as numbers that fast-check draws; and the calls that they mean at the time. */
import fc from 'fast-check'
import type { Result } from '../../support/core.ts'
import type { AccountModel, Message, TypeName } from './account-model.ts'
import { describeMessage, draftOf, type MessageChoice } from './messages.ts'
import type { Session } from './session.ts'

export const KINDS = [
  'mailboxCreate',
  'mailboxUpdate',
  'mailboxSwap',
  'mailboxDestroy',
  'mailboxReplace',
  'import',
  'import',
  'keywords',
  'keywords',
  'move',
  'move',
  'draft',
  'destroy',
  'destroyFound',
  'copy',
  'moveToNew',
  'submit',
  'submitDraft',
  'submit',
  'cancel',
  'forget',
] as const

/** Actions outside of requests. */
export const OUTSIDE = ['ingest', 'ingest', 'ingest', 'claim', 'report', 'report', 'report', 'wait', 'trim'] as const

export interface Command {
  readonly kind: (typeof KINDS)[number] | (typeof OUTSIDE)[number]
  readonly account: number
  readonly n: readonly number[]
  readonly yes: readonly boolean[]
  readonly message: MessageChoice
  readonly ifInState: 'none' | 'fresh' | 'stale'
}

const message: fc.Arbitrary<MessageChoice> = fc.record({
  subject: fc.nat(1),
  isReply: fc.boolean(),
  id: fc.nat(7),
  references: fc.array(fc.nat(7), { maxLength: 3 }),
  words: fc.array(fc.nat(2), { maxLength: 3 }),
  isLarge: fc.nat(15).map((n) => n === 15),
})

export function command(kinds: readonly Command['kind'][]): fc.Arbitrary<Command> {
  return fc.record({
    kind: fc.constantFrom(...kinds),
    account: fc.nat(3).map((n) => Math.floor(n / 3)),
    n: fc.array(fc.nat(20), { minLength: 5, maxLength: 5 }),
    yes: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    message,
    ifInState: fc.constantFrom('none', 'none', 'none', 'fresh', 'stale'),
  })
}

/** One method call of a client. */
export interface PlannedCall {
  readonly account: number
  readonly name: string
  /** May hold creation ids and back-references. */
  readonly args: Result
  readonly ifInVersion?: number
  readonly extra: Result
}

/** The data that a plan may read. */
export interface Planning {
  readonly session: Session
  readonly command: Command
  /** Prefix of creation ids, so that those of several commands of a request differ. */
  readonly tag: string
  /** false: other calls may run between, so everything that they could change must be named. */
  readonly isAlone: boolean
}

export class Plan {
  readonly session: Session
  readonly command: Command
  readonly tag: string
  readonly isAlone: boolean
  readonly calls: PlannedCall[] = []

  constructor({ session, command, tag, isAlone }: Planning) {
    this.session = session
    this.command = command
    this.tag = tag
    this.isAlone = isAlone
  }

  get model(): AccountModel {
    return this.session.world.accounts[this.command.account]!
  }

  n(position: number): number {
    return this.command.n[position]!
  }

  yes(position: number): boolean {
    return this.command.yes[position]!
  }

  /** An id of a list by number; sometimes a deleted one. */
  pick(list: readonly string[], position: number): string {
    const number = this.n(position)
    const { gone } = this.session.accounts[this.command.account]!
    if (number === 20 && gone.length > 0) return gone.at(-1)!
    return list[number % list.length] ?? gone.at(-1) ?? 'none'
  }

  mailbox(position: number): string {
    return this.pick([...this.model.mailboxes.keys()], position)
  }

  email(position: number): string {
    return this.pick([...this.model.emails.keys()], position)
  }

  submission(position: number): string {
    return this.pick([...this.model.submissions.keys()], position)
  }

  /** Up to `max` different ones. */
  several(one: (position: number) => string, max: number): string[] {
    return [...new Set(Array.from({ length: 1 + (this.n(4) % max) }, (_, i) => one(i)))]
  }

  call(name: string, args: Result, extra: Result = {}, account = this.command.account): void {
    const { accountId, states } = this.session.accounts[account]!
    const { ifInState } = this.command
    const type = name.slice(0, name.indexOf('/')) as TypeName
    // Only the first call of a command: the others follow its own changes.
    const isGiven = ifInState !== 'none' && this.calls.length === 0 && /\/(set|copy|import)$/.test(name)
    const known = isGiven ? (ifInState === 'fresh' ? states[type].at(-1) : states[type][0]) : undefined
    const state = known && { ifInState: known.state }
    this.calls.push({
      account,
      name,
      args: { accountId, ...state, ...args },
      extra,
      ...(known && { ifInVersion: known.version }),
    })
  }

  message(author = this.model.address): Message {
    return describeMessage(this.command.message, author)
  }

  draft(mailboxIds: Result): Result {
    const { address } = this.session.accounts[this.command.account]!
    return { ...draftOf(this.command.message, address), mailboxIds, keywords: { $draft: true, $Seen: true } }
  }
}
