/** An IMAP account as a source of imports. While one group of messages is stored, the next one is read. */
import { IMAP_GROUP_BYTES, IMAP_GROUP_MESSAGES } from '../../base/imap-limits.ts'
import { withCrlf } from '../../base/line-ends.ts'
import {
  type ImportSource,
  type MessageOutline,
  type ReadOptions,
  SourceError,
  type SourceFolder,
  type SourceItem,
  type SourcePlace,
  type UnreadableReason,
} from '../import-source.ts'
import { meaningOfLabels } from './gmail.ts'
import { isDeleted, keywordsOfFlags } from './keywords.ts'
import type { FetchedMessage, ImapSessionCalls, MessageSummary, SessionAnswer } from './session-port.ts'

/** A message of a window, and what becomes of it. */
interface Entry {
  readonly summary: MessageSummary
  readonly outline: MessageOutline
  readonly keywords: readonly string[]
  readonly fate: 'read' | 'skip' | 'tooLarge'
}

export class ImapSource implements ImportSource {
  readonly #session: ImapSessionCalls
  /** Gmail's answer to X-GM-LABELS leaves these folders out. By key. */
  readonly #labelFolders = new Map<string, SourcePlace>()
  #isGmail: boolean | null = null

  constructor(session: ImapSessionCalls) {
    this.#session = session
  }

  async folders(signal: AbortSignal): Promise<readonly SourceFolder[]> {
    const { isGmail, folders } = await this.#ask(signal, this.#session.folders())
    this.#isGmail = isGmail
    this.#labelFolders.clear()
    for (const { isLabel, key, path, role } of folders) if (isLabel) this.#labelFolders.set(key, { path, role })
    return folders.map(({ key, path, role, total, generation }) => {
      return { key, path, role, total, generation, namesPlaces: isGmail && role === 'all' }
    })
  }

  async *read(folder: SourceFolder, options: ReadOptions): AsyncGenerator<SourceItem> {
    const { after, signal } = options
    if (this.#isGmail === null) await this.folders(signal)
    for (let last = after === null ? 0 : Number(after); ; ) {
      const summaries = await this.#ask(signal, this.#session.summaries(folder, last))
      if (summaries === 'refused') {
        yield unreadable(String(last), 'source_refused', [])
        return
      }
      if (summaries.length === 0) return
      yield* this.#window(
        folder,
        summaries.map((summary) => this.#entry(folder, summary, options)),
        options,
      )
      last = summaries.at(-1)!.uid
    }
  }

  close(): Promise<void> {
    return this.#session.close()
  }

  async *#window(
    folder: SourceFolder,
    entries: readonly Entry[],
    { maxOctets, signal }: ReadOptions,
  ): AsyncGenerator<SourceItem> {
    const groups = groupsOf(entries.filter(({ fate }) => fate === 'read')).values()
    const ask = () => {
      const { value: group } = groups.next()
      if (!group) return null
      const requests = group.map(({ summary: { uid, octets } }) => ({ uid, octets }))
      const answer = this.#ask(signal, this.#session.messages(folder, requests, maxOctets))
      // It is awaited later, or never.
      answer.catch(() => {})
      return answer
    }
    let next = ask()
    let read: FetchedMessage[] = []
    for (const entry of entries) {
      if (entry.fate !== 'read') {
        yield unreadItem(entry)
        continue
      }
      if (read.length === 0) {
        read = [...(await next!)]
        next = ask()
      }
      yield await itemOf(entry, read.shift()!)
    }
  }

  #entry(folder: SourceFolder, summary: MessageSummary, { wants, maxOctets }: ReadOptions): Entry {
    const { places, keywords } = this.#meaning(folder, summary)
    const outline = { places, receivedAt: summary.receivedAt }
    const isWanted = !isDeleted(summary.flags) && wants(outline)
    return { summary, outline, keywords, fate: !isWanted ? 'skip' : summary.octets > maxOctets ? 'tooLarge' : 'read' }
  }

  #meaning(
    { key, role }: SourceFolder,
    { flags, labels }: MessageSummary,
  ): Pick<Entry, 'keywords'> & { places: readonly SourcePlace[] } {
    const keywords = keywordsOfFlags(flags)
    // What Gmail shows in Spam and Trash is shown nowhere else.
    if (!this.#isGmail || role === 'junk' || role === 'trash') return { places: [], keywords }
    const meaning = meaningOfLabels(labels, this.#labelFolders.get(key) ?? null)
    return { places: meaning.places, keywords: [...new Set([...keywords, ...meaning.keywords])] }
  }

  /** @throws SourceError, and the reason of the signal */
  async #ask<T>(signal: AbortSignal, answer: Promise<SessionAnswer<T>>): Promise<T> {
    const aborted = Promise.withResolvers<never>()
    const abort = () => aborted.reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    try {
      const got = await Promise.race([answer, aborted.promise])
      if ('value' in got) return got.value
      throw new SourceError(got.fault, got.message, got.until)
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }
}

/** Groups of at most so many messages and octets; a larger message has one of its own. */
function groupsOf(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = []
  let octets = 0
  for (const entry of entries) {
    const group = groups.at(-1)
    octets += entry.summary.octets
    if (group && group.length < IMAP_GROUP_MESSAGES && octets <= IMAP_GROUP_BYTES) group.push(entry)
    else {
      groups.push([entry])
      octets = entry.summary.octets
    }
  }
  return groups
}

function unreadItem({ fate, outline: { places }, summary }: Entry): SourceItem {
  const position = String(summary.uid)
  return fate === 'skip' ? { kind: 'skipped', position, places } : unreadable(position, 'too_large', places)
}

async function itemOf({ outline, keywords, summary }: Entry, message: FetchedMessage): Promise<SourceItem> {
  const position = String(summary.uid)
  if ('reason' in message) return unreadable(position, message.reason, outline.places)
  const { buffer, byteOffset, length } = message.raw
  const raw = await withCrlf(Buffer.from(buffer, byteOffset, length))
  return { kind: 'message', position, ...outline, keywords, raw, fallbackDate: null }
}

const DETAILS: { readonly [reason in UnreadableReason]: string } = {
  too_large: 'The message is larger than messages here may be.',
  source_refused: 'The server does not give the message.',
  malformed: 'The answer of the server cannot be read.',
  vanished: 'The message is not at the server any more.',
}

function unreadable(position: string, reason: UnreadableReason, places: readonly SourcePlace[]): SourceItem {
  return { kind: 'unreadable', position, places, reason, detail: DETAILS[reason] }
}
