/** What a key that is limited to mailboxes can find out about the others of its organization. */
import t from 'tap'
import { type Result, startCore } from '../support/core.ts'

const { core, key, mailbox, organization, domainId, request } = await startCore(t)
const own = await mailbox('own')
const other = await mailbox('other')
const absent = core.ids.accountId('mailbox', 77_777)
const scopes = ['domains:read', 'domains:write', 'api_keys:read', 'api_keys:write']
const { principal } = await key({ scopes, mailboxIds: [own.accountId] })

async function set(type: string, args: Result): Promise<Result> {
  const [answer] = await request([[`${type}/set`, { accountId: organization.accountId, ...args }]], principal)
  return (answer as Result)[1]
}

t.test('a key that is limited to mailboxes cannot redirect the mail of a domain', async (t) => {
  const turn = async (catchAllMailboxId: string) =>
    (await set('Domain', { update: { [domainId]: { catchAllMailboxId } } })).notUpdated?.[domainId]
  t.match(await turn(other.accountId), { type: 'forbidden' })
  t.same(await turn(other.accountId), await turn(absent), 'as if it were not there')
  t.match(await turn(own.accountId), { type: 'forbidden' }, 'nor to its own: it changes no domains (decision D31)')
})

t.test('a new key cannot be used to find out which mailboxes exist', async (t) => {
  const make = async (id: string) =>
    await set('ApiKey', { create: { k: { name: 'More', scopes: ['domains:read'], mailboxIds: [id] } } })
  t.match((await make(other.accountId)).notCreated.k, { type: 'forbidden' })
  t.same((await make(other.accountId)).notCreated, (await make(absent)).notCreated)
  t.ok((await make(own.accountId)).created.k)
})
