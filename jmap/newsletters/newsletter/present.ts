/** Newsletters as clients see them. */
import type { JsonObject } from '../../../server/base/json.ts'
import type { NewsletterRunTable, NewsletterTable } from '../../../storage/schema/tables.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import { archivePathOf } from '../archive/archive-links.ts'
import { Audience } from '../audience/audience.type.ts'
import type { Block } from '../content/block.ts'
import { NO_STATS, statsOf } from '../run/run-state.ts'
import { Newsletter, type NewsletterObject } from './newsletter.type.ts'
import { NewsletterDomain } from './newsletter-domain.type.ts'
import { type StoredContent, settingsOf } from './stored-newsletter.ts'

type ContentNames = 'blocks' | 'textOverride' | 'bodyHtml' | 'bodyText'

/** @param run null: it has not been scheduled */
export function presentNewsletter(
  method: MethodContext,
  row: NewsletterTable,
  run: NewsletterRunTable | null = null,
): Omit<NewsletterObject, ContentNames> {
  const { replyTo, tests: _tests, ...settings } = settingsOf(row)
  return {
    ...settings,
    id: method.id(Newsletter, row.id),
    status: row.status,
    audienceId: row.audience === null ? null : method.id(Audience, row.audience),
    newsletterDomainId: row.domain === null ? null : method.id(NewsletterDomain, row.domain),
    replyToMailboxId: replyTo === null ? null : method.services.ids.accountId('mailbox', replyTo),
    archivePath: archivePathOf(method.services.keyring, row, settings),
    stats: run ? statsOf(run) : NO_STATS,
    createdAt: formatUTCDate(row.created_at),
    updatedAt: formatUTCDate(row.updated_at),
  }
}

export function presentContent(content: StoredContent): Pick<NewsletterObject, ContentNames> {
  const { blocks, textOverride, html, text } = content
  return { blocks: blocks.map(asJson), textOverride, bodyHtml: html, bodyText: textOverride ?? text }
}

/** Whether any of these properties needs the content. */
export function hasContent(properties: readonly string[]): boolean {
  return properties.some((name) => /^(?:blocks|textOverride|bodyHtml|bodyText)$/.test(name))
}

function asJson(block: Block): JsonObject {
  return { ...block } as JsonObject
}
