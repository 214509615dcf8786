// Promise D6: backups by schedule, of an installation on disk.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as settle } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createCore } from '../../../jmap/in-process-core.ts'
import { Administration } from '../../../server/administration/administration.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { Keyring } from '../../../server/base/keyring.ts'
import { type Logger, silentLogger } from '../../../server/base/logger.ts'
import { readConfig } from '../../../server/config/config.ts'
import { gatherSettings } from '../../../server/config/env.ts'
import { Egress } from '../../../server/egress/safe-fetch.ts'
import type { WorkerDeps } from '../../../server/workers/worker.ts'
import { createWorkers } from '../../../server/workers/workers.ts'
import { listBackups } from '../../../storage/backup/backup-folder.ts'
import { restoreBackup } from '../../../storage/backup/restore-backup.ts'
import { openPacks } from '../../../storage/blobs/packs.ts'
import { openSqlite } from '../../../storage/dialect/sqlite.ts'
import { openStore } from '../../../storage/store.ts'

const MINUTE = 60_000
const NOON = new Date(2026, 6, 1, 12).getTime()

type Logged = readonly [level: 'info' | 'error', message: string, fields: object]

async function openAt(t: Test, data: string, clock: ManualClock) {
  const blobs = await openPacks({ folder: join(data, 'blobs'), clock })
  const store = await openStore({ dialect: openSqlite({ file: join(data, 'posthouse.db') }), blobs, clock })
  const keyring = new Keyring([new Uint8Array(32).fill(7)])
  const core = await createCore({ store, clock, logger: silentLogger, keyring, verifyReservedDomains: true })
  t.teardown(() => core.close())
  return core
}

/** The workers of an installation that is to be backed up each full hour, started at noon. */
async function start(t: Test) {
  const root = mkdtempSync(join(tmpdir(), 'posthouse-test-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const [data, folder] = [join(root, 'data'), join(root, 'backups')]
  mkdirSync(data)
  const clock = new ManualClock(NOON)
  const core = await openAt(t, data, clock)
  const settings = { data, backup_to: folder, backup_schedule: '0 * * * *', backup_keep: '3' }
  const config = readConfig(gatherSettings(settings, {}))
  const waiting: ((one: Logged) => void)[] = []
  const log = (level: Logged[0]) => (fields: object, message: string) => {
    if (message.startsWith('backup')) waiting.shift()?.([level, message, fields])
  }
  const logger: Logger = { ...silentLogger, info: log('info'), error: log('error') }
  const egress = new Egress({ clock })
  const deps = { clock, logger, config, core, egress, webhookEgress: egress, inside: egress }
  const workers = createWorkers(deps as unknown as WorkerDeps)
  for (const worker of workers) await worker.start()
  t.teardown(() => Promise.all(workers.map((worker) => worker.stop())))
  return {
    core,
    data,
    folder,
    root,
    /** Lets minutes pass, one by one. @returns what is then logged of the backup that began in the last of them */
    async pass(minutes: number): Promise<Logged> {
      const logged = new Promise<Logged>((resolve) => waiting.push(resolve))
      for (let minute = 0; minute < minutes; minute++) {
        clock.advance(MINUTE)
        await settle()
      }
      return logged
    },
    /** Local times of the backups, such as 13:00. */
    times: () => listBackups(folder).map(({ manifest }) => new Date(manifest.takenAt).toTimeString().slice(0, 5)),
  }
}

t.test('backups are taken by schedule, and each has what was stored before it', async (t) => {
  const { core, folder, root, pass, times } = await start(t)
  await new Administration(core).createOrganization('Early')
  t.match(await pass(5), ['info', 'backup', { kept: 1 }])
  t.same(times(), ['12:05'], 'the first soon after the first start')
  await new Administration(core).createOrganization('Late')
  t.match(await pass(55), ['info', 'backup', { kept: 2 }])
  t.same(times(), ['12:05', '13:00'])
  for (let hour = 0; hour < 2; hour++) await pass(60)
  t.same(times(), ['13:00', '14:00', '15:00'], 'only so many stay')
  const target = join(root, 'restored')
  mkdirSync(target)
  const places = { data: target, database: join(target, 'posthouse.db'), packs: join(target, 'blobs') }
  restoreBackup({ folder, name: listBackups(folder)[0]!.name, ...places })
  const restored = await openAt(t, target, new ManualClock(NOON))
  t.same((await restored.organizations()).map(({ name }) => name).sort(), ['Early', 'Late'])
})

t.test('a backup that fails is logged and harms no other, and the next one is taken', async (t) => {
  const { folder, pass, times } = await start(t)
  await pass(5)
  // A file stands where the folder was, as if another disk were mounted.
  renameSync(folder, `${folder}.away`)
  writeFileSync(folder, '')
  t.match(await pass(55), ['error', 'backup failed', { error: /^the backup was not taken: / }])
  rmSync(folder)
  renameSync(`${folder}.away`, folder)
  t.match(await pass(60), ['info', 'backup', { kept: 2 }])
  t.same(times(), ['12:05', '14:00'])
})
