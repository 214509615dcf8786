/** What a script may write behind the name of a command or a test (RFC 5228 2.6). */

export type ValueKind = 'string' | 'strings' | 'number'

export interface TagSpec {
  /** What follows the tag; nothing without it. */
  readonly value?: ValueKind
  /** Capability that it belongs to, when another than its command's. */
  readonly requires?: string
  /** Of tags of a group only one may stand in a command. */
  readonly group?: string
}

export interface Signature {
  readonly name: string
  /** Capabilities of which one must be required; empty: it is in the base language. */
  readonly requires: readonly string[]
  readonly tags?: Readonly<Record<string, TagSpec>>
  /** Positional arguments, after the tags (RFC 5228 2.6.1). */
  readonly positional?: readonly ValueKind[]
  /** How many of them, from the first on, may be left out. */
  readonly optional?: number
  /** Tests it takes: `one`, or a list in parentheses. */
  readonly tests?: 'one' | 'list'
}
