/** Keys that encrypt stored secrets: created once and kept in a file of the data folder, outside the database. */
import { randomBytes } from 'node:crypto'
import type { Store } from '../../storage/ports.ts'
import { installationKeyNames, sealingKeyNames } from '../../storage/repos/sealed.ts'
import { Failure } from '../base/errors.ts'
import { Keyring, SECRET_KEY_BYTES } from '../base/keyring.ts'
import { readPrivateFile, writePrivateFile } from './data-folder.ts'

const FILE = 'secret.key'

interface KeyPlace {
  /** The data folder. */
  readonly data: string
  /** The setting: 64 hexadecimal digits each, separated by commas, the newest first; null: those of the file. */
  readonly secretKey: string | null
}

/**
 * The keys of an installation. Without any, one is made, unless something is sealed already.
 * @throws Failure `configuration` for an invalid or a missing key; its message does not repeat a key
 */
export async function openKeyring(store: Store, { data, secretKey }: KeyPlace): Promise<Keyring> {
  const text = secretKey ?? readPrivateFile(data, FILE)
  if (text === null) {
    if ((await store.read(sealingKeyNames)).size > 0) throw missing(`there is no ${FILE} in ${data}`)
    return keyringOf(createFile(data), FILE)
  }
  const keyring = keyringOf(text, secretKey === null ? FILE : 'secret_key')
  const used = await store.read(installationKeyNames)
  if ([...used].some((name) => !keyring.names.includes(name)))
    throw missing(`it is not in ${secretKey === null ? `${FILE} of ${data}` : 'secret_key'}`)
  return keyring
}

/** Faults of the keys for the sealed secrets, a sentence each; writes nothing. For `verify`. */
export async function keyringFaults(store: Store, { data, secretKey }: KeyPlace): Promise<string[]> {
  const text = secretKey ?? readPrivateFile(data, FILE)
  const used = [...(await store.read(sealingKeyNames))]
  if (text === null) return used.length > 0 ? [`secrets are sealed, and there is no ${FILE}`] : []
  try {
    const { names } = keyringOf(text, secretKey === null ? FILE : 'secret_key')
    return used
      .filter((name) => !names.includes(name))
      .map((name) => `secrets are sealed with key ${name}, which is missing`)
  } catch (error) {
    return [(error as Failure).message]
  }
}

function missing(where: string): Failure {
  return new Failure(
    'configuration',
    `the key that the stored secrets are sealed with is missing: ${where}; put it back, or give it as secret_key`,
  )
}

/** @throws Failure `configuration` */
function keyringOf(text: string, where: string): Keyring {
  const keys = text
    .trim()
    .split(/[\s,]+/)
    .filter((key) => key !== '')
  if (keys.length === 0 || keys.some((key) => !new RegExp(`^[0-9a-f]{${SECRET_KEY_BYTES * 2}}$`, 'i').test(key)))
    throw new Failure(
      'configuration',
      `${where} must hold keys of ${SECRET_KEY_BYTES * 2} hexadecimal digits, the newest first`,
    )
  return new Keyring(keys.map((key) => Buffer.from(key, 'hex')))
}

function createFile(folder: string): string {
  const key = randomBytes(SECRET_KEY_BYTES).toString('hex')
  writePrivateFile(folder, FILE, `${key}\n`)
  return key
}
