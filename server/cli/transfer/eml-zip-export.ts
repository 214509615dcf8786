/** A zip file with one .eml file for each message, in directories of the folders' names. */
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { ZipFile } from 'yazl'
import { EXACT_ZIP } from '../../imports/files/exact-octets.ts'
import { type ExportedMessage, fileName, type MailExport } from './mail-export.ts'

export class EmlZipExport implements MailExport {
  readonly #output: string
  readonly #unfinished: string
  readonly #zip = new ZipFile()
  readonly #stream: WriteStream
  readonly #written: Promise<unknown>
  #directory = ''
  #names = new Set<string>()

  private constructor(output: string) {
    this.#output = output
    this.#unfinished = `${output}.${process.pid}.part`
    this.#stream = createWriteStream(this.#unfinished, { flags: 'wx', flush: true })
    this.#written = once(this.#stream, 'close')
    this.#written.catch(() => {})
    this.#zip.outputStream.pipe(this.#stream)
  }

  /** @throws if the file exists */
  static async create(output: string): Promise<EmlZipExport> {
    if (await stat(output).catch(() => null)) throw new Error('it exists')
    const made = new EmlZipExport(output)
    await once(made.#stream, 'open')
    return made
  }

  async begin(path: readonly string[]): Promise<void> {
    this.#directory = (path.length > 0 ? path : ['Inbox']).map(fileName).join('/')
    if (!this.#names.has(this.#directory)) this.#zip.addEmptyDirectory(this.#directory)
    this.#names.add(this.#directory)
  }

  async add({ id, octets, receivedAt }: ExportedMessage): Promise<void> {
    const name = `${this.#directory}/${receivedAt.replaceAll(/[^0-9TZ]/g, '')}_${id}.eml`
    this.#zip.addBuffer(octets, name, { mtime: new Date(receivedAt) })
    // The library keeps what is added until it is written.
    if (this.#stream.writableNeedDrain) await once(this.#stream, 'drain')
  }

  async end(): Promise<void> {
    this.#zip.end({ comment: EXACT_ZIP, forceZip64Format: false })
    await this.#written
    await rename(this.#unfinished, this.#output)
  }

  async abandon(): Promise<void> {
    this.#zip.outputStream.unpipe(this.#stream)
    this.#stream.on('error', () => {})
    this.#stream.destroy()
    await this.#written.catch(() => {})
    await rm(this.#unfinished, { force: true })
  }
}
