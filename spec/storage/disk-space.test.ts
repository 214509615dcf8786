// Promise D4: new content leaves a reserve of the disk free.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createCore } from '../../jmap/in-process-core.ts'
import { Administration } from '../../server/administration/administration.ts'
import { ManualClock } from '../../server/base/clock.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { openPacks } from '../../storage/blobs/packs.ts'
import { diskSpace, reserveOf } from '../../storage/disk-space.ts'
import { openStore } from '../../storage/store.ts'
import { forEachEngine, placeWithSchema } from '../support/engines.ts'
import { memoryBlobs } from '../support/memory-blobs.ts'
import { blob, outcome } from './blobs/blobs.ts'

const MIB = 1_048_576

t.test('the reserve is 5 % of a small disk and 100 MiB of a large one', async (t) => {
  t.equal(reserveOf(40 * MIB), 2 * MIB)
  t.equal(reserveOf(2_000 * MIB), 100 * MIB)
  t.equal(reserveOf(1_000_000 * MIB), 100 * MIB)
})

t.test('there is room down to the reserve, on the fuller of two disks', async (t) => {
  const disks = [
    { total: 1_000 * MIB, free: 51 * MIB },
    { total: 1_000 * MIB, free: 500 * MIB },
  ]
  // Both folders are on one disk: the sizes identify it.
  let disk = disks[0]!
  const space = diskSpace([tmpdir(), join(tmpdir(), 'not', 'there', 'yet')], () => disk)
  t.equal(space.hasRoom(0), true)
  t.equal(space.hasRoom(MIB), true)
  t.equal(space.hasRoom(MIB + 1), false)
  disk = disks[1]!
  t.equal(space.hasRoom(400 * MIB), true)
})

t.test(
  'far from the reserve a look at the disk counts for a while, and only for a small share of the room',
  async (t) => {
    const disk = { total: 10_000 * MIB, free: 1_100 * MIB }
    let now = 0
    let looks = 0
    const sizes = () => {
      looks++
      return disk
    }
    const space = diskSpace([tmpdir()], sizes, () => now)
    const looksOf = (...asked: number[]) => {
      looks = 0
      t.ok(asked.every((bytes) => space.hasRoom(bytes)))
      return looks
    }
    t.equal(looksOf(MIB, 20 * MIB, 20 * MIB), 1)
    t.equal(looksOf(20 * MIB), 1, 'a twentieth of the room has been given away')
    t.equal(looksOf(0), 1, 'the question whether the disk is full is always answered by a look')
    disk.free = 101 * MIB
    now = 101
    t.equal(space.hasRoom(2 * MIB), false, 'others filled the disk')
    t.equal(looksOf(MIB, MIB), 2, 'near the reserve each answer is a look')
  },
)

t.test('concurrent puts together leave the reserve free', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const space = { hasRoom: (bytes: number) => bytes <= 25_000 }
  const packs = await openPacks({ folder, space })
  t.teardown(() => packs.close())
  const outcomes = await Promise.all([1, 2, 3, 4].map((seed) => outcome(packs.put([blob(10_000, seed)]))))
  t.same(outcomes, ['resolved', 'resolved', 'storageFull', 'storageFull'])
  t.equal(await outcome(packs.put([blob(10_000, 5)])), 'resolved', 'control: one by one there is room')
})

await forEachEngine(t, async (t, engine) => {
  const { open } = await placeWithSchema(t, engine)
  const clock = new ManualClock()
  const disk = { isFull: false }
  const store = await openStore({
    dialect: open(),
    blobs: memoryBlobs(),
    clock,
    space: { hasRoom: () => !disk.isFull },
  })
  const core = await createCore({ store, clock, logger: silentLogger, verifyReservedDomains: true })
  t.teardown(() => core.close())
  const admin = new Administration(core)
  const owner = await admin.createOrganization('Full')
  const domain = await admin.createDomain(owner.id, 'example.test')
  const { id, address } = await admin.createMailbox(owner.id, domain.id, 'box', null, 'Secret123')
  const account = core.ids.accountNumber('mailbox', id)!

  t.test('without room new content is refused, and operations that free room succeed', async (t) => {
    const ingest = async () => {
      const message = { bytes: Buffer.from('Subject: x\r\n\r\nx'), receivedAt: 0, mailFrom: '' }
      const [results] = await core.ingest([{ ...message, recipients: [{ account, address }] }])
      return results
    }
    disk.isFull = true
    t.match(await ingest(), [{ status: 'failed', code: 'storageFull' }])
    await t.resolves(store.write([account], async (work) => work.account(account).addUsedBytes(0)))
    await t.resolves(core.sweep())
    disk.isFull = false
    t.match(await ingest(), [{ status: 'stored' }], 'with room again it is taken, without a restart')
  })
})
