/** Newsletters as they are stored. */
import type { Reader } from '../../../storage/ports.ts'
import { findNewsletter, findNewsletterContent, type WrittenContent } from '../../../storage/repos/newsletters.ts'
import type { NewsletterTable } from '../../../storage/schema/tables.ts'
import type { Block } from '../content/block.ts'
import { namedAssets } from '../content/named-assets.ts'
import type { NewsletterObject } from './newsletter.type.ts'

/** The column `settings`. */
export interface NewsletterSettings
  extends Pick<
    NewsletterObject,
    | 'name'
    | 'fromName'
    | 'fromAddress'
    | 'subject'
    | 'previewText'
    | 'language'
    | 'sendWindowHours'
    | 'archiveVisibility'
    | 'scheduledAt'
    | 'startedAt'
    | 'completedAt'
    | 'lastTestSentAt'
    | 'pausedReason'
  > {
  /** Number of the mailbox's account. */
  readonly replyTo: number | null
  /** Test messages of a day (UTC, `2026-05-01`). */
  readonly tests?: { readonly day: string; readonly count: number }
}

/** What derives from the blocks. */
export interface RenderedBlocks {
  readonly blocks: readonly Block[]
  readonly html: string
  readonly text: string
}

/** The column `content`. */
export interface StoredContent extends RenderedBlocks {
  readonly textOverride: string | null
}

/** As it is written. */
export function writtenContent(content: StoredContent): WrittenContent {
  const text = JSON.stringify(content)
  return { content: text, octets: Buffer.byteLength(text), assets: namedAssets(text) }
}

export interface StoredNewsletter {
  readonly row: NewsletterTable
  readonly settings: NewsletterSettings
  readonly content: StoredContent
}

export function settingsOf({ settings }: NewsletterTable): NewsletterSettings {
  return JSON.parse(settings) as NewsletterSettings
}

export async function contentOf(reader: Reader, account: number, id: number): Promise<StoredContent | null> {
  const text = await findNewsletterContent(reader, account, id)
  return text === null ? null : (JSON.parse(text) as StoredContent)
}

/** null: there is none of this number. */
export async function readNewsletter(
  reader: Reader,
  account: number,
  id: number | null,
): Promise<StoredNewsletter | null> {
  const row = id === null ? null : await findNewsletter(reader, account, id)
  const content = row && (await contentOf(reader, account, row.id))
  return row && content ? { row, settings: settingsOf(row), content } : null
}
