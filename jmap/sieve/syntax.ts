/** The grammar of RFC 5228 8: what the parser makes of a text, before any command is known. Lines count from 1. */

export type Argument =
  | { readonly kind: 'string'; readonly value: string; readonly line: number }
  | { readonly kind: 'strings'; readonly values: readonly string[]; readonly line: number }
  | { readonly kind: 'number'; readonly value: number; readonly line: number }
  /** Without its colon, in lower case. */
  | { readonly kind: 'tag'; readonly name: string; readonly line: number }

export interface TestSyntax {
  /** In lower case, as names are compared without case (RFC 5228 2.4). */
  readonly name: string
  readonly arguments: readonly Argument[]
  readonly tests: readonly TestSyntax[]
  /** The tests stand in parentheses. */
  readonly listed: boolean
  readonly line: number
}

export interface CommandSyntax extends TestSyntax {
  /** null: the command ends with a semicolon. */
  readonly block: readonly CommandSyntax[] | null
}

/** Why a text is no script that can be run. */
export class SieveSyntaxError extends Error {
  readonly line: number
  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** The part of it that another server might know: a command, a test or a tag, or one whose extension was not required. */
export class UnsupportedError extends SieveSyntaxError {}
