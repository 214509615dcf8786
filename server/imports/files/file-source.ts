/** Files as a source of imports: mboxes, compressed mboxes, zips of both, and single messages. */
import { isFailure } from '../../base/errors.ts'
import { IMPORT_FOLDER_NAME_CHARS, IMPORT_FOLDERS_MAX, IMPORT_READ_BYTES } from '../../base/import-limits.ts'
import {
  type ImportSource,
  type ReadOptions,
  SourceError,
  type SourceFolder,
  type SourceItem,
  type SourcePlace,
} from '../import-source.ts'
import { chunksOf, type StagedFile } from '../staging/staged-store.ts'
import { splitMbox } from './mbox.ts'
import { type MailboxMessage, messageOfFile, messageOfMbox } from './mbox-message.ts'
import { after, gunzipped } from './unpacked.ts'
import { type MailEntry, Zip } from './zip.ts'

/** A file that is read. */
export interface NamedFile {
  readonly name: string
  /** The same as long as its octets are. */
  readonly generation: string
  open(): Promise<StagedFile>
}

const INBOX: SourcePlace = { path: ['Inbox'], role: 'inbox' }

/** What is read for a folder. */
type Content = MboxContent | { readonly kind: 'message' | 'messages'; readonly file: number }
type MboxContent =
  | { readonly kind: 'mbox' | 'gzip'; readonly file: number }
  | { readonly kind: 'entry'; readonly file: number; readonly entry: MailEntry }

export class FileSource implements ImportSource {
  readonly #files: readonly NamedFile[]
  readonly #open = new Map<number, Promise<StagedFile>>()
  readonly #contents = new Map<string, Content>()

  constructor(files: readonly NamedFile[]) {
    this.#files = files
  }

  async folders(): Promise<SourceFolder[]> {
    const folders: SourceFolder[] = []
    for (const [file, { name, generation }] of this.#files.entries()) {
      const add = (content: Content, key: string, place: SourcePlace, total: number | null) => {
        if (folders.length >= IMPORT_FOLDERS_MAX) throw new SourceError('unusable', `${name} has too many mboxes.`)
        this.#contents.set(key, content)
        folders.push({ ...place, key, total, generation, namesPlaces: true })
      }
      const lower = name.toLowerCase()
      const mbox = folderNamed(name.replace(/\.mbox(\.gz)?$/i, ''))
      if (lower.endsWith('.mbox')) add({ kind: 'mbox', file }, `${file}`, mbox, null)
      else if (lower.endsWith('.mbox.gz')) add({ kind: 'gzip', file }, `${file}`, mbox, null)
      else if (lower.endsWith('.eml')) add({ kind: 'message', file }, `${file}`, INBOX, 1)
      else {
        let messages = 0
        for await (const entry of (await this.#zip(file)).entries()) {
          if (entry.kind === 'eml') messages++
          else add({ kind: 'entry', file, entry }, `${file}:${entry.index}`, folderNamed(entry.stem), null)
        }
        const rest = folderNamed(name.replace(/\.zip$/i, ''))
        if (messages > 0) add({ kind: 'messages', file }, `${file}:eml`, rest, messages)
      }
    }
    return folders
  }

  async *read({ key }: SourceFolder, options: ReadOptions): AsyncGenerator<SourceItem> {
    const content = this.#contents.get(key)
    if (!content) throw new SourceError('unusable', 'The files have changed.')
    const name = this.#files[content.file]!.name
    if (!isMbox(content)) {
      yield* content.kind === 'message' ? this.#single(content.file, options) : this.#messages(content.file, options)
    } else {
      const from = Number(options.after ?? 0)
      const { maxOctets } = options
      for await (const message of splitMbox(await this.#octets(content, from), { from, maxOctets, name })) {
        options.signal.throwIfAborted()
        const position = String(message.end)
        yield message.text === null
          ? tooLarge(position, [], message.size)
          : itemOf(await messageOfMbox(message.text), position, options)
      }
    }
  }

  async close(): Promise<void> {
    const files = [...this.#open.values()]
    this.#open.clear()
    await Promise.allSettled(files.map(async (file) => (await file).close()))
  }

  /** The octets of an mbox from one on. */
  async #octets(content: MboxContent, from: number) {
    const { name } = this.#files[content.file]!
    if (content.kind === 'entry') return after((await this.#zip(content.file)).content(content.entry), from)
    const file = await this.#file(content.file)
    if (content.kind === 'mbox') return chunksOf(file, from, IMPORT_READ_BYTES)
    return after(gunzipped(chunksOf(file, 0, IMPORT_READ_BYTES), name), from)
  }

  async *#single(number: number, options: ReadOptions): AsyncGenerator<SourceItem> {
    if (options.after !== null) return
    const file = await this.#file(number)
    if (file.size > options.maxOctets) yield tooLarge('1', [], file.size)
    else yield itemOf(await messageOfFile(await wholeOf(chunksOf(file, 0, IMPORT_READ_BYTES))), '1', options)
  }

  async *#messages(number: number, options: ReadOptions): AsyncGenerator<SourceItem> {
    const zip = await this.#zip(number)
    const done = Number(options.after ?? -1)
    for await (const entry of zip.entries()) {
      if (entry.kind !== 'eml' || entry.index <= done) continue
      options.signal.throwIfAborted()
      const folder = entry.folders.at(-1)
      const places = [folder === undefined ? INBOX : folderNamed(folder)]
      const position = String(entry.index)
      if (entry.size > options.maxOctets) yield tooLarge(position, places, entry.size)
      else {
        const message = await messageOfFile(await wholeOf(zip.content(entry)), entry.isExact)
        yield itemOf(message.places.length > 0 ? message : { ...message, places }, position, options)
      }
    }
  }

  async #zip(file: number): Promise<Zip> {
    return new Zip(await this.#file(file), this.#files[file]!.name)
  }

  #file(number: number): Promise<StagedFile> {
    const { name, open } = this.#files[number]!
    const opened =
      this.#open.get(number) ??
      open().catch((error: unknown) => {
        if (isFailure(error, 'corrupt')) throw new SourceError('unusable', `${name} is not there any more.`)
        throw error
      })
    this.#open.set(number, opened)
    return opened
  }
}

function isMbox(content: Content): content is MboxContent {
  return content.kind !== 'message' && content.kind !== 'messages'
}

function folderNamed(name: string): SourcePlace {
  // Names in a zip have up to 65,535 characters.
  const short = name.slice(0, IMPORT_FOLDER_NAME_CHARS).trim()
  return short.toLowerCase() === 'inbox' ? INBOX : { path: [short || 'Import'], role: null }
}

async function wholeOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const chunk of chunks) pieces.push(chunk)
  return Buffer.concat(pieces)
}

function itemOf(
  { raw, keywords, places, isExact, fallbackDate }: MailboxMessage,
  position: string,
  { wants }: ReadOptions,
): SourceItem {
  if (!wants({ places, receivedAt: null })) return { kind: 'skipped', position, places }
  return { kind: 'message', position, places, receivedAt: null, keywords, raw, isExact, fallbackDate }
}

function tooLarge(position: string, places: readonly SourcePlace[], size: number): SourceItem {
  return {
    kind: 'unreadable',
    position,
    places,
    reason: 'too_large',
    detail: `The message has ${size} octets, which is too large.`,
  }
}
