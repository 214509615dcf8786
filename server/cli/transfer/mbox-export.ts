/** A folder of mbox files, one for each folder of the mailbox, in directories of their names. */
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type ExportedMessage, fileName, type MailExport } from './mail-export.ts'
import { mboxEntry } from './mbox-writer.ts'

export class MboxExport implements MailExport {
  readonly #root: string
  #file: FileHandle | null = null
  /** Writes to one file follow each other. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(root: string) {
    this.#root = root
  }

  /** @throws if the folder exists */
  static async create(root: string): Promise<MboxExport> {
    await mkdir(root)
    return new MboxExport(root)
  }

  async begin(path: readonly string[]): Promise<void> {
    await this.#close()
    const names = (path.length > 0 ? path : ['Inbox']).map(fileName)
    const directory = join(this.#root, ...names.slice(0, -1))
    await mkdir(directory, { recursive: true })
    // Two names may become the same one: their messages are then in one file.
    this.#file = await open(join(directory, `${names.at(-1)}.mbox`), 'a')
  }

  add(message: ExportedMessage): Promise<void> {
    const file = this.#file!
    const written = this.#last.then(async () => {
      await file.appendFile(mboxEntry(message))
    })
    this.#last = written.catch(() => {})
    return written
  }

  end(): Promise<void> {
    return this.#close()
  }

  async #close(): Promise<void> {
    await this.#last
    await this.#file?.sync()
    await this.#file?.close()
    this.#file = null
  }
}
