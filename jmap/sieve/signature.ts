/** Arguments that a command or a test accepts (RFC 5228 2.6). */

export type ValueKind = 'string' | 'strings' | 'number'

export interface TagSpec {
  /** Kind of the value after the tag; absent: the tag has no value. */
  readonly value?: ValueKind
  /** Capability that the tag belongs to, if not that of its command. */
  readonly requires?: string
  /** A command may have one tag of a group. */
  readonly group?: string
}

export interface Signature {
  readonly name: string
  /** A script must require one of these capabilities; empty: base language. */
  readonly requires: readonly string[]
  readonly tags?: Readonly<Record<string, TagSpec>>
  /** Positional arguments, after the tags (RFC 5228 2.6.1). */
  readonly positional?: readonly ValueKind[]
  /** How many of them, from the first on, are optional. */
  readonly optional?: number
  /** Tests that it takes: `one`, or a list in parentheses. */
  readonly tests?: 'one' | 'list'
}
