/**
 * Dev mode's organization, domain, mailbox and key. The first start creates them, later starts find them. Only dev mode keeps credentials in
 * plain text, in a file that only its owner can read, because the tour prints them at each start.
 */
import type { Core } from '../../jmap/services.ts'
import { Administration } from '../administration/administration.ts'
import { generatePassword } from '../administration/generate-password.ts'
import type { Logger } from '../base/logger.ts'
import { DEV_ADDRESS, DEV_DOMAIN, DEV_LOCAL_PART } from '../config/dev-defaults.ts'
import { readPrivateFile, writePrivateFile } from '../startup/data-folder.ts'

export interface DevCredentials {
  readonly organization: { readonly id: string }
  readonly domain: { readonly id: string; readonly name: string }
  readonly mailbox: { readonly id: string; readonly address: string; readonly password: string }
  readonly api_key: string
}

const FILE = 'dev-credentials.json'
const ORGANIZATION = 'Dev organization'
const KEY_NAME = 'dev key'
const LOOPBACK = '127.0.0.1'

interface Kept {
  readonly organization?: string
  readonly password?: string
  readonly api_key?: string
}

type DevCore = Pick<Core, 'process' | 'organizations' | 'createOrganization' | 'authenticate'>

/** Creates what is missing. After a crash between two steps the next start continues. */
export async function ensureDevCredentials(core: DevCore, folder: string, logger: Logger): Promise<DevCredentials> {
  const admin = new Administration(core)
  const kept = readKept(folder, logger)
  const organizations = await admin.organizations()
  const organization =
    organizations.find(({ id }) => id === kept.organization) ??
    organizations.find(({ name }) => name === ORGANIZATION) ??
    (await admin.createOrganization(ORGANIZATION))
  const domain =
    (await admin.findDomain(organization.id, DEV_DOMAIN)) ?? (await admin.createDomain(organization.id, DEV_DOMAIN))
  const mailbox = await ensureMailbox(core, admin, organization.id, domain.id, kept.password, logger)
  const key = await ensureKey(core, admin, organization.id, kept.api_key)
  const changed = kept.organization !== organization.id || kept.password !== mailbox.password || kept.api_key !== key
  if (changed) {
    const content: Kept = { organization: organization.id, password: mailbox.password, api_key: key }
    writePrivateFile(folder, FILE, `${JSON.stringify(content, null, 2)}\n`)
  }
  return {
    organization: { id: organization.id },
    domain: { id: domain.id, name: domain.name },
    mailbox,
    api_key: key,
  }
}

function readKept(folder: string, logger: Logger): Kept {
  const text = readPrivateFile(folder, FILE)
  if (text === null) return {}
  try {
    return JSON.parse(text) as Kept
  } catch {
    logger.warn({ file: FILE }, 'the dev credentials cannot be read; new ones are created')
    return {}
  }
}

async function ensureMailbox(
  core: DevCore,
  admin: Administration,
  organization: string,
  domainId: string,
  kept: string | undefined,
  logger: Logger,
): Promise<DevCredentials['mailbox']> {
  const address = DEV_ADDRESS
  const found = await admin.findMailbox(organization, address)
  if (!found) {
    const password = kept ?? generatePassword()
    const create = () => named(admin.createMailbox(organization, domainId, DEV_LOCAL_PART, 'Hello', password))
    return { ...(await despitePlan(admin, organization, create)), password }
  }
  const works =
    kept !== undefined &&
    (await core.authenticate({ kind: 'password', address, password: kept, ip: LOOPBACK })) !== null
  if (works) return { id: found.id, address: found.address, password: kept }
  if (kept !== undefined) logger.warn({ address }, 'the password was changed since; dev mode sets a new one')
  const password = generatePassword()
  await admin.setPassword(organization, found.id, password)
  return { id: found.id, address: found.address, password }
}

/** With billing an organization has no mailboxes before it subscribes, but the tour needs one. It stays when the plan is the free one again. */
async function despitePlan<T>(admin: Administration, organization: string, create: () => Promise<T>): Promise<T> {
  const { mailboxes } = await admin.usage(organization)
  if (mailboxes.limit !== 0) return create()
  await admin.subscribe(organization, 'solo', null)
  try {
    return await create()
  } finally {
    await admin.subscribe(organization, null, null)
  }
}

async function named(made: Promise<{ id: string; address: string }>): Promise<{ id: string; address: string }> {
  const { id, address } = await made
  return { id, address }
}

async function ensureKey(
  core: DevCore,
  admin: Administration,
  organization: string,
  kept: string | undefined,
): Promise<string> {
  const works = kept !== undefined && (await core.authenticate({ kind: 'bearer', token: kept, ip: LOOPBACK })) !== null
  return works ? kept : (await admin.createKey(organization, KEY_NAME)).key
}
