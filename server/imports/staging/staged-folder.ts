/** Staged files in a folder on disk, one file each. */
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../base/errors.ts'
import type { StagedFile, StagedStore, UploadRange } from './staged-store.ts'

/** Octets after which a long upload is made durable, so that less of it is repeated after a power failure. */
const SYNC_BYTES = 67_108_864

/** Names that this store makes. */
const PLACE = /^[0-9a-f-]{36}$/

export class StagedFolder implements StagedStore {
  readonly #folder: string
  readonly #hasRoom: (bytes: number) => boolean

  /** @param hasRoom whether so many octets may be added (promise D4) */
  constructor(folder: string, hasRoom: (bytes: number) => boolean) {
    this.#folder = folder
    this.#hasRoom = hasRoom
  }

  async offset(place: string): Promise<number> {
    const found = await stat(this.#path(place)).catch(absent)
    return found?.size ?? 0
  }

  async append(place: string, { from, size }: UploadRange, chunks: AsyncIterable<Buffer>): Promise<number> {
    if (!this.#hasRoom(size - from)) throw new Failure('storageFull', 'the disk has no room for the file')
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const file = await open(this.#path(place), 'a+', 0o600)
    try {
      return await this.#write(file, from, size, chunks)
    } catch (error) {
      throw isFull(error) ? new Failure('storageFull', 'the disk is full', { cause: error }) : error
    } finally {
      await file.close()
    }
  }

  async #write(file: FileHandle, from: number, size: number, chunks: AsyncIterable<Buffer>): Promise<number> {
    let at = from
    let synced = from
    try {
      for await (const chunk of chunks) {
        const room = chunk.subarray(0, size - at)
        for (let done = 0; done < room.length; ) done += (await file.write(room, done)).bytesWritten
        at += room.length
        if (at - synced >= SYNC_BYTES) {
          await file.datasync()
          synced = at
        }
      }
    } finally {
      // What came before a cut stays.
      await file.datasync()
    }
    return at
  }

  async open(place: string, size: number): Promise<StagedFile> {
    const file = await open(this.#path(place), 'r').catch(absent)
    if (!file) throw new Failure('corrupt', 'a staged file is not there')
    return {
      size,
      async read(position, length) {
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
        return buffer.subarray(0, bytesRead)
      },
      close: () => file.close(),
    }
  }

  async remove(place: string): Promise<void> {
    await rm(this.#path(place), { force: true })
  }

  async list(): Promise<string[]> {
    const names = (await readdir(this.#folder).catch(absent)) ?? []
    return names.filter((name) => PLACE.test(name))
  }

  #path(place: string): string {
    if (!PLACE.test(place)) throw new Failure('corrupt', 'a staged file has no valid place')
    return join(this.#folder, place)
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT'
}
