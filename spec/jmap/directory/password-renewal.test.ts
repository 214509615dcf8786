// Promise A1: after a login, verifiers have the present parameters.
import { hash } from '@node-rs/argon2'
import t from 'tap'
import { mailboxCredential } from '../../../jmap/directory/secrets.ts'
import { ARGON2_MEMORY_KIB, ARGON2_PASSES } from '../../../server/base/limits.ts'
import { findCredential, replaceVerifier } from '../../../storage/repos/directory.ts'
import { PASSWORD, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, store, mailbox } = await startCore(t, engine)
  const { account, address } = await mailbox('hello')
  const key = mailboxCredential(account)
  const verifier = async () => (await store.read((reader) => findCredential(reader, key)))!.verifier!
  const keep = (text: string) => store.write([account], (work) => replaceVerifier(work.sql, key, text))
  const login = (password = PASSWORD) => core.authenticate({ kind: 'password', address, password, ip: '192.0.2.1' })

  t.test('a new password is hashed by argon2id with at least 19 MiB and two passes', async (t) => {
    const [, memory, passes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$/.exec(await verifier())!
    t.ok(Number(memory) >= 19 * 1024 && Number(passes) >= 2)
  })

  t.test('a login leaves a strong verifier unchanged', async (t) => {
    const before = await verifier()
    t.ok(await login())
    t.equal(await verifier(), before)
  })

  t.test('a login rehashes a weak verifier, and push subscriptions of the password stay', async (t) => {
    await keep(await hash(PASSWORD, { algorithm: 2, memoryCost: 8_192, timeCost: 1, parallelism: 1 }))
    const weak = await verifier()
    t.equal(await login('Wrong-password-1'), null)
    t.equal(await verifier(), weak, 'not for a wrong password')
    const first = await login()
    t.match(await verifier(), `m=${ARGON2_MEMORY_KIB},t=${ARGON2_PASSES},`)
    const second = await login()
    t.equal(second?.stamp, first?.stamp)
    t.ok(first?.stamp)
    t.equal(await login('Wrong-password-1'), null)
  })
})
