/** The file system as packs use it. Tests replace it to count syncs and to simulate full and broken disks. */
import fs from 'node:fs'
import { dirname } from 'node:path'
import { PACK_SYNC_READ_MAX_BYTES } from '../../server/base/limits.ts'

export interface Disk {
  /** Makes the folder and its parents with mode 0700. They are durable when it resolves. */
  makeFolder(path: string): Promise<void>
  /** Names in a folder; none if it does not exist. */
  readFolder(path: string): Promise<string[]>
  syncFolder(path: string): Promise<void>
  /** `create` rejects if the file exists; `append` creates it if it does not. Mode 0600. Rejects with the system's errors, such as ENOENT. */
  open(path: string, mode: 'read' | 'write' | 'create' | 'append'): Promise<DiskFile>
  /** Deletes a file, if it exists. */
  remove(path: string): Promise<void>
}

export interface DiskFile {
  /** Fills `buffer` from `position`. @returns octets read; fewer than asked for only at the end of the file */
  read(buffer: Uint8Array, position: number): Promise<number>
  /** Writes `buffers` one after the other from `position` on. */
  write(buffers: readonly Uint8Array[], position: number): Promise<void>
  /** fdatasync. */
  sync(): Promise<void>
  truncate(size: number): Promise<void>
  /** `links` is 0 once the file is deleted. */
  stat(): Promise<{ size: number; links: number }>
  close(): Promise<void>
}

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL } = fs.constants
const FLAGS = { read: O_RDONLY, write: O_RDWR, create: O_RDWR | O_CREAT | O_EXCL, append: O_RDWR | O_CREAT }

export const nodeDisk: Disk = {
  async makeFolder(path) {
    const first = await call<string | undefined>((done) => fs.mkdir(path, { recursive: true, mode: 0o700 }, done))
    if (first === undefined) return
    // A folder is durable once its parent is synced. `first` is the topmost folder that was made.
    for (let made = path; made.length >= first.length; made = dirname(made)) await nodeDisk.syncFolder(dirname(made))
  },

  async readFolder(path) {
    try {
      return await call<string[]>((done) => fs.readdir(path, done))
    } catch (error) {
      if (isAbsent(error)) return []
      throw error
    }
  },

  async syncFolder(path) {
    const fd = await call<number>((done) => fs.open(path, O_RDONLY, done))
    try {
      await call<void>((done) => fs.fsync(fd, done))
    } finally {
      await call<void>((done) => fs.close(fd, done))
    }
  },

  async open(path, mode) {
    return new NodeFile(await call<number>((done) => fs.open(path, FLAGS[mode], 0o600, done)))
  },

  async remove(path) {
    await call<void>((done) => fs.rm(path, { force: true }, done))
  },
}

class NodeFile implements DiskFile {
  readonly #fd: number

  constructor(fd: number) {
    this.#fd = fd
  }

  async read(buffer: Uint8Array, position: number): Promise<number> {
    let filled = 0
    while (filled < buffer.length) {
      const rest = buffer.length - filled
      const count =
        rest <= PACK_SYNC_READ_MAX_BYTES
          ? fs.readSync(this.#fd, buffer, filled, rest, position + filled)
          : await call<number>((done) => fs.read(this.#fd, buffer, filled, rest, position + filled, done))
      if (count === 0) break
      filled += count
    }
    return filled
  }

  async write(buffers: readonly Uint8Array[], position: number): Promise<void> {
    let rest = buffers.filter((buffer) => buffer.length > 0)
    let at = position
    while (rest.length > 0) {
      const written = await call<number>((done) => fs.writev(this.#fd, rest, at, done))
      at += written
      rest = after(rest, written)
    }
  }

  sync(): Promise<void> {
    return call<void>((done) => fs.fdatasync(this.#fd, done))
  }

  truncate(size: number): Promise<void> {
    return call<void>((done) => fs.ftruncate(this.#fd, size, done))
  }

  async stat(): Promise<{ size: number; links: number }> {
    const { size, nlink } = fs.fstatSync(this.#fd)
    return { size, links: nlink }
  }

  close(): Promise<void> {
    return call<void>((done) => fs.close(this.#fd, done))
  }
}

/** The rest of the buffers after a write that took only a part. */
function after(buffers: readonly Uint8Array[], written: number): Uint8Array[] {
  let skip = written
  const rest: Uint8Array[] = []
  for (const buffer of buffers) {
    if (skip < buffer.length) rest.push(buffer.subarray(skip))
    skip = Math.max(0, skip - buffer.length)
  }
  return rest
}

/** node:fs with callbacks, since FileHandle needs 50 % more time per call. */
function call<T>(start: (done: (error: NodeJS.ErrnoException | null, value?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error ? reject(error) : resolve(value as T)))
  })
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

export function isAbsent(error: unknown): boolean {
  return errorCode(error) === 'ENOENT'
}

export function isFull(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOSPC' || code === 'EDQUOT'
}
