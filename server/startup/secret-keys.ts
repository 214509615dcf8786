/** The keys that encrypt stored secrets: from the settings, or created once and kept in a file of the data folder, outside the database. */
import { randomBytes } from 'node:crypto'
import { Failure } from '../base/errors.ts'
import { SECRET_KEY_BYTES } from '../base/keyring.ts'
import { readPrivateFile, writePrivateFile } from './data-folder.ts'

const FILE = 'secret.key'

/**
 * @param given 64 hexadecimal digits each, separated by commas, the newest first; null: those of the file
 * @returns in hexadecimal digits
 * @throws Failure `configuration` for an invalid key; its message does not repeat the key
 */
export function secretKeys(folder: string, given: string | null): string[] {
  const text = given ?? readPrivateFile(folder, FILE) ?? createFile(folder)
  const keys = text
    .trim()
    .split(/[\s,]+/)
    .filter((key) => key !== '')
  if (keys.length === 0 || keys.some((key) => !new RegExp(`^[0-9a-f]{${SECRET_KEY_BYTES * 2}}$`, 'i').test(key))) {
    const where = given === null ? FILE : 'secret_key'
    throw new Failure(
      'configuration',
      `${where} must hold keys of ${SECRET_KEY_BYTES * 2} hexadecimal digits, the newest first`,
    )
  }
  return keys
}

function createFile(folder: string): string {
  const key = randomBytes(SECRET_KEY_BYTES).toString('hex')
  writePrivateFile(folder, FILE, `${key}\n`)
  return key
}
