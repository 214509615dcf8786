/** The real disk, which counts syncs and can simulate faults and power failures. */
import { rm, truncate } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type Disk, type DiskFile, nodeDisk } from '../../../storage/blobs/disk.ts'

export type Operation =
  | 'makeFolder'
  | 'readFolder'
  | 'syncFolder'
  | 'open'
  | 'remove'
  | 'read'
  | 'write'
  | 'sync'
  | 'truncate'

interface Written {
  /** Octets that survive a power failure. */
  durable: number
  /** Whether the name survives, too. */
  named: boolean
}

export function diskError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code })
}

export class TestDisk implements Disk {
  syncs = 0
  folderSyncs = 0
  /** Runs before every sync of a file. */
  onSync: () => void = () => {}
  /** Throws the error of a simulated fault. `name`: of the file. */
  fault: (operation: Operation, name: string) => void = () => {}
  /** Whether a sync resolves without syncing. */
  lies = false
  readonly #written = new Map<string, Written>()

  async makeFolder(path: string): Promise<void> {
    this.fault('makeFolder', basename(path))
    return nodeDisk.makeFolder(path)
  }

  async readFolder(path: string): Promise<string[]> {
    this.fault('readFolder', basename(path))
    return nodeDisk.readFolder(path)
  }

  async syncFolder(path: string): Promise<void> {
    this.fault('syncFolder', basename(path))
    this.folderSyncs++
    await nodeDisk.syncFolder(path)
    for (const [file, state] of this.#written) if (dirname(file) === path && !this.lies) state.named = true
  }

  async open(path: string, mode: 'read' | 'write' | 'create' | 'append'): Promise<DiskFile> {
    this.fault('open', basename(path))
    const fresh = mode !== 'read' && !(await nodeDisk.readFolder(dirname(path))).includes(basename(path))
    const file = await nodeDisk.open(path, mode)
    if (mode !== 'read' && !this.#written.has(path)) {
      this.#written.set(path, { durable: (await file.stat()).size, named: !fresh })
    }
    return this.#watch(path, file)
  }

  async remove(path: string): Promise<void> {
    this.fault('remove', basename(path))
    this.#written.delete(path)
    return nodeDisk.remove(path)
  }

  /** Removes everything that was never synced. Call it when nothing uses the disk any more. */
  async losePower(): Promise<void> {
    for (const [path, { durable, named }] of this.#written) {
      if (!named) await rm(path, { force: true })
      else await truncate(path, durable)
    }
    this.#written.clear()
  }

  #watch(path: string, file: DiskFile): DiskFile {
    const name = basename(path)
    return {
      read: async (buffer, position) => {
        this.fault('read', name)
        return file.read(buffer, position)
      },
      write: async (buffers, position) => {
        try {
          this.fault('write', name)
        } catch (error) {
          // A disk that becomes full writes a part first.
          const all = Buffer.concat(buffers)
          await file.write([all.subarray(0, all.length >> 1)], position)
          throw error
        }
        await file.write(buffers, position)
      },
      sync: async () => {
        this.onSync()
        this.fault('sync', name)
        this.syncs++
        const { size } = await file.stat()
        await file.sync()
        const state = this.#written.get(path)
        if (state && !this.lies) state.durable = size
      },
      truncate: async (size) => {
        this.fault('truncate', name)
        return file.truncate(size)
      },
      stat: () => file.stat(),
      close: () => file.close(),
    }
  }
}
