/** Runs commands against the core and finds an order of their calls that explains every response. */
import type { Invocation } from '../../../jmap/protocol/messages.ts'
import type { Result } from '../../support/core.ts'
import { type Command, Plan, type PlannedCall } from './commands.ts'
import { opOf } from './judge.ts'
import { messageOctets } from './messages.ts'
import type { Op, World } from './op.ts'
import { OUTSIDE_RUNS } from './outside.ts'
import { PLANS } from './plans.ts'
import { type Session, send } from './session.ts'

/** Commands of one client in one request, or one outside of requests. */
export interface Action {
  readonly client: number
  readonly commands: readonly Command[]
}

/** Runs the actions at the same time. @throws if no order of them explains the result */
export async function runStep(session: Session, actions: readonly Action[]): Promise<void> {
  const isAlone = actions.length === 1 && actions[0]!.commands.length === 1
  const lines = await Promise.all(actions.map((action) => runAction(session, action, isAlone)))
  const before = session.world
  const explained = explain(before, lines)
  if (typeof explained === 'string') throw new Error(`${explained}\nin:\n${describe(lines)}`)
  session.world = { ...explained, step: before.step + 1, ids: new Set([...before.ids, ...idsIn(explained)]) }
  const alive = idsIn(explained)
  for (const [i, { mailboxes, emails, submissions }] of before.accounts.entries()) {
    const ids = [mailboxes, emails, submissions].flatMap((map) => [...map.keys()])
    session.accounts[i]!.gone.push(...ids.filter((id) => !alive.has(id)))
  }
}

function idsIn({ accounts }: World): Set<string> {
  return new Set(
    accounts.flatMap(({ mailboxes, emails, threads, submissions }) =>
      [mailboxes, emails, threads, submissions].flatMap((map) => [...map.keys()]),
    ),
  )
}

/** The world after an order of the lines' operations in which each is right; else the fault of the order that fitted longest. */
function explain(world: World, lines: readonly (readonly Op[])[]): World | string {
  let deepest = { depth: -1, fault: 'nothing happened' }
  const next = (at: World, places: readonly number[], depth: number): World | null => {
    if (lines.every((line, i) => places[i] === line.length)) return at
    for (const [i, line] of lines.entries()) {
      const op = line[places[i]!]
      if (!op) continue
      const trial = { ...at, accounts: at.accounts.map((model) => model.clone()) }
      const fault = op.apply(trial)
      if (fault && depth > deepest.depth) deepest = { depth, fault: `${fault}: ${op.label}` }
      const found = fault ? null : next(trial, places.with(i, places[i]! + 1), depth + 1)
      if (found) return found
    }
    return null
  }
  return (
    next(
      world,
      lines.map(() => 0),
      0,
    ) ?? deepest.fault
  )
}

function describe(lines: readonly (readonly Op[])[]): string {
  return lines.map((line, i) => line.map(({ label }) => `${i}: ${label}`).join('\n')).join('\n')
}

async function runAction(session: Session, { client, commands }: Action, isAlone: boolean): Promise<Op[]> {
  for (const { kind } of commands) session.tally.commands[kind] = (session.tally.commands[kind] ?? 0) + 1
  const [first] = commands
  const outside = OUTSIDE_RUNS[first!.kind]
  if (outside) return outside(session, first!)
  const calls = commands.flatMap((command, i) => {
    const plan = new Plan({ session, command, tag: `k${i}`, isAlone })
    PLANS[command.kind]!(plan)
    return plan.calls.map((call) => ({ call, message: command.message }))
  })
  const blobs = await Promise.all(calls.map(({ call, message }) => upload(session, client, call, message)))
  return runCalls(
    session,
    client,
    calls.map(({ call }, i) => withBlob(call, blobs[i]!)),
  )
}

async function upload(session: Session, client: number, call: PlannedCall, message: Command['message']) {
  if (call.name !== 'Email/import') return null
  const bytes = messageOctets(message, 'Bob <bob@example.org>', session.serial++)
  const { accountId } = session.accounts[call.account]!
  const uploaded = await session.core.core.upload(session.clients[client]!, accountId, 'message/rfc822', bytes)
  return uploaded!.blobId
}

/** The uploaded blob also stands for the content. */
function withBlob(call: PlannedCall, blobId: string | null): PlannedCall {
  if (blobId === null) return call
  const emails = Object.entries<Result>(call.args.emails).map(([id, record]) => [id, { ...record, blobId }])
  return { ...call, args: { ...call.args, emails: Object.fromEntries(emails) } }
}

/** One request; its calls, and the implicit ones, as operations in order. */
async function runCalls(session: Session, client: number, calls: readonly PlannedCall[]): Promise<Op[]> {
  const invocations = calls.map(({ name, args }, i): Invocation => {
    const reference = args['#destroy']
    return [name, reference ? { ...args, '#destroy': { ...reference, resultOf: String(i - 1) } } : args, String(i)]
  })
  const responses = await send(session, session.clients[client]!, invocations)
  const created = new Map<string, string>()
  const ops: Op[] = []
  for (const [i, call] of calls.entries()) {
    const own = responses.filter(([, , callId]) => callId === String(i))
    const [name, result] = own[0]! as [string, Result, string]
    session.tally[name === 'error' ? 'refused' : 'accepted']++
    if (call.name === 'Email/query') continue
    const args = resolve(call.args, created)
    if (call.args['#destroy']) args.destroy = (responses.find(([, , id]) => id === String(i - 1)) as Result)[1].ids
    ops.push(opOf({ ...call, args }, name, result))
    for (const [creationId, { id }] of Object.entries<Result>(result.created ?? {})) created.set(creationId, id)
    ops.push(...implicitOps(call, args, result, own.slice(1)))
  }
  return ops
}

/** Replaces creation ids of earlier calls, in values, keys and patch paths. */
function resolve(value: Result, created: ReadonlyMap<string, string>): Result {
  const text = (given: string) =>
    given.replace(/(^|\/)#(\w+)$/, (whole, start, id) => (created.has(id) ? `${start}${created.get(id)}` : whole))
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return value.map((item) => resolve(item, created))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), resolve(inner, created)]))
}

/** RFC 8620 5.4, RFC 8621 7.5: the implicit Email/set of a copy or a submission. */
function implicitOps(call: PlannedCall, args: Result, result: Result, responses: readonly Invocation[]): Op[] {
  const implied = call.name === 'Email/copy' ? afterCopy(args, result) : afterSubmission(args, result)
  if (!implied) return responses.map(([name]) => ({ label: name, apply: () => 'nobody asked for that call' }))
  const [response] = responses
  const isEmpty = Object.keys(implied.update ?? {}).length + implied.destroy.length === 0
  if (!response)
    return isEmpty ? [] : [{ label: 'implicit Email/set', apply: () => 'the implicit Email/set is missing' }]
  const account = call.name === 'Email/copy' ? call.extra.from : call.account
  return [opOf({ account, name: 'Email/set', args: implied, extra: {} }, response[0], response[1] as Result)]
}

function afterCopy(args: Result, result: Result): Result {
  const copied = Object.keys(result.created ?? {})
  return args.onSuccessDestroyOriginal && copied.length > 0
    ? { destroy: copied.map((creationId) => args.create[creationId].id) }
    : null
}

function afterSubmission(args: Result, result: Result): Result {
  if (result.type !== undefined || !(args.onSuccessUpdateEmail || args.onSuccessDestroyEmail)) return null
  const emailOf = (key: string) => (result.created?.[key.slice(1)] ? args.create[key.slice(1)].emailId : null)
  const updates = Object.entries(args.onSuccessUpdateEmail ?? {}).map(([key, patch]) => [emailOf(key), patch])
  return {
    update: Object.fromEntries(updates.filter(([id]) => id !== null)),
    destroy: (args.onSuccessDestroyEmail ?? []).map(emailOf).filter((id: string | null) => id !== null),
  }
}
