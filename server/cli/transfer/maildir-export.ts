/** A Maildir++ as Dovecot reads it. Files are written in `tmp` and moved, so that what is in `cur` is whole. */
import { mkdir, open, rename, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportedMessage, MailExport } from './mail-export.ts'
import { folderName, KeywordLetters } from './maildir-names.ts'

export class MaildirExport implements MailExport {
  readonly #root: string
  #directory: string
  #letters = new KeywordLetters()

  private constructor(root: string) {
    this.#root = root
    this.#directory = root
  }

  /** @throws if the folder exists */
  static async create(root: string): Promise<MaildirExport> {
    await mkdir(root)
    return new MaildirExport(root)
  }

  async begin(path: readonly string[]): Promise<void> {
    await this.#endFolder()
    this.#directory = join(this.#root, folderName(path))
    this.#letters = new KeywordLetters()
    for (const name of ['cur', 'new', 'tmp']) await mkdir(join(this.#directory, name), { recursive: true })
    // Marks a folder of a Maildir++.
    if (path.length > 0) await writeFile(join(this.#directory, 'maildirfolder'), '')
  }

  async add({ id, octets, keywords, receivedAt }: ExportedMessage): Promise<void> {
    const at = Date.parse(receivedAt) / 1_000
    const name = `${Math.floor(at)}.${id},S=${octets.length}:2,${this.#letters.flagsOf(keywords)}`
    const directory = this.#directory
    const unfinished = join(directory, 'tmp', id)
    const file = await open(unfinished, 'wx')
    try {
      await file.writeFile(octets)
      await file.sync()
    } finally {
      await file.close()
    }
    await utimes(unfinished, at, at)
    await rename(unfinished, join(directory, 'cur', name))
  }

  async end(): Promise<void> {
    await this.#endFolder()
  }

  async #endFolder(): Promise<void> {
    const { text } = this.#letters
    if (text !== '') await writeFile(join(this.#directory, 'dovecot-keywords'), text)
  }
}
