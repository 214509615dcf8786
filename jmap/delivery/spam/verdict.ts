/** The result of the spam score. Plain data. */

/** One reason, with its points. */
export interface SpamSymbol {
  /** Stable, in capitals. */
  readonly name: string
  readonly score: number
  /** A sentence for users. */
  readonly description: string
  /** Where it was found, cut to a few words. */
  readonly detail?: string
}

export interface SpamVerdict {
  /** Points, to hundredths; at or above the threshold of a mailbox the message is junk. */
  readonly score: number
  /** The threshold of the mailbox, once it is known. */
  readonly threshold?: number
  /** In order of weight, the heaviest first. */
  readonly symbols: readonly SpamSymbol[]
  readonly engine: 'posthouse' | 'rspamd'
}
