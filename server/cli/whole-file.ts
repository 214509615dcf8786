import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../base/errors.ts'

/** Personal data: only the user of the process may read what is written. */
export const PRIVATE = 0o600

/**
 * Writes a file. It is there as a whole or not at all; one that was there before stays until then.
 * @throws Failure `configuration` if it cannot be written
 */
export async function writeWhole(file: string, pages: AsyncIterable<string>): Promise<void> {
  const unfinished = `${file}.${process.pid}.part`
  try {
    await pipeline(pages, createWriteStream(unfinished, { flags: 'wx', flush: true, mode: PRIVATE }))
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    const isOfFile = error instanceof Error && 'syscall' in error
    throw isOfFile ? new Failure('configuration', `${file} cannot be written: ${error.message}`) : error
  }
}
