/** The grammar of RFC 5228 8.2, without the meaning of commands. */
import { SIEVE_COMMANDS_MAX, SIEVE_NESTING_MAX, SIEVE_TESTS_MAX } from '../../server/base/sieve-limits.ts'
import { Lexer, type Token } from './lexer.ts'
import { type Argument, type CommandSyntax, SieveSyntaxError, type TestSyntax } from './syntax.ts'

/** @throws SieveSyntaxError */
export function parseScript(text: string): CommandSyntax[] {
  return new Parser(text).script()
}

class Parser {
  readonly #lexer: Lexer
  #token: Token
  #tests = 0
  #commands = 0

  constructor(text: string) {
    this.#lexer = new Lexer(text)
    this.#token = this.#lexer.next()
  }

  script(): CommandSyntax[] {
    const commands = this.#block(0)
    if (this.#token.kind !== 'end') throw this.#unexpected('a command')
    return commands
  }

  #block(depth: number): CommandSyntax[] {
    if (depth > SIEVE_NESTING_MAX)
      throw new SieveSyntaxError(this.#token.line, `Blocks cannot be nested deeper than ${SIEVE_NESTING_MAX}.`)
    const commands: CommandSyntax[] = []
    while (this.#token.kind === 'identifier') commands.push(this.#command(depth))
    return commands
  }

  #command(depth: number): CommandSyntax {
    if (++this.#commands > SIEVE_COMMANDS_MAX)
      throw new SieveSyntaxError(this.#token.line, `A script cannot have more than ${SIEVE_COMMANDS_MAX} commands.`)
    const head = this.#head(0)
    if (this.#accept(';')) return { ...head, block: null }
    if (!this.#accept('{')) throw this.#unexpected('";" or a block')
    const block = this.#block(depth + 1)
    if (!this.#accept('}')) throw this.#unexpected('a command or "}"')
    return { ...head, block }
  }

  /** `identifier arguments`, of a command or of a test. */
  #head(depth: number): TestSyntax {
    const { line } = this.#token
    const name = this.#identifier()
    const args: Argument[] = []
    for (let arg = this.#argument(); arg; arg = this.#argument()) args.push(arg)
    if (this.#token.kind === 'identifier')
      return { name, arguments: args, tests: [this.#test(depth + 1)], listed: false, line }
    if (!this.#accept('(')) return { name, arguments: args, tests: [], listed: false, line }
    const tests = [this.#test(depth + 1)]
    while (this.#accept(',')) tests.push(this.#test(depth + 1))
    if (!this.#accept(')')) throw this.#unexpected('"," or ")"')
    return { name, arguments: args, tests, listed: true, line }
  }

  #test(depth: number): TestSyntax {
    const { line, kind } = this.#token
    if (kind !== 'identifier') throw this.#unexpected('a test')
    if (depth > SIEVE_NESTING_MAX)
      throw new SieveSyntaxError(line, `Tests cannot be nested deeper than ${SIEVE_NESTING_MAX}.`)
    if (++this.#tests > SIEVE_TESTS_MAX)
      throw new SieveSyntaxError(line, `A script cannot have more than ${SIEVE_TESTS_MAX} tests.`)
    return this.#head(depth)
  }

  #identifier(): string {
    if (this.#token.kind !== 'identifier') throw this.#unexpected('a name')
    const { value } = this.#token
    this.#advance()
    return value
  }

  #argument(): Argument | null {
    const token = this.#token
    switch (token.kind) {
      case 'string':
        this.#advance()
        return { kind: 'string', value: token.value, line: token.line }
      case 'number':
        this.#advance()
        return { kind: 'number', value: token.value, line: token.line }
      case 'tag':
        this.#advance()
        return { kind: 'tag', name: token.value, line: token.line }
      case '[':
        this.#advance()
        return { kind: 'strings', values: this.#strings(), line: token.line }
      default:
        return null
    }
  }

  #strings(): string[] {
    const values: string[] = []
    do {
      const token = this.#token
      if (token.kind !== 'string') throw this.#unexpected('a string')
      values.push(token.value)
      this.#advance()
    } while (this.#accept(','))
    if (!this.#accept(']')) throw this.#unexpected('"," or "]"')
    return values
  }

  #accept(kind: Token['kind']): boolean {
    if (this.#token.kind !== kind) return false
    this.#advance()
    return true
  }

  #advance(): void {
    this.#token = this.#lexer.next()
  }

  #unexpected(wanted: string): SieveSyntaxError {
    return new SieveSyntaxError(this.#token.line, `There should be ${wanted}, not ${describe(this.#token)}.`)
  }
}

function describe(token: Token): string {
  if (token.kind === 'end') return 'the end of the script'
  if (!('value' in token)) return `"${token.kind}"`
  const text = String(token.value)
  return `the ${token.kind} ${JSON.stringify(text.length > 50 ? `${text.slice(0, 50)}…` : text)}`
}
