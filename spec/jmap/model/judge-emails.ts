/** Email/set, Email/import and Email/copy (RFC 8621 4.6 to 4.8). */
import type { Result } from '../../support/core.ts'
import type { AccountModel, Message } from './account-model.ts'
import { type Call, outcomesFault, patched, refusalFault, type World } from './op.ts'

export function judgeEmailSet(model: AccountModel, call: Call, result: Result, world: World): string | null {
  const { args } = call
  const fault = outcomesFault(args, result) ?? destroys(model, args, result) ?? updates(model, args, result)
  return fault ?? creates(model, call, args.create, result, world)
}

export function judgeImport(model: AccountModel, call: Call, result: Result, world: World): string | null {
  return outcomesFault(call.args, result) ?? creates(model, call, call.args.emails, result, world)
}

/** `extra.originals`: the emails that may be copied, in their earlier state, by id. */
export function judgeCopy(model: AccountModel, call: Call, result: Result, world: World): string | null {
  const { args, extra } = call
  const fault = outcomesFault(args, result)
  if (fault) return fault
  for (const [creationId, error] of Object.entries<Result>(result.notCreated ?? {})) {
    const copy = args.create[creationId]
    const isThere = world.accounts[extra.from]!.emails.has(copy.id)
    const twice = doubles(model, copy.mailboxIds, extra.originals.get(copy.id)?.message, false)
    const allowed = isThere ? placeFaults(model, copy.mailboxIds) : ['notFound', 'invalidProperties']
    if (twice) allowed.push('alreadyExists')
    const refusal = refusalFault('copy', creationId, error, allowed)
    if (refusal) return refusal
  }
  for (const [creationId, created] of Object.entries<Result>(result.created ?? {})) {
    const { id, mailboxIds, keywords, receivedAt } = args.create[creationId]
    const original = extra.originals.get(id)
    if (!original) return `copied ${id}, which is not there`
    if (doubles(model, mailboxIds, original.message, true)) return `copied ${id} to where it is already`
    const wanted = {
      mailboxIds,
      keywords: keywords ?? Object.fromEntries(original.keywords.map((keyword: string) => [keyword, true])),
      receivedAt: receivedAt ?? new Date(original.receivedAt).toISOString(),
    }
    const wrong = create(model, wanted, original.message, created, world)
    if (wrong) return wrong
  }
  return null
}

function destroys(model: AccountModel, args: Result, result: Result): string | null {
  for (const id of result.destroyed ?? []) {
    if (!model.emails.has(id)) return `destroyed ${id}, which is not there`
    model.removeEmail(id)
  }
  for (const [id, error] of Object.entries<Result>(result.notDestroyed ?? {})) {
    const fault = refusalFault('destroy', id, error, model.emails.has(id) ? [] : ['notFound'])
    if (fault) return fault
  }
  return args.destroy?.some((id: string) => model.emails.has(id)) ? 'an email outlived its destruction' : null
}

function updates(model: AccountModel, args: Result, result: Result): string | null {
  for (const id of Object.keys(args.update ?? {})) {
    const email = model.emails.get(id)
    const before = email && { mailboxIds: asSet(email.mailboxIds), keywords: asSet(email.keywords) }
    const next = before && patched(before, args.update[id])
    // The creation id may be resolved before it is known which email it is for.
    const isUnresolved = JSON.stringify(args.update[id]).includes('#')
    const absent = ['notFound', 'willDestroy', ...(isUnresolved ? ['invalidProperties'] : [])]
    const faults = next ? placeFaults(model, next.mailboxIds) : absent
    const error = result.notUpdated?.[id]
    if (error) {
      const fault = refusalFault('update', id, error, faults)
      if (fault) return fault
    } else {
      if (faults.length > 0) return `updated ${id}; expected ${faults}`
      const { mailboxIds, keywords } = next
      model.emails.set(id, { ...email!, mailboxIds: keysOf(mailboxIds), keywords: lower(keywords) })
    }
  }
  return null
}

/** `extra.messages`: the content of the records, by creation id. */
function creates(model: AccountModel, call: Call, records: Result, result: Result, world: World): string | null {
  for (const [creationId, given] of Object.entries<Result>(records ?? {})) {
    const error = result.notCreated?.[creationId]
    const faults = placeFaults(model, given.mailboxIds)
    const fault = error
      ? refusalFault('create', creationId, error, faults)
      : faults.length > 0
        ? `created ${creationId}; expected ${faults}`
        : create(model, given, call.extra.messages[creationId], result.created[creationId], world)
    if (fault) return fault
  }
  return null
}

function create(model: AccountModel, given: Result, message: Message, created: Result, world: World): string | null {
  const { id, threadId } = created
  const receivedAt = given.receivedAt ? Date.parse(given.receivedAt) : world.now
  return putNew(model, id, threadId, { content: created.blobId, ...message }, world, {
    mailboxIds: keysOf(given.mailboxIds),
    keywords: lower(given.keywords ?? {}),
    receivedAt,
  })
}

/** An email with the id and in the thread that the server returned. */
export function putNew(
  model: AccountModel,
  id: string,
  threadId: string,
  message: Message,
  world: World,
  place: { mailboxIds: readonly string[]; keywords: readonly string[]; receivedAt: number },
): string | null {
  if (world.ids.has(id) || model.emails.has(id)) return `the id ${id} was used before`
  const threads = model.threadsFor(message)
  if (threads.length > 0 && !threads.includes(threadId)) return `thread ${threadId} instead of ${threads}`
  if (threads.length === 0 && (world.ids.has(threadId) || model.threads.has(threadId)))
    return `thread ${threadId} is not a new one`
  model.putEmail(id, { ...place, threadId, words: message.words, message }, world.step)
  return null
}

/** RFC 8621 4.7: whether one of the mailboxes has the message already; for drafts only the server knows. */
function doubles(model: AccountModel, mailboxIds: Result, message: Message | undefined, surely: boolean): boolean {
  const isSame = (other: Message) =>
    other.content === message?.content || (!surely && other.mentions.join() === message?.mentions.join())
  return [...model.emails.values()].some(
    (email) => email.mailboxIds.some((id) => mailboxIds[id]) && isSame(email.message),
  )
}

/** RFC 8621 4.1.1: at least one mailbox, and only existing ones. */
function placeFaults(model: AccountModel, mailboxIds: Result): string[] {
  const ids = Object.keys(mailboxIds)
  return ids.length > 0 && ids.every((id) => model.mailboxes.has(id)) ? [] : ['invalidProperties']
}

const asSet = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, true]))
const keysOf = (set: Result) => Object.keys(set).sort()
/** RFC 8621 4.1.1: case is ignored, and keywords are returned in lower case. */
const lower = (keywords: Result) => [...new Set(Object.keys(keywords).map((keyword) => keyword.toLowerCase()))].sort()
