/** `posthouse backup` and `posthouse restore`. */
import { resolve } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { Failure } from '../base/errors.ts'
import { BACKUP_KEEP } from '../base/storage-limits.ts'
import { backupRefusal } from '../config/backup-settings.ts'
import { type Config, readConfig } from '../config/config.ts'
import { gatherSettings } from '../config/env.ts'
import { ensureDataFolder } from '../startup/data-folder.ts'
import { type Command, type Invocation, optional, UsageError } from './command.ts'
import { requireData } from './with-core.ts'

export const backup: Command = {
  name: 'backup',
  summary: 'takes a backup of all data into a folder, while the server runs or not',
  description:
    'The folder keeps several backups. Large messages are copied once for all of them. What was acknowledged before the backup began is in it,\n' +
    'and so is the key of the stored secrets: keep the folder as safe as the data.',
  positionals: '<folder>',
  options: { keep: { value: '<number>', help: `how many backups stay in the folder (default: ${BACKUP_KEEP})` } },
  async run(invocation) {
    const folder = folderOf(invocation)
    const keep = keepOf(optional(invocation, 'keep'))
    const { config, data, database, packs, json } = places(invocation)
    requireData(config)
    const { takeBackup } = await import('../../storage/backup/take-backup.ts')
    const taken = await takeBackup({ data, database, packs, folder, keep, now: systemClock.now() })
    const { name, databaseBytes, packBytes, copiedBytes, kept } = taken
    const words =
      `Backup ${name}: database ${megabytes(databaseBytes)}, large blobs ${megabytes(packBytes)} of which ${megabytes(copiedBytes)} are new. ` +
      `${kept} ${kept === 1 ? 'backup' : 'backups'} in ${folder}.\n`
    invocation.terminal.print(json ? `${JSON.stringify({ folder, ...taken })}\n` : words)
    return 0
  },
}

export const restore: Command = {
  name: 'restore',
  summary: 'restores a backup into an empty data folder',
  description:
    'Clients fetch everything anew afterwards. Mail in the queue is held, since it may have left after the backup: posthouse queue list shows\n' +
    'it, and posthouse queue release --held sends it.',
  positionals: '<folder>',
  options: { backup: { value: '<name>', help: 'name of the backup (default: the newest)' } },
  async run(invocation) {
    const folder = folderOf(invocation)
    const { data, database, packs, json } = places(invocation)
    ensureDataFolder(data, false)
    const { restoreBackup } = await import('../../storage/backup/restore-backup.ts')
    const restored = restoreBackup({ folder, name: optional(invocation, 'backup'), data, database, packs })
    const { name, takenAt, held } = restored
    const mail = held === 0 ? '' : ` ${held} messages of the queue are held.`
    const words = `Restored ${name}, as of ${new Date(takenAt).toISOString()}, into ${data}.${mail}\n`
    invocation.terminal.print(json ? `${JSON.stringify({ data, ...restored })}\n` : words)
    return 0
  },
}

function folderOf({ positionals }: Invocation): string {
  const [folder, more] = positionals
  if (folder === undefined || more !== undefined) throw new UsageError('it needs one folder of backups')
  return resolve(folder)
}

function keepOf(text: string | null): number {
  if (text === null) return BACKUP_KEEP
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--keep: "${text}" is not a number from 1 on`)
  return Number(text)
}

/** @throws Failure `configuration` for an installation that is backed up otherwise */
function places({ settings, terminal }: Invocation) {
  const config: Config = readConfig(gatherSettings(settings, terminal.environment))
  const { data, database, blobs, json } = config
  if (database.kind !== 'sqlite' || blobs.kind !== 'disk') throw new Failure('configuration', backupRefusal(config)!)
  return { config, data, database: database.file, packs: blobs.folder, json }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
