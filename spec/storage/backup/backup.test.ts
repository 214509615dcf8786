// Promise D6: backups of SQLite and its packs, and their restore.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createCore } from '../../../jmap/in-process-core.ts'
import type { Core } from '../../../jmap/services.ts'
import { Administration } from '../../../server/administration/administration.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { Keyring } from '../../../server/base/keyring.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { type Principal, SYSTEM } from '../../../server/base/principal.ts'
import { listBackups } from '../../../storage/backup/backup-folder.ts'
import { restoreBackup } from '../../../storage/backup/restore-backup.ts'
import { takeBackup } from '../../../storage/backup/take-backup.ts'
import { openPacks } from '../../../storage/blobs/packs.ts'
import { checkStore } from '../../../storage/check/check-store.ts'
import { openSqlite } from '../../../storage/dialect/sqlite.ts'
import type { Store } from '../../../storage/ports.ts'
import { openStore } from '../../../storage/store.ts'
import { OBJECT_TYPES, type Result, USING } from '../../support/core.ts'

const KEYS = [new Uint8Array(32).fill(7)]
const LARGE = 40_000

interface Installation {
  readonly core: Core
  readonly store: Store
  readonly clock: ManualClock
  readonly data: string
  close(): Promise<void>
}

const places = (data: string) => ({ data, database: join(data, 'posthouse.db'), packs: join(data, 'blobs') })

function temporary(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function open(t: Test, data: string): Promise<Installation> {
  const clock = new ManualClock()
  mkdirSync(data, { recursive: true })
  const blobs = await openPacks({ folder: places(data).packs, clock })
  const store = await openStore({ dialect: openSqlite({ file: places(data).database }), blobs, clock })
  const keyring = new Keyring(KEYS)
  const core = await createCore({ store, clock, logger: silentLogger, keyring, verifyReservedDomains: true })
  let isOpen = true
  const close = async () => {
    if (isOpen) await core.close()
    isOpen = false
  }
  t.teardown(close)
  return { core, store, clock, data, close }
}

/** An installation with a mailbox, a small message in the database and a large one in a pack. */
async function filled(t: Test) {
  const installation = await open(t, join(temporary(t), 'data'))
  const { core, data } = installation
  writeFileSync(join(data, 'secret.key'), 'the key')
  const admin = new Administration(core)
  const owner = await admin.createOrganization('Kept')
  const domain = await admin.createDomain(owner.id, 'example.test')
  const { id, address } = await admin.createMailbox(owner.id, domain.id, 'box', null, 'Secret123')
  const account = core.ids.accountNumber('mailbox', id)!
  const receive = async (subject: string, size = 10) => {
    const text = `From: a@example.org\r\nSubject: ${subject}\r\n\r\n${`${subject} `.repeat(size / subject.length)}\r\n`
    const recipients = [{ account, address }]
    const [[result]] = (await core.ingest([
      { bytes: Buffer.from(text), recipients, receivedAt: 0, mailFrom: '' },
    ])) as Result
    return result.emailId as string
  }
  await receive('small')
  await receive('large', LARGE)
  const folder = join(temporary(t), 'backups')
  const take = (keep = 7) => takeBackup({ ...places(data), folder, keep, now: installation.clock.now() })
  return { ...installation, accountId: id, account, folder, receive, take }
}

async function restored(t: Test, folder: string, name: string | null = null): Promise<Installation> {
  const data = join(temporary(t), 'restored')
  mkdirSync(data)
  restoreBackup({ folder, name, ...places(data) })
  return open(t, data)
}

async function call(core: Core, accountId: string, name: string, args: object): Promise<Result> {
  const principal: Principal = SYSTEM
  const request = { using: USING, methodCalls: [[name, { accountId, ...args }, '0']] }
  return ((await core.process(principal, request as never)) as Result).methodResponses[0]
}

async function subjectsIn(core: Core, accountId: string): Promise<string[]> {
  const [, { list }] = await call(core, accountId, 'Email/get', { ids: null, properties: ['subject', 'blobId'] })
  const subjects: string[] = []
  for (const { subject, blobId } of list) {
    const file = await core.download(SYSTEM, accountId, blobId)
    subjects.push(Buffer.from(file!.bytes).includes(`Subject: ${subject}`) ? subject : `${subject} is damaged`)
  }
  return subjects.sort()
}

t.test('a backup that is taken while mail arrives has all that was acknowledged before it, and is sound', async (t) => {
  const { core, accountId, folder, receive, take } = await filled(t)
  const arriving = Promise.all(Array.from({ length: 40 }, (_, i) => receive(`during ${i}`, i % 2 ? 10 : LARGE)))
  await take()
  await arriving
  const again = await restored(t, folder)
  t.same(await checkStore(again.store, OBJECT_TYPES, { deep: true }), [])
  const found = await subjectsIn(again.core, accountId)
  for (const subject of ['small', 'large']) t.ok(found.includes(subject), subject)
  t.notOk(found.some((subject) => subject.endsWith('is damaged')))
  t.equal((await subjectsIn(core, accountId)).length, 42, 'control: the server went on')
  t.ok(existsSync(join(again.data, 'secret.key')))
})

t.test('a later backup copies only what has been added to the packs, and each can be restored', async (t) => {
  const { accountId, folder, receive, take, close } = await filled(t)
  const first = await take()
  t.ok(first.copiedBytes > LARGE)
  await receive('later', LARGE)
  const second = await take()
  t.ok(second.copiedBytes > LARGE && second.copiedBytes < 2 * LARGE, `${second.copiedBytes} octets`)
  t.equal((await take()).copiedBytes, 0)
  await close()
  t.same(await subjectsIn((await restored(t, folder, first.name)).core, accountId), ['large', 'small'])
  t.same(await subjectsIn((await restored(t, folder)).core, accountId), ['large', 'later', 'small'])
})

t.test('a restored installation backs itself up beside the other into the same folder', async (t) => {
  const { accountId, folder, receive, take } = await filled(t)
  const first = await take()
  await receive('of the first', LARGE)
  const second = await take()
  const again = await restored(t, folder, first.name)
  const text = `Subject: of the second\r\n\r\n${'of the second '.repeat(LARGE / 14)}`
  const recipients = [{ account: again.core.ids.accountNumber('mailbox', accountId)!, address: 'box@example.test' }]
  await again.core.ingest([{ bytes: Buffer.from(text), recipients, receivedAt: 0, mailFrom: '' }])
  const third = await takeBackup({ ...places(again.data), folder, keep: 7, now: again.clock.now() })
  const subjects = async ({ name }: { name: string }) => subjectsIn((await restored(t, folder, name)).core, accountId)
  t.same(await subjects(second), ['large', 'of the first', 'small'])
  t.same(await subjects(third), ['large', 'of the second', 'small'])
})

t.test('only so many backups stay, with the packs that they need', async (t) => {
  const { folder, receive, take, store, clock } = await filled(t)
  const [old] = [await take(2)]
  const copies = () => readdirSync(join(folder, 'blobs')).length
  t.equal(copies(), 1)
  await receive('more')
  await take(2)
  // Nothing refers to the large message any more, so later backups need no pack.
  await store.write([], ({ sql }) =>
    sql.raw('update blob set location = null, data = zeroblob(size) where location is not null'),
  )
  clock.advance(1)
  t.equal((await take(2)).kept, 2)
  t.notOk(listBackups(folder).some(({ name }) => name === old!.name))
  t.equal(copies(), 1, 'one that stays needs it')
  await take(2)
  t.equal(copies(), 0)
})

t.test('clients cannot go on from a state, or with an id, of before the restore', async (t) => {
  const { core, accountId, account, folder, receive, take } = await filled(t)
  const stateOf = async (from: Core) => (await call(from, accountId, 'Email/get', { ids: [] }))[1].state as string
  const changes = (from: Core, sinceState: string) => call(from, accountId, 'Email/changes', { sinceState })
  const before = await stateOf(core)
  await take()
  const lost = await receive('lost')
  const after = await stateOf(core)
  t.match(await changes(core, before), ['Email/changes', { created: [lost] }], 'control: it could before')
  const again = await restored(t, folder)
  const now = await stateOf(again.core)
  t.notOk([before, after].includes(now))
  for (const state of [before, after])
    t.match(await changes(again.core, state), ['error', { type: 'cannotCalculateChanges' }])
  t.match(await changes(again.core, now), ['Email/changes', { created: [], updated: [], destroyed: [] }])
  const mailbox = await call(again.core, accountId, 'Mailbox/changes', { sinceState: before })
  t.match(mailbox, ['error', { type: 'cannotCalculateChanges' }], 'of any type')
  const recipients = [{ account, address: 'box@example.test' }]
  const bytes = Buffer.from('Subject: new\r\n\r\nx')
  const [[made]] = (await again.core.ingest([{ bytes, recipients, receivedAt: 0, mailFrom: '' }])) as Result
  t.not(made.emailId, lost, 'an id that was given out after the backup names nothing else')
  t.match(await changes(again.core, now), ['Email/changes', { created: [made.emailId] }], 'from there on it goes on')
  t.same(await checkStore(again.store, OBJECT_TYPES), [])
})

t.test('mail that waited in the queue is held', async (t) => {
  const { core, folder, account, take } = await filled(t)
  const mailFrom = 'box@example.test'
  const principal: Principal = { ...SYSTEM, kind: 'mailbox', mailboxes: [account], organization: 1, credential: 'x' }
  const bytes = Buffer.from(
    `From: ${mailFrom}\r\nTo: b@example.org\r\nDate: Thu, 1 Jan 2026 00:00:00 +0000\r\nSubject: out\r\n\r\nx`,
  )
  t.match(await core.submit(principal, { bytes, mailFrom, recipients: [{ address: 'b@example.org' }] }), {
    status: 'queued',
  })
  await take()
  const data = join(temporary(t), 'restored')
  mkdirSync(data)
  t.match(restoreBackup({ folder, name: null, ...places(data) }), { held: 1 })
  const again = await open(t, data)
  const claim = (from: Core) => from.claimSubmissions('worker', 10, 1_000)
  t.same(await claim(again.core), [])
  t.match(await claim(core), [{ mailFrom }], 'control: the first installation sends it')
})

t.test('a restore goes into an empty folder only, and one that was broken off begins anew', async (t) => {
  const { data, folder, take } = await filled(t)
  t.throws(() => restoreBackup({ folder, name: null, ...places(temporary(t)) }), /there is no backup in/)
  const { name } = await take()
  t.throws(() => restoreBackup({ folder, name: 'other', ...places(temporary(t)) }), /there is no backup other in/)
  t.throws(
    () => restoreBackup({ folder, name: null, ...places(data) }),
    /holds data; a backup is restored into an empty/,
  )
  const target = temporary(t)
  const copies = join(folder, 'blobs')
  const [copy] = readdirSync(copies)
  const { size } = statSync(join(copies, copy!))
  const octets = new Uint8Array(size - 1)
  writeFileSync(join(copies, copy!), octets)
  t.throws(() => restoreBackup({ folder, name, ...places(target) }), { code: 'corrupt' })
  t.ok(existsSync(join(target, 'restoring')), 'until it is complete, the folder is marked')
  t.notOk(existsSync(places(target).database))
  writeFileSync(join(copies, copy!), new Uint8Array(size))
  t.equal(restoreBackup({ folder, name, ...places(target) }).name, name)
  t.notOk(existsSync(join(target, 'restoring')))
})

t.test('a backup that was broken off does not count, and the next one removes it', async (t) => {
  const { folder, take } = await filled(t)
  const { name } = await take()
  const left = join(folder, '20990101T000000.000Z.part')
  mkdirSync(left)
  t.same(
    listBackups(folder).map((backup) => backup.name),
    [name],
  )
  await take()
  t.notOk(existsSync(left))
})

t.test('a damaged backup keeps neither the next one from being taken nor others from being restored', async (t) => {
  const { accountId, folder, receive, take } = await filled(t)
  const good = await take()
  await receive('more', LARGE)
  const damaged = await take()
  writeFileSync(join(folder, damaged.name, 'manifest.json'), '{"format":')
  const target = join(temporary(t), 'restored')
  mkdirSync(target)
  t.throws(() => restoreBackup({ folder, name: null, ...places(target) }), {
    code: 'corrupt',
    message: new RegExp(damaged.name),
  })
  t.same(readdirSync(target), [], 'the newest is not silently another')
  t.same(await subjectsIn((await restored(t, folder, good.name)).core, accountId), ['large', 'small'])
  const next = await take(2)
  t.equal(next.kept, 2, 'the damaged one counts, as it may be needed by hand')
  t.same(await subjectsIn((await restored(t, folder, next.name)).core, accountId), ['large', 'more', 'small'])
  t.equal((await take(1)).kept, 1)
  t.notOk(existsSync(join(folder, damaged.name)))
})
