/** The grammar of RFC 5228 8: the result of the parser, before commands are looked up. Lines count from 1. */

export type Argument =
  | { readonly kind: 'string'; readonly value: string; readonly line: number }
  | { readonly kind: 'strings'; readonly values: readonly string[]; readonly line: number }
  | { readonly kind: 'number'; readonly value: number; readonly line: number }
  /** Without the colon, in lower case. */
  | { readonly kind: 'tag'; readonly name: string; readonly line: number }

export interface TestSyntax {
  /** In lower case: names are compared without case (RFC 5228 2.4). */
  readonly name: string
  readonly arguments: readonly Argument[]
  readonly tests: readonly TestSyntax[]
  /** The tests are in parentheses. */
  readonly listed: boolean
  readonly line: number
}

export interface CommandSyntax extends TestSyntax {
  /** null: the command ends with a semicolon. */
  readonly block: readonly CommandSyntax[] | null
}

/** Why a text is not a script that can run. */
export class SieveSyntaxError extends Error {
  readonly line: number
  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** A part that another server might support: an unknown command, test or tag, or one whose extension is not required. */
export class UnsupportedError extends SieveSyntaxError {}
