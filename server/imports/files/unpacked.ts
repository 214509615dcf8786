/** Octets that were compressed, with the bounds of promise P5 on what comes out. */

import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errorMessage } from '../../base/errors.ts'
import { IMPORT_MAX_RATIO, IMPORT_RATIO_FROM_BYTES } from '../../base/import-limits.ts'
import { SourceError } from '../import-source.ts'

/** Whether so many octets from so few are a bomb. */
export function isBomb(unpacked: number, packed: number): boolean {
  return unpacked > IMPORT_RATIO_FROM_BYTES && unpacked > packed * IMPORT_MAX_RATIO
}

/** RFC 1952, of one or several members. @throws SourceError `unusable` */
export async function* gunzipped(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let packed = 0
  const counted = async function* () {
    for await (const chunk of chunks) {
      packed += chunk.length
      yield chunk
    }
  }
  const gunzip = createGunzip()
  // Its errors are thrown by the iteration.
  pipeline(counted, gunzip, () => {})
  let unpacked = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      unpacked += chunk.length
      if (isBomb(unpacked, packed)) throw new SourceError('unusable', `${name} is compressed too much to be mail.`)
      yield chunk
    }
  } catch (error) {
    if (error instanceof SourceError || !isZlibError(error)) throw error
    throw new SourceError('unusable', `${name} is damaged: ${errorMessage(error)}.`)
  } finally {
    gunzip.destroy()
  }
}

function isZlibError(error: unknown): boolean {
  return String((error as NodeJS.ErrnoException).code ?? '').startsWith('Z_')
}

/** What comes after the first octets. */
export async function* after(chunks: AsyncIterable<Buffer>, octets: number): AsyncGenerator<Buffer> {
  let left = octets
  for await (const chunk of chunks) {
    if (left >= chunk.length) left -= chunk.length
    else {
      yield chunk.subarray(left)
      left = 0
    }
  }
}
