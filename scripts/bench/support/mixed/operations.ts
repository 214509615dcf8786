/** What the mixed load does, and how often. */
import { SmtpClient } from '../../../../spec/support/smtp-client.ts'
import { benchMessage } from '../messages.ts'
import type { MixedAccount, MixedClient } from './mixed-client.ts'

export interface Operation {
  readonly name: OperationName
  /** Share of the operations. */
  readonly weight: number
  run(client: MixedClient): Promise<void>
}

export type OperationName =
  | 'SMTP message'
  | 'REST send'
  | 'batch send'
  | 'REST list page'
  | 'JMAP page'
  | 'full message'
  | 'text search'
  | 'flags'
  | 'upload with import'
  | 'event source'
  | 'deletion'

/** Behind all that arrives: about eight messages in twenty operations. */
const DESTROYED_MAX = 50
const BATCH = 5
const LISTEN_MS = 3_000
const PAGE = 50
const WORDS = ['harbour', 'invoice', 'planet', 'garden', 'thunder', 'basket']
const TEXT = 'Thank you for your order.\n'.repeat(40)

export const OPERATIONS: readonly Operation[] = [
  { name: 'SMTP message', weight: 4, run: receive },
  { name: 'REST send', weight: 2, run: (client) => sendOne(client) },
  { name: 'batch send', weight: 0.3, run: sendBatch },
  { name: 'REST list page', weight: 3, run: listByRest },
  { name: 'JMAP page', weight: 3, run: listByJmap },
  { name: 'full message', weight: 2, run: readFull },
  { name: 'text search', weight: 1, run: search },
  { name: 'flags', weight: 2, run: setFlags },
  { name: 'upload with import', weight: 0.5, run: importOne },
  { name: 'event source', weight: 0.7, run: (client) => client.listen(LISTEN_MS) },
  { name: 'deletion', weight: 1.5, run: destroyOldest },
]

async function receive(client: MixedClient): Promise<void> {
  const account = client.anyAccount()
  const smtp = await SmtpClient.connect(client.server.smtp.port)
  await smtp.command('EHLO bench.example.org')
  // The client writes the line before the dot.
  const reply = await smtp.send('sender@example.org', [account.address], freshMessage(client).subarray(0, -2))
  smtp.end()
  if (!reply.startsWith('250')) throw new Error(reply)
  account.surplus++
}

async function sendOne(client: MixedClient): Promise<void> {
  const account = client.anyAccount()
  await client.rest('POST', '/messages', outgoing(client, account))
  account.surplus++
}

async function sendBatch(client: MixedClient): Promise<void> {
  const account = client.anyAccount()
  const messages = Array.from({ length: BATCH }, () => outgoing(client, account))
  const { data } = await client.rest('POST', '/messages/batch', { messages })
  const accepted = (data as { status: number }[]).filter(({ status }) => status === 201).length
  account.surplus += accepted
  if (accepted < BATCH) throw new Error(`${accepted} of ${BATCH} accepted`)
}

async function listByRest(client: MixedClient): Promise<void> {
  const account = client.anyAccount()
  const { data } = await client.rest(
    'GET',
    `/mailboxes/${account.id}/inbox/messages?limit=${PAGE}&folder_role=inbox&body=false`,
  )
  account.seen = (data as { id: string }[]).map(({ id }) => id)
}

async function listByJmap(client: MixedClient): Promise<void> {
  const account = client.anyAccount()
  await queryAndGet(client, account)
}

async function queryAndGet(client: MixedClient, account: MixedAccount): Promise<void> {
  const accountId = account.id
  const sort = [{ property: 'receivedAt', isAscending: false }]
  const properties = ['id', 'threadId', 'mailboxIds', 'keywords', 'size', 'receivedAt', 'from', 'subject', 'preview']
  const [{ ids }] = await client.jmap(
    ['Email/query', { accountId, filter: { inMailbox: account.inbox }, sort, limit: PAGE }, '0'],
    ['Email/get', { accountId, '#ids': { resultOf: '0', name: 'Email/query', path: '/ids' }, properties }, '1'],
  )
  account.seen = ids
}

async function readFull(client: MixedClient): Promise<void> {
  const account = client.anyAccount()
  const id = await anySeen(client, account)
  await client.jmap(['Email/get', { accountId: account.id, ids: [id], fetchAllBodyValues: true }, '0'])
}

async function search(client: MixedClient): Promise<void> {
  const { id: accountId } = client.anyAccount()
  const text = `${WORDS[client.nextNumber() % WORDS.length]} ${Math.floor(client.random() * 9_973)}`
  await client.jmap(['Email/query', { accountId, filter: { text }, limit: PAGE }, '0'])
}

async function setFlags(client: MixedClient): Promise<void> {
  const account = client.anyAccount()
  const id = await anySeen(client, account)
  const patch =
    client.random() < 0.5 ? { 'keywords/$seen': true } : { 'keywords/$flagged': client.random() < 0.5 || null }
  await client.jmap(['Email/set', { accountId: account.id, update: { [id]: patch } }, '0'])
}

async function importOne(client: MixedClient): Promise<void> {
  const account = client.anyAccount()
  const { id: accountId, inbox } = account
  const blobId = await client.upload(accountId, freshMessage(client))
  const emails = { e: { blobId, mailboxIds: { [inbox]: true } } }
  const [{ created, notCreated }] = await client.jmap(['Email/import', { accountId, emails }, '0'])
  if (!created?.e) throw new Error(JSON.stringify(notCreated))
  account.surplus++
}

/** As many as came since, in the mailbox that has most of them. */
async function destroyOldest(client: MixedClient): Promise<void> {
  const account = client.accounts.reduce((most, one) => (one.surplus > most.surplus ? one : most))
  const limit = Math.min(account.surplus, DESTROYED_MAX)
  if (limit === 0) return
  const accountId = account.id
  account.surplus -= limit
  const [, { destroyed }] = (await client.jmap(
    ['Email/query', { accountId, sort: [{ property: 'receivedAt', isAscending: true }], limit }, '0'],
    ['Email/set', { accountId, '#destroy': { resultOf: '0', name: 'Email/query', path: '/ids' } }, '1'],
  )) as unknown as [object, { destroyed: string[] | null }]
  account.surplus += limit - (destroyed?.length ?? 0)
}

async function anySeen(client: MixedClient, account: MixedAccount): Promise<string> {
  if (account.seen.length === 0) await queryAndGet(client, account)
  const { seen } = account
  const id = seen[Math.floor(client.random() * seen.length)]
  if (id === undefined) throw new Error('the inbox is empty')
  return id
}

/** Numbers far above those of the messages at the start. */
function freshMessage(client: MixedClient): Buffer {
  return benchMessage(10_000_000 + client.nextNumber())
}

function outgoing(client: MixedClient, { address }: MixedAccount): object {
  const number = client.nextNumber()
  return {
    from: address,
    to: `user${number % 1_000}@out.example.org`,
    subject: `Your order ${number}`,
    text: TEXT,
    tags: { order: String(number) },
  }
}
