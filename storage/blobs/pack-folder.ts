/** The folder of packs: the names in it, and its open files, which all readers share. */
import { join } from 'node:path'
import { PACK_OPEN_FILES_MAX } from '../../server/base/limits.ts'
import type { Disk, DiskFile } from './disk.ts'

const PACK_NAME = /^([1-9]\d{0,14})\.(pack|holes)$/

interface OpenFile {
  readonly file: Promise<DiskFile>
  users: number
  /** Not in the map any more: its last user closes it. */
  evicted: boolean
}

export class PackFolder {
  readonly path: string
  readonly disk: Disk
  /** Least recently used first. */
  readonly #open = new Map<number, OpenFile>()

  constructor(disk: Disk, path: string) {
    this.disk = disk
    this.path = path
  }

  packPath(pack: number): string {
    return join(this.path, `${pack}.pack`)
  }

  holesPath(pack: number): string {
    return join(this.path, `${pack}.holes`)
  }

  /** Numbers of the packs, ascending. */
  async packs(): Promise<number[]> {
    return this.#numbers('pack')
  }

  async #numbers(kind: 'pack' | 'holes'): Promise<number[]> {
    const names = await this.disk.readFolder(this.path)
    const matches = names.map((name) => PACK_NAME.exec(name)).filter((match) => match?.[2] === kind)
    return matches.map((match) => Number(match![1])).sort((a, b) => a - b)
  }

  /** Calls `use` with the pack's open file. Rejects with ENOENT if the pack does not exist. */
  async read<T>(pack: number, use: (file: DiskFile) => Promise<T>): Promise<T> {
    const open = this.#openFile(pack)
    open.users++
    try {
      return await use(await open.file)
    } finally {
      open.users--
      if (open.evicted && open.users === 0) await this.#close(open)
    }
  }

  /** Deletes a pack and its notes of holes. The notes go last: without them, removed blobs would count as live. */
  async remove(pack: number): Promise<void> {
    await this.#evict(pack)
    await this.disk.remove(this.packPath(pack))
    await this.disk.remove(this.holesPath(pack))
  }

  /** Deletes notes whose pack does not exist: the process ended between the two deletions. */
  async removeStrayNotes(): Promise<void> {
    // Notes are listed first, so that a pack that appears in between is in the second list.
    const notes = await this.#numbers('holes')
    const packs = new Set(await this.packs())
    for (const pack of notes) if (!packs.has(pack)) await this.disk.remove(this.holesPath(pack))
  }

  async close(): Promise<void> {
    for (const pack of [...this.#open.keys()]) await this.#evict(pack)
  }

  #openFile(pack: number): OpenFile {
    const known = this.#open.get(pack)
    if (known) {
      this.#open.delete(pack)
      this.#open.set(pack, known)
      return known
    }
    const open: OpenFile = { file: this.#openPack(pack), users: 0, evicted: false }
    open.file.catch(() => {
      if (this.#open.get(pack) === open) this.#open.delete(pack)
    })
    this.#open.set(pack, open)
    return open
  }

  async #openPack(pack: number): Promise<DiskFile> {
    const [oldest] = this.#open.keys()
    if (oldest !== undefined && this.#open.size >= PACK_OPEN_FILES_MAX) await this.#evict(oldest)
    await this.#evictDeleted()
    return this.disk.open(this.packPath(pack), 'read')
  }

  /** Another process or thread may have deleted packs. Their space is freed only once all have closed them. */
  async #evictDeleted(): Promise<void> {
    for (const [pack, open] of [...this.#open]) {
      if (open.users > 0) continue
      const file = await open.file.catch(() => null)
      if (file && (await file.stat()).links === 0) await this.#evict(pack)
    }
  }

  async #evict(pack: number): Promise<void> {
    const open = this.#open.get(pack)
    if (!open) return
    this.#open.delete(pack)
    open.evicted = true
    if (open.users === 0) await this.#close(open)
  }

  async #close(open: OpenFile): Promise<void> {
    const file = await open.file.catch(() => null)
    await file?.close()
  }
}
