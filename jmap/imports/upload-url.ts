/** Paths of uploads (decision D33): whoever has one may send the octets of one file until it expires, without other authentication. */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../../server/base/keyring.ts'

export const UPLOAD_FOLDER = '/imports/files/'

const PURPOSE = 'import uploads'
const MAC_CHARS = 32

function macOf(key: KeyObject, fileId: string, expiresAt: number): string {
  return createHmac('sha256', key).update(`${fileId}\n${expiresAt}`).digest('base64url').slice(0, MAC_CHARS)
}

export function uploadPath(keyring: Keyring, fileId: string, expiresAt: number): string {
  return `${UPLOAD_FOLDER}${fileId}.${expiresAt}.${macOf(keyring.derive(PURPOSE)[0]!, fileId, expiresAt)}`
}

/** The file of a path that this installation has signed; null: it has not. It may have expired. @param token after the folder */
export function signedUpload(keyring: Keyring, token: string): { fileId: string; expiresAt: number } | null {
  const [fileId = '', expires = '', mac = '', ...more] = token.split('.')
  if (more.length > 0 || mac.length !== MAC_CHARS || !/^[0-9]{1,15}$/.test(expires)) return null
  const expiresAt = Number(expires)
  const given = Buffer.from(mac)
  const isOurs = keyring.derive(PURPOSE).some((key) => {
    const right = Buffer.from(macOf(key, fileId, expiresAt))
    return right.length === given.length && timingSafeEqual(right, given)
  })
  return isOurs ? { fileId, expiresAt } : null
}
