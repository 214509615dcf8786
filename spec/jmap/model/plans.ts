/** The calls of each command of a client. */
import type { Result } from '../../support/core.ts'
import type { Command, Plan } from './commands.ts'

const NAMES = ['Box', 'Work', 'Home', 'Zürich']
const ROLES = [null, 'archive', 'trash', 'important', 'junk', null]
const KEYWORDS = ['$seen', '$flagged', '$Draft', 'todo', '$seen']
/** Recipients of one domain: the queue has a row for each destination, and the model one for each submission. */
const RECIPIENTS = ['one@example.org', 'two@example.org', 'three@example.org']

const nameOf = (number: number) => NAMES[number % NAMES.length]!
const roleOf = (number: number) => ROLES[number % ROLES.length]!

export const PLANS: { readonly [K in Command['kind']]?: (plan: Plan) => void } = {
  mailboxCreate(plan) {
    const parentId = plan.yes(0) ? plan.mailbox(0) : null
    const [top, below] = [`${plan.tag}t`, `${plan.tag}b`]
    const create: Result = { [top]: { name: nameOf(plan.n(1)), parentId, role: roleOf(plan.n(2)) } }
    if (plan.yes(1)) create[below] = { name: nameOf(plan.n(3)), parentId: `#${top}`, isSubscribed: false }
    plan.call('Mailbox/set', { create })
  },

  mailboxUpdate(plan) {
    const changes: Result[] = [
      { name: nameOf(plan.n(1)) },
      { parentId: plan.yes(0) ? plan.mailbox(1) : null },
      { role: roleOf(plan.n(1)) },
      { sortOrder: plan.n(1) },
      { isSubscribed: plan.yes(0) },
      { name: nameOf(plan.n(1)), parentId: plan.yes(0) ? plan.mailbox(2) : null },
    ]
    plan.call('Mailbox/set', { update: { [plan.mailbox(0)]: changes[plan.n(3) % changes.length] } })
  },

  mailboxSwap(plan) {
    const [a, b] = [plan.mailbox(0), plan.mailbox(1)]
    const { mailboxes } = plan.model
    const what = plan.yes(0) ? 'name' : plan.yes(1) ? 'role' : 'parentId'
    const value = (id: string) => mailboxes.get(id)?.[what] ?? (what === 'name' ? 'Box' : null)
    plan.call('Mailbox/set', { update: { [a]: { [what]: value(b) }, [b]: { [what]: value(a) } } })
  },

  mailboxDestroy(plan) {
    // The Trash more often than others, because unread counts depend on it.
    const trash = plan.yes(2) && plan.yes(3) ? plan.model.mailboxWith('trash') : null
    const destroy = trash === null ? plan.several((i) => plan.mailbox(i), 3) : [trash]
    plan.call('Mailbox/set', { destroy, ...(plan.yes(0) && { onDestroyRemoveEmails: true }) })
  },

  mailboxReplace(plan) {
    const id = plan.mailbox(0)
    const { name, parentId, role } = plan.model.mailboxes.get(id) ?? { name: 'Box', parentId: null, role: null }
    const create = { [`${plan.tag}r`]: { name, parentId, role } }
    plan.call('Mailbox/set', { destroy: [id], create, onDestroyRemoveEmails: plan.yes(0) })
  },

  import(plan) {
    const mailboxIds = setOf(plan.several((i) => plan.mailbox(i), 2))
    const keywords = plan.yes(0) ? { [keywordOf(plan.n(3))]: true } : {}
    const receivedAt = plan.yes(1) ? dateOf(plan.n(2)) : undefined
    const record = { blobId: 'upload', mailboxIds, keywords, ...(receivedAt && { receivedAt }) }
    const id = `${plan.tag}i`
    plan.call('Email/import', { emails: { [id]: record } }, { messages: { [id]: plan.message('bob@example.org') } })
  },

  keywords(plan) {
    const keyword = keywordOf(plan.n(3))
    const patch = plan.yes(0)
      ? { [`keywords/${keyword}`]: plan.yes(1) ? true : null }
      : { keywords: plan.yes(1) ? { [keyword]: true, todo: true } : {} }
    const ids = plan.several((i) => plan.email(i), 3)
    plan.call('Email/set', { update: Object.fromEntries(ids.map((id) => [id, patch])) })
  },

  move(plan) {
    const [a, b] = [plan.mailbox(2), plan.mailbox(3)]
    const patches: Result[] = [
      { mailboxIds: { [a]: true } },
      { mailboxIds: { [a]: true, [b]: true } },
      { [`mailboxIds/${a}`]: true },
      { [`mailboxIds/${a}`]: null },
      { ...(a !== b && { [`mailboxIds/${a}`]: null }), [`mailboxIds/${b}`]: true },
      { mailboxIds: { [a]: true }, 'keywords/$seen': plan.yes(1) ? true : null },
    ]
    const ids = plan.several((i) => plan.email(i), 2)
    plan.call('Email/set', { update: Object.fromEntries(ids.map((id) => [id, patches[plan.n(3) % patches.length]])) })
  },

  draft(plan) {
    const id = `${plan.tag}d`
    const create = { [id]: plan.draft(setOf(plan.several((i) => plan.mailbox(i), 2))) }
    plan.call('Email/set', { create }, { messages: { [id]: plan.message() } })
  },

  destroy(plan) {
    plan.call('Email/set', { destroy: plan.several((i) => plan.email(i), 3) })
  },

  /** The results of a query, named by a result reference. */
  destroyFound(plan) {
    plan.call('Email/query', { filter: { hasKeyword: 'todo' }, limit: 1 + (plan.n(0) % 3) })
    plan.call('Email/set', { '#destroy': { resultOf: '', name: 'Email/query', path: '/ids' } })
  },

  copy(plan) {
    const { session, command } = plan
    const from = 1 - command.account
    const source = session.world.accounts[from]!
    const ids = [...source.emails.keys()]
    const mailboxIds = setOf([plan.mailbox(1)])
    const keywords = plan.yes(0) || !plan.isAlone ? { keywords: { [keywordOf(plan.n(2))]: true } } : {}
    const create = { [`${plan.tag}c`]: { id: ids[plan.n(0) % ids.length] ?? 'none', mailboxIds, ...keywords } }
    const args = { fromAccountId: session.accounts[from]!.accountId, create, onSuccessDestroyOriginal: plan.yes(1) }
    plan.call('Email/copy', args, { from, originals: new Map(source.emails) })
  },

  /** A mailbox and, in the same request, an email that moves into it. */
  moveToNew(plan) {
    const id = `${plan.tag}n`
    const create = { [id]: { name: nameOf(plan.n(1)), parentId: plan.yes(0) ? plan.mailbox(2) : null } }
    const patch = plan.yes(1) ? { mailboxIds: { [`#${id}`]: true } } : { [`mailboxIds/#${id}`]: true }
    plan.call('Mailbox/set', { create })
    plan.call('Email/set', { update: { [plan.email(0)]: patch } })
  },

  submit(plan) {
    const own = [...plan.model.emails]
      .filter(([, { message }]) => message.author === plan.model.address)
      .map(([id]) => id)
    const emailId = plan.yes(0) && own.length > 0 ? own[plan.n(0) % own.length]! : plan.email(0)
    submit(plan, emailId)
  },

  /** A draft, and its submission under its creation id. */
  submitDraft(plan) {
    const id = `${plan.tag}d`
    const create = { [id]: plan.draft(setOf([plan.mailbox(1)])) }
    plan.call('Email/set', { create }, { messages: { [id]: plan.message() } })
    submit(plan, `#${id}`)
  },

  cancel(plan) {
    plan.call('EmailSubmission/set', { update: { [plan.submission(0)]: { undoStatus: 'canceled' } } })
  },

  forget(plan) {
    plan.call('EmailSubmission/set', { destroy: [plan.submission(0)] })
  },
}

function submit(plan: Plan, emailId: string): void {
  const { address, identityId } = plan.session.accounts[plan.command.account]!
  const id = `${plan.tag}s`
  const rcptTo = RECIPIENTS.slice(0, 1 + (plan.n(1) % 3)).map((email) => ({ email }))
  const parameters = plan.yes(2) ? { HOLDFOR: String(10 * (1 + plan.n(2))) } : null
  const create = { [id]: { identityId, emailId, envelope: { mailFrom: { email: address, parameters }, rcptTo } } }
  const onSuccess = [
    {},
    { onSuccessUpdateEmail: { [`#${id}`]: { 'keywords/$draft': null, 'keywords/$seen': true } } },
    { onSuccessDestroyEmail: [`#${id}`] },
    { onSuccessUpdateEmail: { [`#${id}`]: { mailboxIds: { [plan.mailbox(3)]: true } } } },
  ]
  plan.call('EmailSubmission/set', { create, ...onSuccess[plan.n(3) % onSuccess.length] })
}

const keywordOf = (number: number) => KEYWORDS[number % KEYWORDS.length]!
const setOf = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, true]))
/** Few different times, so that emails often have the same one. */
export const dateOf = (number: number) => `2026-01-0${1 + (number % 5)}T00:00:00Z`
