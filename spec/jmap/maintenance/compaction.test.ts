/** The sweep frees disk space: with real packs, through the core. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createCore } from '../../../jmap/in-process-core.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { BLOB_INLINE_MAX_BYTES, BLOB_KEEP_MS, PACK_RETIRED_KEEP_MS } from '../../../server/base/limits.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { SYSTEM } from '../../../server/base/principal.ts'
import { openPacks } from '../../../storage/blobs/packs.ts'
import { checkStore } from '../../../storage/check/check-store.ts'
import { OBJECT_TYPES, type Result, USING } from '../../support/core.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'
import { mail, octets } from '../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-compaction-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const packClock = new ManualClock()
  const packs = await openPacks({ folder, clock: packClock, maxPackBytes: BLOB_INLINE_MAX_BYTES * 8 })
  const { store, clock } = await freshStore(t, engine, packs)
  const core = await createCore({ store, clock, logger: silentLogger, verifyReservedDomains: true })
  t.teardown(() => core.close())
  const call = async (name: string, args: object): Promise<Result> => {
    const methodCalls = [[name, args, 'c']] as never
    const answer = (await core.process(SYSTEM, { using: USING, methodCalls })) as Result
    return answer.methodResponses[0][1]
  }
  const advance = (ms: number) => {
    clock.advance(ms)
    packClock.advance(ms)
  }
  const bytesOnDisk = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.pack'))
      .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

  const organization = await core.createOrganization('Compaction')
  const inOrganization = { accountId: organization.accountId }
  const domainId = (await call('Domain/set', { ...inOrganization, create: { d: { name: 'example.test' } } })).created.d
    .id
  const create = { m: { domainId, localPart: 'hello', password: 'Secret123' } }
  const accountId: string = (await call('MailAccount/set', { ...inOrganization, create })).created.m.id
  const account = core.ids.accountNumber('mailbox', accountId)!
  const receive = async (raw: Uint8Array): Promise<string> => {
    const recipients = [{ account, address: 'hello@example.test' }]
    const [[result]] = (await core.ingest([{ bytes: raw, recipients, receivedAt: 0, mailFrom: '' }])) as Result
    return result.emailId
  }

  t.test('disk space is freed when most of the mail is deleted, and the rest is intact', async (t) => {
    const raws = Array.from({ length: 24 }, (_, i) =>
      octets(mail({ subject: `Number ${i}`, body: `${i} `.padEnd(BLOB_INLINE_MAX_BYTES + 1, `${i}`) })),
    )
    const emails: string[] = []
    for (const raw of raws) emails.push(await receive(raw))
    const full = bytesOnDisk()
    const kept = emails.filter((_, i) => i % 6 === 0)
    await call('Email/set', { accountId, destroy: emails.filter((_, i) => i % 6 !== 0) })
    advance(BLOB_KEEP_MS + 1)
    const first = await core.sweep()
    t.equal(first.contents, 20)
    t.ok(first.movedBlobs > 0, 'what is left moves together')
    t.equal(first.freedBytes, 0, 'somebody may still read at the old places')
    advance(PACK_RETIRED_KEEP_MS)
    const second = await core.sweep()
    t.ok(second.freedBytes > full / 2)
    t.ok(bytesOnDisk() < full / 2)
    const { list } = await call('Email/get', { accountId, ids: kept, properties: ['blobId'] })
    for (const [i, { blobId }] of (list as { blobId: string }[]).entries()) {
      const found = await core.download(SYSTEM, accountId, blobId)
      t.ok(Buffer.from(found!.bytes).equals(raws[i * 6]!), `number ${i * 6}`)
    }
    t.same(await checkStore(store, OBJECT_TYPES, { deep: true }), [])
    t.match(await core.sweep(), { movedBlobs: 0, freedBytes: 0 })
    t.match(await core.maintenance.run(), { strays: 0 })
  })
})
