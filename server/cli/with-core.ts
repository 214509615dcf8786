/** Opens the data for one command. A server may be running on it at the same time. */
import { existsSync } from 'node:fs'
import type { Core } from '../../jmap/services.ts'
import { Administration } from '../administration/administration.ts'
import { systemClock } from '../base/clock.ts'
import { Failure } from '../base/errors.ts'
import { createLogger } from '../base/logger.ts'
import { type Config, readConfig } from '../config/config.ts'
import { gatherSettings } from '../config/env.ts'
import { readSecrets } from '../config/secrets.ts'
import { ensureDataFolder } from '../startup/data-folder.ts'
import type { Invocation } from './command.ts'

export interface CommandContext {
  readonly config: Config
  readonly core: Core
  readonly admin: Administration
  /** Whether results are wanted as JSON. */
  readonly json: boolean
}

/**
 * Runs `use` with a core. Commands write rows and no blobs, so that a server may run on the same data folder.
 * @param mayBegin the command makes an installation where there is none
 */
export async function withCore<T>(
  { settings, terminal }: Invocation,
  use: (context: CommandContext) => Promise<T>,
  { mayBegin = false }: { readonly mayBegin?: boolean } = {},
): Promise<T> {
  const raw = gatherSettings(settings, terminal.environment)
  const config = readConfig(raw)
  if (!mayBegin) requireData(config)
  ensureDataFolder(config.data)
  // Commands print their results; logs would disturb.
  const logger = createLogger(raw.has('log_level') ? config.logLevel : 'error')
  const { corePlan } = await import('../threads/core-plan.ts')
  const { openInProcess } = await import('../threads/in-process.ts')
  const plan = corePlan(config, readSecrets(raw))
  const { core } = await openInProcess({ plan, clock: systemClock, logger, withoutBlobs: true })
  try {
    return await use({ config, core, admin: new Administration(core), json: config.json })
  } finally {
    await core.close()
  }
}

/** Where a path is wrong, no installation is made. @throws Failure `configuration` if the data folder has no data */
export function requireData({ data, database }: Config): void {
  if (existsSync(data)) ensureDataFolder(data)
  if (database.kind === 'sqlite' && !existsSync(database.file))
    throw new Failure('configuration', `there is no data in ${data}`)
}

/**
 * The organization of a command: the named one, or the only one.
 * @throws Failure `configuration` if there is none, or more than one
 */
export async function chooseOrganization(admin: Administration, wanted: string | null): Promise<string> {
  const organizations = await admin.organizations()
  if (wanted !== null) {
    const found = organizations.find(({ id, name }) => id === wanted || name === wanted)
    if (!found) throw new Failure('configuration', `there is no organization "${wanted}"`)
    return found.id
  }
  const [only, ...others] = organizations
  if (!only) throw new Failure('configuration', 'there is no organization yet; `posthouse setup` creates one')
  if (others.length > 0) {
    const names = organizations.map(({ name }) => `"${name}"`).join(', ')
    throw new Failure('configuration', `there are several organizations; choose one with --organization: ${names}`)
  }
  return only.id
}
