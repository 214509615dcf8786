/**
 * Zips of mail, read entry by entry. Nothing is unpacked to a disk, and names of entries are only compared. What an honest export never has
 * ends the import (promise P5): very many entries, names that lead elsewhere, entries that overlap, or that are compressed like a bomb.
 */
import { Readable } from 'node:stream'
import yauzl from 'yauzl'
import { errorMessage } from '../../base/errors.ts'
import {
  IMPORT_MAX_RATIO,
  IMPORT_READ_BYTES,
  IMPORT_UNPACKED_MAX_BYTES,
  IMPORT_ZIP_MAX_ENTRIES,
} from '../../base/import-limits.ts'
import { SourceError } from '../import-source.ts'
import { chunksOf, type StagedFile } from '../staging/staged-store.ts'
import { EXACT_ZIP } from './exact-octets.ts'
import { isBomb } from './unpacked.ts'

export type MailEntry = {
  /** Place among all entries. */
  readonly index: number
  readonly kind: 'mbox' | 'eml'
  /** Names of its folders, without its own. */
  readonly folders: readonly string[]
  /** Without its ending. */
  readonly stem: string
  /** Octets of its content. */
  readonly size: number
  /** Its octets are those of the message as it was stored. */
  readonly isExact: boolean
  readonly entry: yauzl.Entry
}

/** External attributes of an entry made on Unix: the upper half is the mode. */
const UNIX_TYPE = 0o170000
const UNIX_LINK = 0o120000

export class Zip {
  readonly #file: StagedFile
  readonly #name: string

  /** @param name for errors */
  constructor(file: StagedFile, name: string) {
    this.#file = file
    this.#name = name
  }

  /** The entries with mail, in the order of the directory. @throws SourceError `unusable` */
  async *entries(): AsyncGenerator<MailEntry> {
    const zip = await this.#open()
    try {
      if (zip.entryCount > IMPORT_ZIP_MAX_ENTRIES)
        throw this.#unusable(`has more than ${IMPORT_ZIP_MAX_ENTRIES} entries`)
      const sums = { packed: 0, unpacked: 0 }
      let index = 0
      for await (const entry of zip.eachEntry()) {
        const found = this.#judge(entry, sums, index++)
        if (found) yield { ...found, isExact: zip.comment === EXACT_ZIP }
      }
    } catch (error) {
      throw this.#wrapped(error)
    } finally {
      zip.close()
    }
  }

  /** The content of an entry, which ends with an error if it is not as large as the directory says. @throws SourceError `unusable` */
  async *content({ entry }: MailEntry): AsyncGenerator<Buffer> {
    const zip = await this.#open()
    try {
      yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>
    } catch (error) {
      throw this.#wrapped(error)
    } finally {
      zip.close()
    }
  }

  #judge(
    entry: yauzl.Entry,
    sums: { packed: number; unpacked: number },
    index: number,
  ): Omit<MailEntry, 'isExact'> | null {
    const { fileName, compressedSize, uncompressedSize, externalFileAttributes } = entry
    sums.packed += compressedSize
    sums.unpacked += uncompressedSize
    if (sums.packed > this.#file.size) throw this.#unusable('has entries that overlap')
    if (sums.unpacked > IMPORT_UNPACKED_MAX_BYTES) throw this.#unusable('is too large when it is unpacked')
    if (isBomb(uncompressedSize, compressedSize))
      throw this.#unusable(`is compressed more than ${IMPORT_MAX_RATIO} to 1, so it is not mail`)
    if (((externalFileAttributes >>> 16) & UNIX_TYPE) === UNIX_LINK) throw this.#unusable('has a symbolic link')
    const names = fileName.split('/')
    const last = names.pop() ?? ''
    const [, stem, ending] = /^(.*)\.(mbox|eml)$/i.exec(last) ?? []
    const found = { index, size: uncompressedSize, entry }
    if (stem !== undefined && ending)
      return { ...found, kind: ending.toLowerCase() === 'eml' ? 'eml' : 'mbox', folders: names, stem }
    // Apple Mail exports a folder "Name.mbox" with the file "mbox".
    const folder = /^(.+)\.mbox$/i.exec(names.at(-1) ?? '')?.[1]
    return last === 'mbox' && folder ? { ...found, kind: 'mbox', folders: names.slice(0, -1), stem: folder } : null
  }

  async #open(): Promise<yauzl.ZipFile> {
    try {
      const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true }
      return await yauzl.fromRandomAccessReaderPromise(new Reader(this.#file), this.#file.size, options)
    } catch (error) {
      throw this.#wrapped(error)
    }
  }

  #unusable(why: string): SourceError {
    return new SourceError('unusable', `${this.#name} ${why}.`)
  }

  /** Whatever goes wrong while a zip is read is a fault of the zip, unless the storage failed. */
  #wrapped(error: unknown): unknown {
    const isOurs = error instanceof SourceError || (error instanceof Error && error.name === 'Failure')
    return isOurs ? error : new SourceError('unusable', `${this.#name} cannot be read: ${shortened(error)}.`)
  }
}

/** Messages of the library quote names of entries. */
function shortened(error: unknown): string {
  return errorMessage(error)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 150)
}

class Reader extends yauzl.RandomAccessReader {
  readonly #file: StagedFile

  constructor(file: StagedFile) {
    super()
    this.#file = file
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const file = this.#file
    const range: StagedFile = {
      size: Math.min(end, file.size),
      read: (position, length) => file.read(position, length),
      close: async () => {},
    }
    return Readable.from(chunksOf(range, start, IMPORT_READ_BYTES), { objectMode: false })
  }
}
