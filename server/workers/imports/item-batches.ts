/** Gathers items for one commit: few messages, many items that are only counted. */
import type { ImportItem } from '../../../jmap/imports/items.ts'
import { IMPORT_BATCH_BYTES, IMPORT_BATCH_COUNTED } from '../../base/import-limits.ts'

export class ItemBatches {
  #items: ImportItem[] = []
  #messages = 0
  #octets = 0

  /** Returns a batch that is full. @param messages that a batch may have at present */
  add(item: ImportItem, messages: number): readonly ImportItem[] | null {
    this.#items.push(item)
    if (item.kind === 'message') {
      this.#messages++
      this.#octets += item.raw.length
    }
    const isFull =
      this.#messages >= messages || this.#octets >= IMPORT_BATCH_BYTES || this.#items.length >= IMPORT_BATCH_COUNTED
    return isFull ? this.take() : null
  }

  /** What has been gathered. */
  take(): readonly ImportItem[] {
    const items = this.#items
    this.#items = []
    this.#messages = 0
    this.#octets = 0
    return items
  }
}
